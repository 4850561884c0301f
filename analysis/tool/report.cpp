/// `report`: one HTML page.
#include "verb.h"

#include "analysis/export/byte_sink.h"
#include "analysis/render/report.h"

#include <fmt/format.h>

namespace cupr::analysis {

Verb addReport(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "report",
      "Write one self-contained HTML page: summary, communication launch by launch, kernel to kernel and "
      "CTA to CTA, launches, and the volume of every source line with its text.");
  struct Options {
    std::string path, output;
  };
  auto options = std::make_shared<Options>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_option("-o,--output", options->output, "HTML file to write")->required();
  return [options] {
    const Model model(options->path);
    warnIfTruncated(model);
    PendingFile file(options->output);
    const auto sink = fileSink(file);
    sink->write(reportHtml(model, communication(model), sourceLines(model)));
    sink->finish();
    file.commit();
    fmt::print("{}\n", options->output);
    return kExitGood;
  };
}

} // namespace cupr::analysis
