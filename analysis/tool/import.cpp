/// `import`: a trace from an export of one, or from a file of cuda-memtrace.
#include "shared_options.h"
#include "verb.h"

#include "analysis/import/import.h"
#include "analysis/memtrace/importer.h"
#include "analysis/output/pending_file.h"
#include "analysis/output/text.h"

#include <cstdio>
#include <fmt/format.h>

namespace cupr::analysis {

Verb addImport(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "import",
      "Make a trace of an export as JSON, Protobuf or Cap'n Proto, compressed or not, or of a "
      "memory trace of cuda-memtrace (.trc, version 2 or 3, or version 1), so that the other verbs open it. "
      "docs/export-formats.md says what such files do not hold and how that is filled in.");
  struct Options {
    std::string path, output;
  };
  auto options = std::make_shared<Options>();
  command->add_option("file", options->path, "File to read")->required();
  command->add_option("-o,--output", options->output, "Trace file to write")->required();
  refuseSelection(*command, "a trace is made of all that the file has: dump and export take filters");
  return [options] {
    PendingFile file(options->output);
    if (!isMemtrace(options->path)) {
      Import importing(options->path, file.path());
      while (importing.step()) {
      }
      for (const std::string &note : importing.notes())
        std::fprintf(stderr, "cupranalyze: %s\n", shown(note).c_str());
      file.commit();
      fmt::print("{}: from {}\n", shown(options->output), nameOf(importing.format()));
      return kExitGood;
    }
    const Imported result = importMemtrace(options->path, file.path());
    file.commit();
    fmt::print("{}: {} kernels with {} accesses, from a memory trace of version {}\n", shown(options->output),
               grouped(result.kernels), grouped(result.accesses), result.version);
    return kExitGood;
  };
}

} // namespace cupr::analysis
