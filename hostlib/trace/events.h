/// What a trace can say, as plain values: the vocabulary that the runtime writes
/// and the analysis reads. trace.capnp holds the same on disk.
#ifndef CUPR_TRACE_EVENTS_H
#define CUPR_TRACE_EVENTS_H

#include <cstdint>
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

/// The blocks of a launch that are recorded: those whose linear number n (devicelib/abi/record.h) has
/// first <= n < end and is divisible by the period.
struct CtaSelection {
  std::uint64_t first = 0, end = UINT64_MAX, period = 1;
  bool isAll() const { return first == 0 && end == UINT64_MAX && period == 1; }
};

/// A kernel launch. `order` counts launches, copies, sets and synchronisations
/// of the process together, in the order of the host's calls.
struct Launch {
  LaunchId id{};
  std::uint64_t order = 0;
  std::string kernel; ///< demangled, with parameters
  std::string mangled;
  Dim3 grid, block;
  std::uint32_t dynamicShared = 0; ///< bytes
  std::uint64_t stream = 0;        ///< never reused: cudaStreamGetId
  std::uint32_t device = 0;
  ModuleId module = kNoModule;
  bool traced = false;
  std::string reason; ///< why it is not traced; empty when it is
  std::string file;   ///< of the launch in the source; empty: unknown
  std::uint32_t line = 0;
  std::uint64_t time = 0; ///< of the call, nanoseconds since Process::startTime
  CtaSelection ctas;
};

/// What is known when a launch's records have all arrived. Counts are per thread.
struct LaunchEnd {
  LaunchId id{};
  bool complete = false;
  std::string reason;            ///< why it is not complete, or that the launch failed; else empty
  std::uint64_t recordWords = 0; ///< 16-byte words handed to Writer::records for this launch, pads excluded
  std::uint64_t waits = 0;       ///< times that a warp waited for space
  std::uint64_t time = 0;        ///< nanoseconds since Process::startTime
};

/// Kinds of memory that a program can allocate.
enum class MemoryKind : std::uint8_t { Device, Managed, Host, Pitched, Array, Pool, Symbol };

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  std::string call; ///< "cudaMalloc", or "__device__" for a symbol
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
  std::uint64_t order = 0;
  std::uint64_t time = 0;
};

struct Set {
  std::uint64_t destination = 0;
  std::uint64_t rowBytes = 0, rows = 1, pitch = 0;
  bool asynchronous = false;
  std::uint64_t stream = 0;
  std::uint64_t order = 0;
  std::uint64_t time = 0;
};

/// A call that orders work: which, on which streams and event.
struct Synchronisation {
  enum class Kind : std::uint8_t { Device, Stream, Event, EventRecord, StreamWaitEvent };
  Kind kind = Kind::Device;
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
  std::uint64_t order = 0;
  std::uint64_t time = 0;
};

} // namespace cupr::trace

#endif
