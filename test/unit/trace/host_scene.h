/// A trace of what the host does, on a GPU or not, call by call: each has its path and its times.
#ifndef CUPR_TEST_HOST_SCENE_H
#define CUPR_TEST_HOST_SCENE_H

#include "host_trace.h"

#include <string>

namespace cupr::test {

/// Calls of one thread, one behind the other. Times are in microseconds.
class HostScene {
public:
  static constexpr std::uint64_t kDevice = 0x100000, kPinned = 0x4000000, kPageable = 0x8000000;
  static constexpr std::uint64_t kMegabyte = 1u << 20;

  HostScene(const std::string &path, const std::string &deviceKind) : trace(path) {
    trace::Process process = testProcess();
    process.deviceKind = deviceKind;
    process.deviceName = "NVIDIA H100";
    trace.writer.reset();
    trace.writer = trace::Writer::create(path, process);
    app_ = rows.object("/usr/bin/app");
    thread_ = rows.thread(100, "app");
    main_ = rows.node(trace::kNoHostIndex, app_, 0x1000, {{"main", "app.cpp", 90, 3}});
    start_ = rows.name("cudaMemcpy");
    at("step()", 10);
    SiteTableBlob sites;
    sites.site(abi::Operation::Load, 4, "a.cu", 7);
    trace.table(sites);
    trace.allocate(kDevice, 32 * kMegabyte);
    trace.allocate(kPinned, 32 * kMegabyte, trace::MemoryKind::Host);
  }

  /// The next calls are made by this function, which main calls, in this line.
  void at(const std::string &function, std::uint32_t line) {
    node_ = rows.node(main_, app_, 0x2000 + line, {{function, "app.cpp", line, 3}});
  }
  void works(std::uint64_t microseconds) { now += microseconds; }
  /// Notes the call that makes the last act.
  void took(std::uint64_t microseconds) {
    rows.call(start_, thread_, node_, now, microseconds, {trace.order()});
    now += microseconds;
  }
  void up(std::uint64_t from, std::uint64_t bytes, std::uint64_t took, std::uint64_t to = kDevice,
          bool isAsynchronous = false) {
    trace.copy(trace::CopyKind::HostToDevice, to, from, bytes, isAsynchronous);
    this->took(took);
  }
  void down(std::uint64_t to, std::uint64_t bytes, std::uint64_t took, std::uint64_t from = kDevice) {
    trace.copy(trace::CopyKind::DeviceToHost, to, from, bytes);
    this->took(took);
  }
  void within(std::uint64_t bytes, std::uint64_t took, bool isAsynchronous) {
    trace.copy(trace::CopyKind::DeviceToDevice, kDevice, kDevice + kMegabyte, bytes, isAsynchronous);
    this->took(took);
  }
  void set(std::uint64_t bytes, std::uint64_t took) {
    trace.set(kDevice, bytes, true);
    this->took(took);
  }
  /// Begins on the device when the call is over.
  void launch(const std::string &kernel, std::uint32_t blocks, std::uint64_t took, std::uint64_t onDevice) {
    const trace::LaunchId id = trace.launch(kernel, {blocks, 1, 1}, {128, 1, 1});
    this->took(took);
    trace.end(id, 1000 * now, 1000 * (now + onDevice));
  }
  void waits(std::uint64_t took) {
    trace.synchronise(trace::Synchronisation::Kind::Device);
    this->took(took);
  }

  void finish() {
    trace.writer->host(rows.batch);
    trace.writer->finish();
  }

  TraceBuilder trace;
  HostRows rows;
  std::uint64_t now = 1000;

private:
  std::uint32_t app_ = 0, thread_ = 0, main_ = 0, node_ = 0, start_ = 0;
};

} // namespace cupr::test

#endif
