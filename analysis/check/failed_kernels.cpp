#include "failed_kernels.h"

#include <set>
#include <string_view>

namespace cupr::analysis {

namespace {

/// How the CPU device says that the threads of a kernel wait for each other.
bool isDeadlock(const LaunchInfo &launch) {
  return failureOf(launch).find(": deadlock: ") != std::string_view::npos;
}

} // namespace

bool FailedKernels::isByAddress(const LaunchInfo &launch) const {
  const std::string_view failure = failureOf(launch);
  return areOnGpu()
             ? launches_.size() == 1 && failure.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string_view::npos
             : failure.starts_with("cudaErrorIllegalAddress");
}

void FailedKernels::tell(const std::vector<Fault> &found, std::size_t first, std::vector<Fault> &told) const {
  if (first == launches_.size())
    return;
  std::set<LaunchIndex> explained;
  for (const Fault &fault : found)
    if (fault.rule == FaultRule::OutOfBounds || fault.rule == FaultRule::UseAfterFree ||
        fault.rule == FaultRule::Misaligned ||
        (fault.rule == FaultRule::WarpMask &&
         (areOnGpu() || isDeadlock(model_.launches()[fault.place.launch]))))
      explained.insert(fault.place.launch);
  for (; first < launches_.size(); ++first) {
    const LaunchIndex launch = launches_[first];
    if (!explained.contains(launch)) {
      Fault fault;
      fault.rule = FaultRule::FailedKernel;
      fault.count = 1;
      fault.place = {launch, kNoAct, FaultPlace::kNoSite};
      told.push_back(fault);
    }
    if (areOnGpu()) // the first one's, as far as can be told
      return;
  }
}

} // namespace cupr::analysis
