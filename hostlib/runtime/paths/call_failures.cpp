#include "call_failures.h"

#include <algorithm>
#include <array>
#include <cuda_runtime_api.h>
#include <unistd.h>

namespace cupr::host {
namespace {

/// Whether the context is lost by it, and all calls return it: the runtime's manual says so of each ("any further CUDA work will
/// return the same error").
bool stays(int error) {
  switch (error) {
  case cudaErrorECCUncorrectable:
  case cudaErrorNvlinkUncorrectable:
  case cudaErrorContained:
  case cudaErrorIllegalAddress:
  case cudaErrorLaunchTimeout:
  case cudaErrorAssert:
  case cudaErrorHardwareStackError:
  case cudaErrorIllegalInstruction:
  case cudaErrorMisalignedAddress:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorLaunchFailure:
  case cudaErrorTensorMemoryLeak:
  case cudaErrorMpsClientTerminated:
  case cudaErrorExternalDevice:
    return true;
  default:
    return false;
  }
}

/// Whether nobody looks there for an error that stays: a launch has no value, and the calls behind it return the error as well; who lets
/// go of things may have seen it, in code that another compiler has made.
bool isNoPlaceToLook(std::string_view call) {
  return std::ranges::any_of(
      std::array<std::string_view, 5>{"Launch", "Free", "Destroy", "Unregister", "Reset"},
      [&](std::string_view part) { return call.find(part) != call.npos; });
}

std::uint64_t callersThread() { return static_cast<std::uint64_t>(::gettid()); }

} // namespace

void CallFailures::dropped(const FailedCall &call, std::uint32_t node) {
  const std::scoped_lock lock(mutex_);
  if (stays(call.error) && isNoPlaceToLook(call.name))
    return;
  const auto isSame = [&](const auto &failure) { return failure.first.error == call.error; };
  if (stays(call.error) && (seen_.contains(call.error) || std::ranges::any_of(failures_, isSame)))
    return;
  Failure &failure = failures_[{callersThread(), node, call.name, call.error}];
  failure.call = call;
  ++failure.count;
  isAny_.store(true, std::memory_order_relaxed);
}

void CallFailures::used(int error) {
  if (!stays(error))
    return;
  const std::scoped_lock lock(mutex_);
  seen_.insert(error);
  std::erase_if(failures_, [error](const auto &failure) { return failure.first.error == error; });
}

void CallFailures::asked(int error) {
  used(error);
  if (!isAny_.load(std::memory_order_relaxed)) // the thread has stored it itself, if it had a failure
    return;
  const std::scoped_lock lock(mutex_);
  std::erase_if(failures_,
                [thread = callersThread()](const auto &failure) { return failure.first.thread == thread; });
  isAny_.store(!failures_.empty(), std::memory_order_relaxed);
}

std::vector<trace::HostFailure> CallFailures::rows() const {
  const std::scoped_lock lock(mutex_);
  std::vector<trace::HostFailure> rows;
  for (const auto &[key, failure] : failures_)
    rows.push_back(
        {failure.call.name, failure.call.errorName, failure.call.errorText, key.node, failure.count});
  return rows;
}

} // namespace cupr::host
