#include "hostlib/runtime/paths/call_failures.h"

#include <catch2/catch.hpp>
#include <cuda_runtime_api.h>
#include <string>
#include <thread>
#include <vector>

using namespace cupr;

namespace {

constexpr host::FailedCall kCopy{cudaErrorInvalidValue, "cudaMemcpy", "cudaErrorInvalidValue",
                                 "invalid argument"};
constexpr host::FailedCall kSet{cudaErrorInvalidValue, "cudaMemset", "cudaErrorInvalidValue",
                                "invalid argument"};
constexpr host::FailedCall kWait{cudaErrorIllegalAddress, "cudaDeviceSynchronize", "cudaErrorIllegalAddress",
                                 "an illegal memory access was encountered"};

/// "cudaMemcpy at 3: 2".
std::vector<std::string> told(const host::CallFailures &failures) {
  std::vector<std::string> texts;
  for (const trace::HostFailure &row : failures.rows())
    texts.push_back(row.call + " at " + std::to_string(row.node) + ": " + std::to_string(row.count));
  return texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("a failure is told with its place, its error and how often") {
  host::CallFailures failures;
  for (const std::uint32_t node : {3u, 5u, 3u})
    failures.dropped(kCopy, node);
  failures.dropped(kSet, 3);
  CHECK(told(failures) == Texts{"cudaMemcpy at 3: 2", "cudaMemset at 3: 1", "cudaMemcpy at 5: 1"});
  CHECK(failures.rows()[0] ==
        trace::HostFailure{"cudaMemcpy", "cudaErrorInvalidValue", "invalid argument", 3, 2});
}

TEST_CASE("who asks has looked at all that its thread dropped before, and at nothing else") {
  host::CallFailures failures;
  std::thread([&] { failures.dropped(kSet, 1); }).join();
  failures.dropped(kCopy, 2);
  failures.dropped(kCopy, 3);
  failures.asked(cudaErrorInvalidValue);
  CHECK(told(failures) == Texts{"cudaMemset at 1: 1"});
  failures.dropped(kCopy, 4);
  CHECK(told(failures).size() == 2);
  failures.asked(cudaSuccess); // as the runtime answers where nothing failed: generous
  CHECK(told(failures) == Texts{"cudaMemset at 1: 1"});
}

TEST_CASE("a value that is used says nothing of other calls' errors") {
  host::CallFailures failures;
  failures.dropped(kCopy, 1);
  failures.used(cudaErrorInvalidValue);
  CHECK(told(failures) == Texts{"cudaMemcpy at 1: 1"});
}

TEST_CASE(
    "an error that stays is told once, where a call first dropped it that neither launches nor lets go") {
  host::CallFailures failures;
  for (const char *const name :
       {"cudaLaunchKernel", "cudaFree", "cudaEventDestroy", "cudaHostUnregister", "cudaDeviceReset"})
    failures.dropped({kWait.error, name, kWait.errorName, kWait.errorText}, 7);
  failures.dropped(kWait, 1);
  failures.dropped(kWait, 2);
  std::thread([&] { failures.dropped(kWait, 3); }).join();
  CHECK(told(failures) == Texts{"cudaDeviceSynchronize at 1: 1"});
}

TEST_CASE("an error that stays and was seen once, by whatever thread, is not told of any more") {
  for (const bool isUsed : {false, true}) {
    host::CallFailures failures;
    failures.dropped(kWait, 1);
    std::thread([&] {
      if (isUsed)
        failures.used(cudaErrorIllegalAddress);
      else
        failures.asked(cudaErrorIllegalAddress);
    }).join();
    CHECK(told(failures).empty());
    failures.dropped(kWait, 2);
    CHECK(told(failures).empty());
    failures.dropped(kCopy, 3);
    CHECK(told(failures) == Texts{"cudaMemcpy at 3: 1"});
  }
}
