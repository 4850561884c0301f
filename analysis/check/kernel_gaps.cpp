#include "kernel_gaps.h"

#include <fmt/format.h>
#include <utility>

namespace cupr::analysis {

std::string KernelGaps::Names::text() const {
  constexpr std::size_t kShown = 3;
  std::string text;
  std::size_t shown = 0;
  for (const std::string &name : names_) {
    if (shown++ == kShown)
      return text + fmt::format(" and {} more", names_.size() - kShown);
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

void KernelGaps::add(const LaunchInfo &info, const CheckedLaunch &launch) {
  const ModuleTraits &module = *launch.module;
  if (!info.complete())
    incomplete_.add(info.kernel);
  else if (info.launch.timed != abi::LatencyScheme::None)
    timed_.add(info.kernel);
  else if (!module.isSynchronised)
    (launch.betweenBlocks ? unordered_ : unorderedStrong_).add(info.kernel);
  if (!module.recordsShared && (info.launch.staticShared != 0 || info.launch.dynamicShared != 0))
    withoutShared_.add(info.kernel);
  if (module.sharedIsOpen)
    openShared_.add(info.kernel);
}

void KernelGaps::tell(std::vector<Unchecked> &unchecked) const {
  using enum FaultRule;
  const auto say = [&](std::vector<FaultRule> rules, std::string why) {
    unchecked.push_back({std::move(rules), std::move(why)});
  };
  if (!unordered_.isEmpty())
    say({RaceLanes, RaceWarps, DivergentBarrier, WarpMask},
        fmt::format("{} did not record what orders threads of a block: cupr++ --synchronisation",
                    unordered_.text()));
  if (!unorderedStrong_.isEmpty())
    say({RaceLanes, RaceWarps, RaceBlocks, DivergentBarrier, WarpMask},
        fmt::format("{} did not record what orders threads, and has atomic or volatile accesses: cupr++ "
                    "--synchronisation",
                    unorderedStrong_.text()));
  if (!withoutShared_.isEmpty())
    say({RaceLanes, RaceWarps, UninitialisedRead, OutOfBounds},
        fmt::format("shared memory of {} was not recorded: cupr++ --spaces=global,shared",
                    withoutShared_.text()));
  if (!openShared_.isEmpty())
    say({UninitialisedRead},
        fmt::format("shared memory of {} may be written by clusters and asynchronous copies",
                    openShared_.text()));
  if (!timed_.isEmpty())
    say({RaceLanes, RaceWarps, RaceBlocks, DivergentBarrier, WarpMask, UninitialisedRead},
        fmt::format("{} ran timed, and the order of the warps' records is not that of their accesses",
                    timed_.text()));
  if (!incomplete_.isEmpty())
    say({RaceLanes, RaceWarps, RaceBlocks, RaceLaunches, DivergentBarrier, WarpMask, UninitialisedRead},
        fmt::format(
            "not all records of {} are there ('cupranalyze info' says why); of what a kernel did before it "
            "failed, CUPR_DERIVE=off records most",
            incomplete_.text()));
  if (!untraced_.isEmpty())
    say({kFaultRules.begin(), kFaultRules.end() - 2}, // errors and leaks are the host's
        fmt::format("{} were not traced", untraced_.text()));
}

} // namespace cupr::analysis
