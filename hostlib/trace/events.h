/// What a trace can say, as plain values: the vocabulary that the runtime writes
/// and the analysis reads. trace.capnp holds the same on disk.
#ifndef CUPR_TRACE_EVENTS_H
#define CUPR_TRACE_EVENTS_H

#include "devicelib/abi/latency_scheme.h"

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
/// Value of a slice that a launch has not got.
inline constexpr std::uint32_t kNoSlice = 0xffffffffu;

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

/// Where in a launch of a CUDA graph a launch, copy or set stands. The acts of one such launch share its
/// number; those of one node the node's.
struct GraphPlace {
  std::uint64_t graph = 0; ///< from 1; 0: it is not of a graph, and the rest means nothing
  std::uint32_t node = 0;  ///< numbered in an order in which they may run
  std::vector<std::uint32_t>
      after; ///< nodes that it waits for, ascending, all below its own; the rest follows from these
  friend bool operator==(const GraphPlace &, const GraphPlace &) = default;
};

/// Kinds of memory that a program can allocate.
enum class MemoryKind : std::uint8_t { Device, Managed, Host, Pitched, Array, Pool, Symbol };
/// Texture objects and surface objects, and what they read.
enum class ImageKind : std::uint8_t { Texture, Surface };
enum class ImageResource : std::uint8_t { Array, MipmappedArray, Linear, Pitched };
enum class CopyKind : std::uint8_t { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice };
enum class SynchronisationKind : std::uint8_t { Device, Stream, Event, EventRecord, StreamWaitEvent };

// The fields of what follows are in events.def, with their meaning.
#define CUPR_FIELD(type, member, initial, ...) type member = initial;
#define CUPR_PART(type, member, ...) type member{};

/// A kernel launch. `order` counts launches, copies, sets and synchronisations of the process together, in the
/// order of the host's calls.
struct Launch {
#define CUPR_LAUNCH CUPR_FIELD
#define CUPR_LAUNCH_OWN CUPR_FIELD
#define CUPR_LAUNCH_PART CUPR_PART
#include "events.def"
  /// What the launch says of the inputs of its slice (Slice::launchInputs).
  std::vector<std::uint64_t> sliceValues;

  /// Its accesses follow from `slice`, and its records say which blocks began.
  bool isDerived() const { return slice != kNoSlice; }
};

/// How often threads made the access of a site.
struct SiteCount {
  std::uint32_t site = 0; ///< index in the launch's module
  std::uint64_t accesses = 0;
  friend bool operator==(const SiteCount &, const SiteCount &) = default;
};

/// What is known when a launch's records have all arrived. Counts are per thread.
struct LaunchEnd {
#define CUPR_LAUNCH_END_OWN CUPR_FIELD
#include "events.def"
  /// What the device has counted beside recording it, by ascending site, without zeros; none: it has not.
  std::optional<std::vector<SiteCount>> siteCounts;
  /// Snapshot::id of what the launch's slice may look up.
  std::vector<std::uint32_t> snapshots;

  /// All accesses that the device has counted.
  std::uint64_t countedAccesses() const {
    std::uint64_t all = 0;
    if (siteCounts)
      for (const SiteCount &count : *siteCounts)
        all += count.accesses;
    return all;
  }
};

/// Memory that the program allocated. `call`: "cudaMalloc", "__device__" for a symbol, "found" for what a kernel
/// got unannounced.
struct Allocation {
#define CUPR_ALLOCATION CUPR_FIELD
#include "events.def"
  /// Kernels reach it by the addresses from `address` on: that of an array is its handle.
  bool isAddressed() const { return kind != MemoryKind::Array; }
};

struct Free {
#define CUPR_FREE_OWN CUPR_FIELD
#include "events.def"
};

/// An object that kernels fetch by was made, or destroyed.
struct ImageObject {
#define CUPR_IMAGE_OBJECT CUPR_FIELD
#define CUPR_IMAGE_OBJECT_OWN CUPR_FIELD
#include "events.def"
};

/// `rows` rows of `rowBytes` bytes; one row for a plain copy.
struct Copy {
#define CUPR_COPY CUPR_FIELD
#define CUPR_COPY_PART CUPR_PART
#include "events.def"
};

struct Set {
#define CUPR_SET CUPR_FIELD
#define CUPR_SET_PART CUPR_PART
#include "events.def"
};

/// A call that orders work: which, on which streams and event.
struct Synchronisation {
  using Kind = SynchronisationKind;
#define CUPR_SYNCHRONISATION CUPR_FIELD
#include "events.def"
};

#undef CUPR_FIELD
#undef CUPR_PART

} // namespace cupr::trace

#endif
