/// Any bytes as an export: BadTrace, or a trace that verifies as far as what it was made of is known to be whole, and that can be
/// exported again.
#include "analysis/export/exporter.h"
#include "analysis/import/import.h"
#include "analysis/model/model.h"
#include "analysis/model/shared_variables.h"
#include "analysis/output/progress.h"
#include "analysis/verify/verifier.h"
#include "framed_input.h"
#include "unit/analysis/string_sink.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace cupr;
using namespace cupr::analysis;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const test::MemoryFile in(std::string(reinterpret_cast<const char *>(data), size)), out("");
  try {
    Import importing(in.path(), out.path());
    while (importing.step()) {
    }
    const Model model(out.path());
    const bool isOfRows =
        importing.format() == ExportFormat::Json || importing.format() == ExportFormat::Protobuf;
    std::string error;
    const trace::Verdict verdict = trace::verify(*trace::Reader::open(out.path(), error));
    const bool isWhole =
        importing.notes().empty() && std::ranges::all_of(model.launches(), [](const LaunchInfo &launch) {
          return launch.complete() || !launch.launch.traced;
        });
    if (isOfRows && isWhole && !verdict.problems.empty()) {
      std::fprintf(stderr, "%s\n", verdict.problems.front().c_str());
      std::abort();
    }
    test::Written again;
    test::StringSink sink(again);
    Progress progress("test", stderr, false);
    exportTrace(model, {}, *jsonExporter(model, sink, Json::Style::Line), progress);
    SharedVariables variables(model);
    for (const LaunchInfo &launch : model.launches())
      for (const SharedVariable &variable : variables.of(launch))
        again.text += variable.at(variable.site->bytes / 2);
  } catch (const BadTrace &) {
  } catch (const trace::TooMuch &) {
  }
  return 0;
}
