/// `report`: one HTML page.
#include "verb.h"

#include "analysis/render/report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

namespace cupr::analysis {

namespace {

void writeFile(const std::string &path, const std::string &text) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if (file)
    good = std::fclose(file) == 0 && good;
  if (!good)
    throw std::runtime_error(fmt::format("can't write '{}': {}; choose another place with -o", path,
                                         std::strerror(error ? error : errno)));
}

} // namespace

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
    writeFile(options->output, reportHtml(model, communication(model), sourceLines(model)));
    fmt::print("{}\n", options->output);
    return kExitGood;
  };
}

} // namespace cupr::analysis
