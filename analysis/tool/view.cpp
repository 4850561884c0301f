/// `view`: the page that shows traces access by access.
#include "shared_options.h"
#include "verb.h"

#include "analysis/model/model.h"
#include "analysis/output/utf8.h"
#include "analysis/render/viewer.h"
#include "hostlib/trace/reader.h"

#include <cstdio>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

/// The size of the trace. Throws BadTrace if it isn't one.
std::uint64_t sizeOfTrace(const std::string &path) {
  std::string error;
  const std::unique_ptr<trace::Reader> reader = trace::Reader::open(path, error);
  if (!reader)
    throw BadTrace(error);
  trace::Message first;
  if (reader->next(first) != trace::ReadStatus::Message)
    throw BadTrace(reader->error());
  return reader->fileBytes();
}

int view(const std::string &path, const std::string &output) {
  const bool isEmbedded = !path.empty() && sizeOfTrace(path) <= kMostEmbeddedBytes;
  PendingFile file(output);
  const auto sink = fileSink(file);
  writeViewer(isEmbedded ? path : "", *sink);
  sink->finish();
  file.commit();
  fmt::print("{}\n", shown(output));
  if (!path.empty() && !isEmbedded)
    std::fprintf(stderr, "cupranalyze: %s is too large to stand in the page: open it there\n",
                 shown(path).c_str());
  return kExitGood;
}

} // namespace

Verb addView(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "view",
      "Write one self-contained HTML page for a browser that opens traces from disk: a timeline of the "
      "launches, each access of a warp with its lanes, a map of the addresses, and addresses over time.");
  struct Options {
    std::string path, output = "viewer.html";
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path,
                      fmt::format("Trace file that the page shows at once: up to {} MiB it is put into the "
                                  "page, larger ones are opened there",
                                  kMostEmbeddedBytes >> 20));
  command->add_option("-o,--output", options->output, "HTML file to write")->capture_default_str();
  refuseSelection(*command, "the page shows one launch at a time, and has filters of its own");
  return [options] { return view(options->path, options->output); };
}

} // namespace cupr::analysis
