/// How launches are made and traced on either device, and what the trace says of them.
#include "devicelib/abi/version.h"
#include "launcher_parts.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

extern "C" {
void CUPR_VERSIONED(cuprLaunchPlace_v)(const char *file, unsigned line, unsigned);
void CUPR_VERSIONED(cuprLaunchEnd_v)();
}

using namespace cupr;
using namespace cupr::host;
using namespace cupr::test;

TEST_CASE("a launch is described with its place in the source, its blocks, and why it is not traced") {
  Settings settings;
  settings.launchSkip = 1;
  settings.ctas.period = 4;
  OnCpu parts(settings);
  const LaunchRequest request{&kPlain, {2, 3, 4}, {32, 2, 1}, nullptr, 48, nullptr};
  CUPR_VERSIONED(cuprLaunchPlace_v)("a.cu", 7, 0);
  const trace::Launch skipped = parts.describe(request, parts.kernel);
  CUPR_VERSIONED(cuprLaunchEnd_v)();
  const trace::Launch chosen = parts.describe(request, parts.kernel);
  CHECK(skipped.file == "a.cu");
  CHECK(skipped.line == 7);
  CHECK_FALSE(skipped.reason.empty());
  CHECK(chosen.file.empty());
  CHECK(chosen.reason.empty());
  CHECK(chosen.grid == trace::Dim3{2, 3, 4});
  CHECK(chosen.block == trace::Dim3{32, 2, 1});
  CHECK(chosen.dynamicShared == 48);
  CHECK(chosen.ctas.period == 4);
  CHECK(chosen.device == 3); // the fake device's
  Kernel foreign;
  foreign.reason = "it is foreign";
  CHECK(parts.describe(request, foreign).reason == "it is foreign");
}

TEST_CASE("CPU: a traced launch is announced, runs with its number, and ends with what was recorded") {
  Settings settings;
  settings.countsAccesses = true;
  settings.ctas.end = 1;
  OnCpu parts(settings);
  const void *ran = nullptr;
  CHECK(parts.launch([&](const void *variant, void **arguments) {
    ran = variant;
    const auto &trace = *static_cast<const Trace *>(arguments[0]);
    CHECK(*static_cast<std::uint64_t *>(arguments[1]) == parts.argument);
    CHECK(trace.launch == 1);
    CHECK(trace.ctaEnd == 1);
    REQUIRE(trace.tallyWords == 3);
    trace.tally[2] = 32;
    test::Words words;
    words.strided(2, 0, 0, kBase, 4);
    parts.made.records(trace.launch, words.data(), words.size());
    return cudaSuccess;
  }) == cudaSuccess);
  CHECK(ran == &kTracedOnCpu);
  const test::Told told = parts.trace.read();
  REQUIRE(told.launches.size() == 1);
  CHECK(told.launches[0].traced);
  REQUIRE(told.ends.size() == 1);
  CHECK(told.ends[0].end.complete);
  CHECK(told.ends[0].records == 1);
  CHECK(told.ends[0].end.siteCounts == std::vector<trace::SiteCount>{{2, 32}});
  CHECK(told.ends[0].end.began <= told.ends[0].end.ended);
}

TEST_CASE("CPU: a launch that fails has made no access; one that breaks the context is not complete") {
  OnCpu failing;
  CHECK(failing.launch([](const void *, void **) { return cudaErrorInvalidValue; }) == cudaErrorInvalidValue);
  const test::Told told = failing.trace.read();
  REQUIRE(told.ends.size() == 1);
  CHECK(told.ends[0].end.complete);
  CHECK(told.ends[0].end.reason == "the launch failed with cudaErrorInvalidValue, and made no access");

  OnCpu dying;
  dying.launch([](const void *, void **) {
    test::currentFakeDevice().contextError = cudaErrorIllegalAddress;
    return cudaErrorIllegalAddress;
  });
  const test::Told died = dying.trace.read();
  REQUIRE(died.ends.size() == 1);
  CHECK_FALSE(died.ends[0].end.complete);
  CHECK(died.ends[0].end.reason == "the kernel ended with cudaErrorIllegalAddress: block (0,0,0): why");
}

