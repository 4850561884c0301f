#include "trace_summary.h"

#include "device_figures.h"

#include <charconv>

namespace cupr::analysis {

namespace {

std::uint64_t excessOf(const RequestFigures &figures) { return figures.sectors - figures.leastSectors; }

} // namespace

std::optional<std::uint64_t> rankOf(const std::string &path) {
  constexpr std::string_view kMark = ".rank";
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t at = name.rfind(kMark);
  if (at == name.npos)
    return {};
  const char *const begin = name.data() + at + kMark.size(), *const end = name.data() + name.size();
  std::uint64_t rank = 0;
  const auto [behind, error] = std::from_chars(begin, end, rank);
  const bool isNumber = error == std::errc() && (behind == end || *behind == '.');
  return isNumber ? std::optional(rank) : std::nullopt;
}

TraceSummary summaryOf(const Model &model, const Results &results) {
  TraceSummary summary;
  const trace::Process &process = model.header().process;
  summary.path = model.path();
  summary.rank = rankOf(model.path());
  summary.program = process.program;
  summary.device = process.deviceName;
  summary.launches = results.shown.calls(model);
  summary.isTruncated = !model.truncation().empty();
  for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch) {
    if (!results.shown.has(launch))
      continue;
    const LaunchInfo &info = model.launches()[launch];
    summary.incompleteLaunches += info.phase == 0 && !(info.launch.traced && info.complete());
    summary.counts += info.totals.counts.global;
    summary.volume += results.communication.launches[launch];
    if (const auto time = info.deviceTime())
      summary.deviceTime = summary.deviceTime.value_or(0) + *time;
  }
  std::map<LaunchIndex, RequestFigures> kernels;
  for (const auto &[key, cost] : results.accesses) {
    summary.made.add(cost.made);
    kernels[key.kernel].add(cost.made);
  }
  summary.excessSeconds = static_cast<double>(excessOf(summary.made)) * kSectorBytes /
                          figuresOf(process.deviceName).memoryBytesPerSecond;
  for (const auto &[kernel, made] : kernels)
    if (excessOf(made) > excessOf(summary.ofKernel)) {
      summary.kernel = model.launches()[kernel].kernel;
      summary.ofKernel = made;
    }
  for (const auto &[key, cost] : results.accesses)
    if (model.launches()[key.kernel].kernel == summary.kernel &&
        excessOf(cost.made) > excessOf(summary.ofAccess)) {
      summary.access = key;
      summary.ofAccess = cost.made;
    }
  return summary;
}

} // namespace cupr::analysis
