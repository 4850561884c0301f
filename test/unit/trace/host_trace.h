/// A trace with all that can be said of the host, whose counts and times are known by arithmetic.
#ifndef CUPR_TEST_HOST_TRACE_H
#define CUPR_TEST_HOST_TRACE_H

#include "small_trace.h"

#include <initializer_list>
#include <utility>

namespace cupr::test {

/// The rows of a batch in the making. Times are in microseconds.
class HostRows {
public:
  std::uint32_t name(const std::string &text) { return add(batch.names, text); }
  std::uint32_t object(const std::string &path, const std::string &buildId = "") {
    return add(batch.objects, trace::HostObject{path, buildId});
  }
  std::uint32_t thread(std::uint64_t id, const std::string &text) {
    return add(batch.threads, trace::HostThread{id, text});
  }
  /// A call in `parent` at a place that has these frames, innermost first.
  std::uint32_t node(std::uint32_t parent, std::uint32_t object, std::uint64_t offset,
                     std::vector<trace::HostFrame> frames) {
    batch.places.push_back({object, offset, std::move(frames)});
    return add(batch.nodes, trace::HostNode{parent, object, offset, trace::HostNodeKind::Frame});
  }
  std::uint32_t node(std::uint32_t parent, trace::HostNodeKind kind, std::uint64_t offset = 0) {
    return add(batch.nodes, trace::HostNode{parent, trace::kNoHostIndex, offset, kind});
  }
  /// A call that makes the acts of these orders.
  void call(std::uint32_t name, std::uint32_t thread, std::uint32_t node, std::uint64_t began,
            std::uint64_t took, std::initializer_list<std::uint64_t> orders) {
    const std::uint32_t index =
        add(batch.calls, trace::HostCall{name, thread, node, 1000 * began, 1000 * (began + took)});
    for (const std::uint64_t order : orders)
      batch.acts.push_back({order, index});
  }
  /// So many samples, one for each millisecond.
  void samples(std::uint32_t thread, std::uint32_t node, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      batch.samples.push_back({1'000'000 * ++milliseconds_, thread, node, 1'000'000});
  }