TEST_CASE("CPU: what is not chosen, or has no traced variant, runs plain and is listed") {
  Settings settings;
  settings.kernels = "other";
  OnCpu parts(settings);
  CHECK(parts.variantOf() == "plain");
  OnCpu lacking;
  lacking.kernel.tracedOnCpu = nullptr;
  CHECK(lacking.variantOf() == "plain");
  const test::Told told = parts.trace.read();
  REQUIRE(told.launches.size() == 1);
  CHECK_FALSE(told.launches[0].traced);
  CHECK_FALSE(told.launches[0].reason.empty());
  CHECK(told.ends.empty());
}

TEST_CASE("CPU: what is not traced is timed, if that is asked for") {
  Settings settings;
  settings.kernels = "other";
  settings.timesUntraced = true;
  OnCpu parts(settings);
  CHECK(parts.variantOf() == "plain");
  CHECK(parts.launch([](const void *, void **) { return cudaErrorInvalidValue; }) == cudaErrorInvalidValue);
  const test::Told told = parts.trace.read();
  REQUIRE(told.launches.size() == 2);
  REQUIRE(told.ends.size() == 1); // the other one did not run
  CHECK_FALSE(told.launches[0].traced);
  CHECK(told.ends[0].end.id == trace::LaunchId{1});
  CHECK(told.ends[0].end.complete);
  CHECK(told.ends[0].records == 0);
  CHECK((told.ends[0].end.began != 0 && told.ends[0].end.began <= told.ends[0].end.ended));
}

