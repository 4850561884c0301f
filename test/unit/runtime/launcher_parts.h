/// All that the launchers of either device need: a kernel, its module, and a trace that is read back.
#ifndef CUPR_TEST_LAUNCHER_PARTS_H
#define CUPR_TEST_LAUNCHER_PARTS_H

#include "fake_gpu.h"
#include "hostlib/runtime/kernels/launch_slice.h"
#include "hostlib/runtime/session/cpu_launcher.h"
#include "hostlib/runtime/session/gpu_launcher.h"
#include "unit/trace/small_trace.h"
#include "written_trace.h"

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cupr::test {

using namespace cupr::host;

inline constexpr std::uint64_t kBase = 0x7f0000000000;
inline const char kPlain = 0, kTracedOnCpu = 0, kDerivedOnCpu = 0;

inline int tracingBegan = 0; ///< how often a launcher has said so

/// All that a launcher needs, and a kernel that takes an address.
template <typename Device> struct Parts {
  explicit Parts(const Settings &given) : settings(given) {
    kernel.name = "_Z1kPf";
    kernel.demangled = "k(float*)";
    kernel.instrumented = true;
    kernel.parameterCount = 2;
    kernel.siteTable = std::make_shared<const std::vector<std::byte>>(smallTable().bytes());
    kernel.siteCount = 3;
    kernel.tracedOnCpu = &kTracedOnCpu;
  }

  cudaError_t launch(const LaunchCall &call) {
    void *arguments[] = {&argument};
    return launcher().launch({&kPlain, {2, 1, 1}, {32, 1, 1}, arguments, 0, nullptr}, kernel, call);
  }
  /// What launchers say of a launch that the user has chosen, or not, in front of it.
  trace::Launch describe(const LaunchRequest &request, const Kernel &of) {
    trace::Launch launch = policy.shape(request);
    launch.reason = policy.reasonAgainst(of);
    policy.describe(request, of, launch);
    return launch;
  }
  /// Says which variant ran.
  std::string variantOf() {
    std::string ran;
    launch([&](const void *variant, void **) {
      ran += variant == &kPlain ? "plain" : "traced";
      return cudaSuccess;
    });
    return ran;
  }
  /// Its one access, of the address that it takes, is derived.
  void derive() {
    SiteTableBlob blob = smallTable();
    blob.site(abi::Operation::Load, 0, "", 0, "k(float*)");
    blob.space(abi::SpaceVerdict::Global, abi::kSiteBlock);
    abi::SliceHeader header{};
    header.blockSite = kBlockSite;
    header.registerCount = 1;
    const auto operation = [](abi::SliceOperation of) { return static_cast<std::uint8_t>(of); };
    blob.slice("_Z1kPf", header, {{static_cast<std::uint8_t>(abi::SliceSource::Parameter), 8, 0, 0, 0}}, {},
               {{operation(abi::SliceOperation::Access), 0, 0, 0, 0, 0, 0},
                {operation(abi::SliceOperation::Exit), 0, 0, 0, 0, 0, 0}});
    kernel.siteTable = std::make_shared<const std::vector<std::byte>>(blob.bytes());
    kernel.derivedOnCpu = &kDerivedOnCpu;
    kernel.slice = 0;
    const std::optional<LaunchSlice> slice = launchSliceOf(*kernel.siteTable, kernel.slice);
    REQUIRE(slice);
    kernel.blockSite = slice->blockSite;
    kernel.sliceInputs = slice->inputs;
    kernel.placeSites = slice->placeSites;
    REQUIRE(kernel.blockSite == kBlockSite);
  }
  /// The same, and two addresses more: what is there decides, and what is there is written.
  void lookUp() {
    derive();
    const auto parameter = [&](std::uint32_t index, std::uint16_t roles) {
      kernel.sliceInputs.push_back(
          {static_cast<std::uint8_t>(abi::SliceSource::Parameter), 8, roles, index, 0});
    };
    parameter(1, abi::kSliceReadsThere);
    parameter(2, abi::kSliceWritesThere);
    kernel.parameterCount = 4;
  }
  static constexpr std::uint32_t kBlockSite = 3;
  Launcher &launcher() { return static_cast<Device *>(this)->made; }

  const Settings settings;
  WrittenTrace trace;
  Selection selection{settings};
  EventLog events{*trace.writer, deviceKind(), wallTime()};
  HostLog hostLog{*trace.writer, 0};
  ModuleRegistry modules{*trace.writer, events, hostLog};
  LaunchPolicy policy{deviceKind(), selection, events, modules};
  Kernel kernel;
  std::uint64_t argument = kBase + 16;
};

struct OnCpu : Parts<OnCpu> {
  explicit OnCpu(const Settings &given = {})
      : Parts((newFakeDevice(DeviceKind::Cpu).currentDevice = 3, given)),
        made(settings, *trace.writer, events, policy) {}
  CpuLauncher made;
};

inline Settings smallQueue() {
  Settings settings;
  settings.binsInDevice = false;
  settings.bufferBytes = 1u << 20;
  return settings;
}

struct OnGpu : Parts<OnGpu> {
  explicit OnGpu(const Settings &given = smallQueue(), FakeGpu &fake = newFakeGpu())
      : Parts(given), gpu(fake), made(settings, *trace.writer, events, policy, [] { ++tracingBegan; }) {
    gpu.parameterBytes = {sizeof(Trace), 8};
  }
  ~OnGpu() { made.release(); } // what is known of kernels is of this GPU
  Told read() {
    made.end();
    return trace.read();
  }
  FakeGpu &gpu;
  GpuLauncher made;
};

} // namespace cupr::test

#endif
