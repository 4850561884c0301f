/// Any bytes as a trace for the analysis: BadTrace or results, nothing else. Big ranges are
/// left out, since a copy of terabytes is slow to follow and no fault.
#include "analysis/model/records.h"
#include "analysis/render/checked_trace.h"
#include "analysis/render/report.h"
#include "analysis/render/results_json.h"
#include "framed_input.h"

#include <algorithm>

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kMostBytes = 1u << 22;
constexpr std::uint64_t kCheckMemory = 1u << 26;

bool isSmall(const Model &model) {
  for (const trace::Copy &copy : model.copies())
    if (copy.rows > 1000 || copy.rowBytes > kMostBytes / 1000)
      return false;
  for (const trace::Set &set : model.sets())
    if (set.rows > 1000 || set.rowBytes > kMostBytes / 1000)
      return false;
  for (const trace::Module &module : model.modules())
    for (const trace::Site &site : module.sites)
      if (site.bytes > 4096)
        return false;
  for (const LaunchInfo &launch : model.launches()) {
    RecordStream records(model, launch);
    while (const Record *record = records.next())
      if (record->access.form == abi::RecordForm::Range &&
          abi::recordBytes(record->access, 0) > kMostBytes / 1000)
        return false;
  }
  return true;
}

struct NullSink final : ByteSink {
  void write(std::string_view) override {}
  void finish() override {}
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  test::MemoryFile file(test::mended(data, size));
  try {
    const Model model(file.path());
    if (!isSmall(model))
      return 0;
    AnalysisOptions options;
    options.threads = 1;
    const CheckedTrace checked(model, {}, {.threads = 1, .memory = kCheckMemory});
    Results results = resultsOf(model, options);
    resultsJson(model, results, TransferList::Complete, [](std::string_view) {});
    NullSink page;
    addTexts(model, checked.files(), results.sources);
    writeReport(model, results, page, {.check = &checked});
    if (std::ranges::any_of(model.launches(), [](const LaunchInfo &launch) {
          return launch.launch.timed != abi::LatencyScheme::None;
        })) {
      results.latency =
          latencyFigures(model, {.selection = {}, .listWarps = true, .series = WarpChoice{"0", 0}});
      latencyJson(model, results, [](std::string_view) {});
    }
  } catch (const BadTrace &) {
  } catch (const trace::TooMuch &) {
  }
  return 0;
}