TEST_CASE("GPU: what is not traced is timed by events behind a delay, if that is asked for") {
  Settings settings = smallQueue();
  settings.kernels = "other";
  settings.timesUntraced = true;
  OnGpu parts(settings);
  parts.gpu.milliseconds = 0.25f;
  for (int i = 0; i < 2; ++i)
    CHECK(parts.variantOf() == "plain");
  CHECK(parts.gpu.delays == 2);
  parts.gpu.eventResult = CUDA_ERROR_LAUNCH_FAILED; // the kernel's own
  CHECK(parts.variantOf() == "plain");
  const test::Told told = parts.read();
  CHECK(told.launches.size() == 3);
  REQUIRE(told.ends.size() == 2);
  for (const trace::LaunchTotals &end : told.ends) // no longer ago than the session's beginning
    CHECK(end.end.ended - end.end.began == std::min<std::uint64_t>(250'000, end.end.ended));
}

TEST_CASE("GPU: a traced launch is told of memory that was found, runs with the queue, and ends") {
  Settings settings = smallQueue();
  settings.countsAccesses = true;
  OnGpu parts(settings);
  tracingBegan = 0;
  test::currentFakeDevice().driverMemory = {{kBase, 256}};
  std::vector<std::uint64_t> launches;
  parts.gpu.kernel = [&](const Trace &trace) {
    launches.push_back(trace.launch);
    trace.tally[1] += trace.launch == 3 ? 5 : 0; // accesses of which there are no records
    return CUDA_SUCCESS;
  };
  for (int i = 0; i < 3; ++i)
    CHECK(parts.variantOf().empty()); // the driver launches it
  parts.made.flush();
  CHECK(launches == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(tracingBegan > 0);
  const test::Told told = parts.read();
  REQUIRE(told.allocations.size() == 1);
  REQUIRE(told.launches.size() == 3);
  CHECK(told.allocations[0].order < told.launches[0].order);
  REQUIRE(told.ends.size() == 3);
  for (const trace::LaunchTotals &end : told.ends) {
    const bool lacks = end.end.id == trace::LaunchId{3};
    CHECK(end.end.complete == !lacks);
    CHECK(end.end.reason == (lacks ? "the device counted 5 accesses, and 0 were recorded or dropped" : ""));
    REQUIRE(end.end.siteCounts);
    CHECK(*end.end.siteCounts ==
          (lacks ? std::vector<trace::SiteCount>{{1, 5}} : std::vector<trace::SiteCount>{}));
  }
}

TEST_CASE("GPU: where the traced variant is missing, the plain one runs") {
  OnGpu parts;
  parts.gpu.hasTracedVariants = false;
  CHECK(parts.variantOf() == "plain");
  CHECK(parts.read().launches.at(0).reason == "its traced variant is not in the program for this GPU");
}

TEST_CASE("GPU: what a profiler runs several times is not recorded") {
  Settings settings = smallQueue();
  settings.replaysKernels = true;
  OnGpu parts(settings);
  CHECK(parts.variantOf() == "plain");
  CHECK(parts.variantOf() == "plain");
  const test::Told told = parts.read();
  REQUIRE(told.launches.size() == 2);
  CHECK_FALSE(told.launches[0].traced);
  CHECK(told.launches[0].reason ==
        "Nsight Compute replays kernels, which those that record their accesses do not survive");
}

TEST_CASE("GPU: where the queue has no memory, the plain one runs, and the next launch tries again") {

  OnGpu poor;
  poor.gpu.hasMemory = false;
  CHECK(poor.variantOf() == "plain");
  poor.gpu.hasMemory = true; // it is tried again
  CHECK(poor.variantOf().empty());
  const test::Told told = poor.read();
  REQUIRE(told.launches.size() == 2);
  // Those that are not traced may be written later.
  const trace::Launch &plain = told.launches[told.launches[0].traced ? 1 : 0];
  CHECK(plain.reason == "allocating pinned host memory for records failed: CUDA_ERROR_OF_THE_TEST");
  CHECK(told.ends.size() == 1);
}

TEST_CASE("GPU: a traced variant that can't be launched is made up for by the plain one, or its failure") {
  OnGpu parts;
  parts.gpu.kernel = [](const Trace &) { return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES; };
  CHECK(parts.variantOf() == "plain");
  CHECK(parts.launch([](const void *, void **) { return cudaErrorInvalidValue; }) == cudaErrorInvalidValue);
  const test::Told told = parts.read();
  REQUIRE(told.ends.size() == 2);
  CHECK_FALSE(told.ends[0].end.complete);
  CHECK(told.ends[0].end.reason ==
        "the traced variant could not be launched (CUDA_ERROR_OF_THE_TEST); the plain one ran");
  CHECK(told.ends[1].end.complete);
  CHECK(told.ends[1].end.reason == "the launch failed with cudaErrorInvalidValue, and made no access");
}

TEST_CASE("GPU: behind the end launches run plain, and nothing is asked of the driver") {
  OnGpu parts;
  CHECK(parts.variantOf().empty());
  parts.made.end();
  parts.made.end();
  const Driver driver = std::exchange(test::currentFakeDevice().driver, Driver{});
  CHECK(parts.variantOf() == "plain");
  test::currentFakeDevice().driver = driver;
  const test::Told told = parts.read();
  REQUIRE(told.launches.size() == 2);
  const trace::Launch &late = told.launches[told.launches[0].traced ? 1 : 0];
  CHECK(late.id == trace::LaunchId{2});
  CHECK(late.reason == "the process is ending");
  CHECK(told.ends.size() == 1);
}

TEST_CASE("each context has one queue; what is released is made anew") {
  OnGpu parts;
  SnapshotStore store(*parts.trace.writer);
  ContextQueues queues(parts.settings, *parts.trace.writer, store, parts.events);
  std::string reason;
  const auto context = [&](std::uintptr_t number) -> DeviceQueue * {
    parts.gpu.context = reinterpret_cast<CUcontext>(number);
    return queues.ofCurrentContext(reason);
  };
  DeviceQueue *const first = context(1);
  REQUIRE(first);
  DeviceQueue *const second = context(2);
  CHECK(second != first);
  CHECK(context(1) == first);
  queues.flush();
  queues.finish();
  queues.finish();
  CHECK(context(2) == second);
  queues.release();
  parts.gpu.hasMemory = false;
  CHECK(context(1) == nullptr);
  CHECK_FALSE(reason.empty());
  queues.flush();
  queues.release();
}