  trace::HostBatch batch;

private:
  template <typename Row> static std::uint32_t add(std::vector<Row> &rows, Row row) {
    rows.push_back(std::move(row));
    return static_cast<std::uint32_t>(rows.size() - 1);
  }
  std::uint64_t milliseconds_ = 0;
};

/// main allocates, takes two steps and frees; a step copies (by a function in a library, with one inlined into it), launches and
/// waits. A worker, whose path is cut, sets memory from code that is in no file, and a signal's handler copies back.
///
///     cudaMalloc 40 us, 4096 bytes;  cudaFree 30 us;  cudaMemset 5 us, 64 bytes;  cudaMemcpy of the handler 9 us, 16 bytes
///     each step: cudaMemcpy 20 us, 256 bytes;  cudaLaunchKernel 10 us, 50 us on the device, 64 loads of 4 bytes;
///                cudaDeviceSynchronize 45 us
///     loops: main's around the steps; two in smooth, one in the other, around its samples and what the handler interrupts; upload's around
///     the copy; the kernel's around its loads
///     samples of 1 ms: 6 in smooth, which a step calls; 2 in the step itself, at the launch; 1 in main; 1 of the worker
inline void writeHostTrace(const std::string &path) {
  using enum trace::HostNodeKind;
  constexpr std::uint32_t kNone = trace::kNoHostIndex;
  TraceBuilder trace(path);
  HostRows rows;
  const std::uint32_t malloc = rows.name("cudaMalloc"), memcpy = rows.name("cudaMemcpy"),
                      launch = rows.name("cudaLaunchKernel"), wait = rows.name("cudaDeviceSynchronize"),
                      free = rows.name("cudaFree"), memset = rows.name("cudaMemset");
  const std::uint32_t app = rows.object("/usr/bin/app", "a1b2"), mesh = rows.object("/usr/lib/libmesh.so");
  const std::uint32_t first = rows.thread(100, "app"), worker = rows.thread(101, "worker");
  const std::uint32_t atMalloc = rows.node(kNone, app, 0x1100, {{"main", "app.cpp", 10, 3}});
  const std::uint32_t inMain = rows.node(kNone, app, 0x1120, {{"main", "app.cpp", 12, 5}});
  const std::uint32_t atUpload = rows.node(inMain, app, 0x1210, {{"step(int)", "app.cpp", 22, 3}});
  const std::uint32_t atCopy = rows.node(
      atUpload, mesh, 0x2040, {{"copyIn(void*)", "copy.h", 7, 9}, {"upload(Mesh&)", "mesh.cpp", 31, 0}});
  const std::uint32_t atLaunch = rows.node(inMain, app, 0x1230, {{"step(int)", "app.cpp", 24, 3}});
  const std::uint32_t atWait = rows.node(inMain, app, 0x1250, {{"step(int)", "app.cpp", 25, 3}});
  const std::uint32_t atSmooth = rows.node(inMain, app, 0x1270, {{"step(int)", "app.cpp", 27, 3}});
  const std::uint32_t smooth = rows.node(atSmooth, app, 0x1300, {{"smooth(double*)", "app.cpp", 41, 11}});
  const std::uint32_t atFree = rows.node(kNone, app, 0x1140, {{"main", "app.cpp", 14, 3}});
  const std::uint32_t cut = rows.node(kNone, Cut), compiled = rows.node(cut, UnknownCode, 0x7f0000001234);
  const std::uint32_t interrupted = rows.node(smooth, SignalFrame, 0x1304);
  const std::uint32_t handler = rows.node(interrupted, app, 0x1400, {{"onSignal", "app.cpp", 50, 3}});

  using enum abi::LoopKind;
  rows.batch.loops = {
      {"app.cpp", false, {For, {11, 3}, {13, 3}}},       {"app.cpp", false, {Entry, {11, 8}, {11, 19}}},
      {"app.cpp", false, {While, {39, 3}, {44, 3}}},     {"app.cpp", false, {For, {40, 5}, {43, 5}}},
      {"mesh.cpp", false, {RangeFor, {30, 3}, {32, 3}}}, {"a.cu", true, {Do, {9, 3}, {11, 30}}}};
  trace.table(smallTable());
  trace.allocate(0x10000, 0x1000);
  rows.call(malloc, first, atMalloc, 1000, 40, {trace.order()});
  trace.set(0x10100, 64);
  rows.call(memset, worker, compiled, 1100, 5, {trace.order()});
  for (unsigned turn = 0; turn < 2; ++turn) {
    const std::uint64_t at = 2000 + 1000 * turn;
    trace.copy(trace::CopyKind::HostToDevice, 0x10000, 0x500, 256);
    rows.call(memcpy, first, atCopy, at, 20, {trace.order()});
    const trace::LaunchId id = trace.launch("kernel(cupr::argument::Trace, int*)", {1, 1, 1}, {64, 1, 1});
    Words words;
    for (std::uint32_t warp = 0; warp < 2; ++warp)
      words.strided(0, 0, warp, 0x10000 + 128 * warp, 4);
    trace.records(id, words);
    rows.call(launch, first, atLaunch, at + 30, 10, {trace.order()});
    trace.end(id, 1000 * (at + 35), 1000 * (at + 85));
    trace.synchronise(trace::Synchronisation::Kind::Device);
    rows.call(wait, first, atWait, at + 41, 45, {trace.order()});
  }
  trace.copy(trace::CopyKind::DeviceToHost, 0x500, 0x10000, 16);
  rows.call(memcpy, first, handler, 5000, 9, {trace.order()});
  trace.free(0x10000);
  rows.call(free, first, atFree, 6000, 30, {trace.order()});
  rows.samples(first, smooth, 6);
  rows.samples(first, atLaunch, 2);
  rows.samples(first, inMain, 1);
  rows.samples(worker, compiled, 1);
  rows.batch.samplings.push_back({"perf_event_open", 1'000'000, 10, 1});
  trace.writer->host(rows.batch);
  trace.writer->finish();
}

} // namespace cupr::test

#endif
