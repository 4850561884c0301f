/// What a trace can say, as plain values: the vocabulary that the runtime writes
/// and the analysis reads. trace.capnp holds the same on disk.
#ifndef CUPR_TRACE_EVENTS_H
#define CUPR_TRACE_EVENTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cupr::trace {

/// Number of a launch in the process, from 1, in the order of the launch calls.
enum class LaunchId : std::uint64_t {};
/// Index of a module in the trace, from 0, in the order of their first launch.
enum class ModuleId : std::uint32_t {};
/// Value of a module that a launch has not got (its code was not instrumented).
inline constexpr ModuleId kNoModule{0xffffffffu};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Dim3 &, const Dim3 &) = default;
};

struct Process {
  std::string program;                ///< path of the executable
  std::vector<std::string> arguments; ///< argv
  std::uint64_t pid = 0;
  std::string deviceKind;      ///< "gpu" or "cpu"
  std::string deviceName;      ///< as the CUDA runtime calls it
  std::uint64_t startTime = 0; ///< nanoseconds since the epoch
};

/// The blocks of a launch that are recorded: those whose linear number n (devicelib/abi/record_head.h) has
/// first <= n < end and is divisible by the period.
struct CtaSelection {
  std::uint64_t first = 0, end = UINT64_MAX, period = 1;
  bool isAll() const { return first == 0 && end == UINT64_MAX && period == 1; }
};

/// What a stream waits for by itself: the legacy default stream and the blocking streams wait for each other,
/// and a non-blocking stream for none. Unknown: the trace is from before kinds were recorded.
enum class StreamKind : std::uint8_t { Unknown, Legacy, Blocking, NonBlocking };

/// A kernel launch. `order` counts launches, copies, sets and synchronisations
/// of the process together, in the order of the host's calls.
/// Where in a launch of a CUDA graph a launch, copy or set stands. The acts of one such launch share its
/// number; those of one node the node's.
struct GraphPlace {
  std::uint64_t graph = 0; ///< from 1; 0: it is not of a graph, and the rest means nothing
  std::uint32_t node = 0;  ///< numbered in an order in which they may run
  std::vector<std::uint32_t>
      after; ///< nodes that it waits for, ascending, all below its own; the rest follows from these
  friend bool operator==(const GraphPlace &, const GraphPlace &) = default;
};

struct Launch {
  LaunchId id{};
  std::uint64_t order = 0;
  std::string kernel; ///< demangled, with parameters
  std::string mangled;
  Dim3 grid, block;
  std::uint32_t dynamicShared = 0; ///< bytes
  std::uint64_t stream = 0;        ///< never reused: cudaStreamGetId
  StreamKind streamKind = StreamKind::Unknown;
  std::uint32_t device = 0;
  ModuleId module = kNoModule;
  bool traced = false;
  std::string reason; ///< why it is not traced; empty when it is
  std::string file;   ///< of the launch in the source; empty: unknown
  std::uint32_t line = 0;
  std::uint64_t time = 0; ///< of the call, nanoseconds since Process::startTime
  CtaSelection ctas;
  GraphPlace place;
};

/// How often threads made the access of a site.
struct SiteCount {
  std::uint32_t site = 0; ///< index in the launch's module
  std::uint64_t accesses = 0;
  friend bool operator==(const SiteCount &, const SiteCount &) = default;
};

/// What is known when a launch's records have all arrived. Counts are per thread.
struct LaunchEnd {
  LaunchId id{};
  bool complete = false;
  std::string reason;            ///< why it is not complete, or that the launch failed; else empty
  std::uint64_t recordWords = 0; ///< 16-byte words handed to Writer::records for this launch, pads excluded
  std::uint64_t waits = 0;       ///< times that a warp waited for space
  std::uint64_t time = 0;        ///< nanoseconds since Process::startTime
  std::uint64_t began = 0;       ///< on the device, as `time`; 0: not known
  std::uint64_t ended = 0;       ///< likewise
  std::uint64_t dropped = 0;     ///< accesses that were not recorded, since the record buffer was full
  /// What the device has counted beside recording it, by ascending site, without zeros; none: it has not.
  std::optional<std::vector<SiteCount>> siteCounts;

  /// All accesses that the device has counted.
  std::uint64_t countedAccesses() const {
    std::uint64_t all = 0;
    if (siteCounts)
      for (const SiteCount &count : *siteCounts)
        all += count.accesses;
    return all;
  }
};

/// Kinds of memory that a program can allocate.
enum class MemoryKind : std::uint8_t { Device, Managed, Host, Pitched, Array, Pool, Symbol };

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  std::string call; ///< "cudaMalloc", "__device__" for a symbol, "found" for what a kernel got unannounced
  std::string name; ///< variable name where known
  std::uint64_t order = 0;
  std::uint64_t time = 0;
};

struct Free {
  std::uint64_t address = 0;
  std::string call;
  std::uint64_t order = 0;
  std::uint64_t time = 0;
};

enum class CopyKind : std::uint8_t { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice };

/// `rows` rows of `rowBytes` bytes; one row for a plain copy.
struct Copy {
  std::uint64_t destination = 0, source = 0;
  std::uint64_t rowBytes = 0, rows = 1;
  std::uint64_t destinationPitch = 0, sourcePitch = 0;
  CopyKind kind = CopyKind::HostToDevice;
  bool asynchronous = false;
  std::uint64_t stream = 0;
  StreamKind streamKind = StreamKind::Unknown;
  std::uint64_t order = 0;
  std::uint64_t time = 0;
  GraphPlace place{};
};

struct Set {
  std::uint64_t destination = 0;
  std::uint64_t rowBytes = 0, rows = 1, pitch = 0;
  bool asynchronous = false;
  std::uint64_t stream = 0;
  StreamKind streamKind = StreamKind::Unknown;
  std::uint64_t order = 0;
  std::uint64_t time = 0;
  GraphPlace place{};
};

/// A call that orders work: which, on which streams and event.
struct Synchronisation {
  enum class Kind : std::uint8_t { Device, Stream, Event, EventRecord, StreamWaitEvent };
  Kind kind = Kind::Device;
  std::uint64_t stream = 0;
  StreamKind streamKind = StreamKind::Unknown;
  std::uint64_t event = 0;
  std::uint64_t order = 0;
  std::uint64_t time = 0;
};

} // namespace cupr::trace

#endif
