/// What the program's own threads did: the calls of the CUDA API, from where, how long each took, and where the threads
/// spent their processor time. What the runtime writes; trace.capnp holds the same on disk, packed (packed_host.h).
///
/// Call paths are a tree. A node is a place in the program's code, its parent the place that called it, so 400,000 calls
/// from a few hundred places are a few thousand nodes. Rows name each other by index; indices count over all batches of
/// a trace, from 0: a batch goes on where the one before it ended.
#ifndef CUPR_TRACE_HOST_BATCH_H
#define CUPR_TRACE_HOST_BATCH_H

#include "devicelib/abi/source_loops.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::trace {

/// In the place of an index: there is none, or it is not known.
inline constexpr std::uint32_t kNoHostIndex = 0xffffffffu;

enum class HostNodeKind : std::uint8_t {
  Frame,       ///< code of an object
  SignalFrame, ///< a signal's handler was entered from there
  UnknownCode, ///< code of no ELF file, compiled while the program ran: `offset` is the address
  Cut,         ///< outermost; the path further out could not be followed, and its children are what was known
};
inline constexpr unsigned kHostNodeKinds = 4;

/// An ELF file that the program consists of.
struct HostObject {
  std::string path;
  std::string buildId; ///< in hexadecimal digits; empty: unknown
  friend bool operator==(const HostObject &, const HostObject &) = default;
};

struct HostThread {
  std::uint64_t id = 0; ///< the kernel's
  std::string name;
  friend bool operator==(const HostThread &, const HostThread &) = default;
};

struct HostNode {
  std::uint32_t parent = kNoHostIndex; ///< an earlier node; none: it is outermost
  std::uint32_t object = kNoHostIndex;
  /// Of the return address less 1, i.e. inside the call, from the object's load bias: the ELF file's own virtual address.
  std::uint64_t offset = 0;
  HostNodeKind kind = HostNodeKind::Frame;
  friend bool operator==(const HostNode &, const HostNode &) = default;
};

/// A call of the CUDA API by the program. Calls that a call makes in turn are part of it.
struct HostCall {
  std::uint32_t name = 0, thread = 0;
  std::uint32_t node = kNoHostIndex;  ///< of the caller; none: it is not known
  std::uint64_t began = 0, ended = 0; ///< in ns since the process's start time
  friend bool operator==(const HostCall &, const HostCall &) = default;
};

/// An act that a call made. Several acts may be one call's, and a call may make none.
struct HostAct {
  std::uint64_t order = 0; ///< of a launch, copy, set, synchronisation, allocation, free or image object
  std::uint64_t call = 0;
  friend bool operator==(const HostAct &, const HostAct &) = default;
};

/// Where a thread was when it had used so much processor time.
struct HostSample {
  std::uint64_t time = 0; ///< in ns since the process's start time
  std::uint32_t thread = 0;
  std::uint32_t node = kNoHostIndex;
  std::uint64_t weight = 0; ///< ns of processor time that it stands for
  friend bool operator==(const HostSample &, const HostSample &) = default;
};

/// How samples were taken.
struct HostSampling {
  std::string source;                    ///< "perf_event_open" or "timer"
  std::uint64_t period = 0;              ///< ns of processor time between samples, as asked for
  std::uint64_t delivered = 0, lost = 0; ///< samples
  friend bool operator==(const HostSampling &, const HostSampling &) = default;
};

/// A function at a place in the code, and where in the source.
struct HostFrame {
  std::string function, file;         ///< empty: not known
  std::uint32_t line = 0, column = 0; ///< 0: not known
  friend bool operator==(const HostFrame &, const HostFrame &) = default;
};

/// What nodes of this object and offset are in the source. It is written once: at the program's end, or when a fault is said before.
struct HostPlace {
  std::uint32_t object = 0;
  std::uint64_t offset = 0;
  std::vector<HostFrame> frames; ///< innermost (inlined) first, the function itself last
  friend bool operator==(const HostPlace &, const HostPlace &) = default;
};

/// A call of CUDA's runtime that has failed, and whose error the program has not looked at.
struct HostFailure {
  std::string call, error, text;     ///< "cudaMemcpy", "cudaErrorInvalidValue", "invalid argument"
  std::uint32_t node = kNoHostIndex; ///< of the caller; none: it is not known
  std::uint64_t count = 0;           ///< how often there
  friend bool operator==(const HostFailure &, const HostFailure &) = default;
};

/// Accesses of the host's code at one place, of memory that the device reaches, too, while there was work that the host had not waited for.
struct HostAccess {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;               ///< from each address on
  std::uint64_t stride = 0;              ///< bytes from one address to the next; 0: there is one
  std::uint64_t elements = 1, times = 1; ///< addresses; accesses
  std::uint64_t after = 0;               ///< order of the latest act that the host had called
  std::uint64_t since = 0;               ///< acts up to this order the host may have known to be over
  std::uint32_t thread = 0;
  std::uint32_t node = kNoHostIndex; ///< of the first of them; none: it is not known
  std::uint64_t place = 0;           ///< those of one place of the source have the same; 0: it is not known
  bool writes = false;               ///< else it reads alone
  bool isStrong = false;             ///< atomic or volatile
  friend bool operator==(const HostAccess &, const HostAccess &) = default;
};

/// A source loop, or what bounds one (devicelib/abi/source_loops.h), that holds a place of any frame.
struct HostLoop {
  std::string file;        ///< as frames of that side name it
  bool isOfDevice = false; ///< frames of sites lie in it; else those of places
  abi::SourceLoop extent{};
  friend bool operator==(const HostLoop &, const HostLoop &) = default;
};

struct HostBatch {
  std::vector<std::string> names; ///< of functions of the CUDA API
  std::vector<HostObject> objects;
  std::vector<HostThread> threads;
  std::vector<HostNode> nodes;
  std::vector<HostCall> calls;
  std::vector<HostAct> acts;
  std::vector<HostSample> samples;
  std::vector<HostSampling> samplings;
  std::vector<HostPlace> places;
  std::vector<HostLoop> loops; ///< may name one several times
  std::vector<HostFailure> failures;
  std::vector<HostAccess> accesses;
  /// What stands in the batch behind this one.
  HostBatch &operator+=(const HostBatch &next);
  friend bool operator==(const HostBatch &, const HostBatch &) = default;
};

/// How many there are of what other rows name.
struct HostCounts {
  std::uint64_t names = 0, objects = 0, threads = 0, nodes = 0, calls = 0;
  HostCounts &operator+=(const HostBatch &batch);
  friend bool operator==(const HostCounts &, const HostCounts &) = default;
};

/// The rule between the rows of trace.capnp that a batch breaks which stands behind `first` others; empty: none.
std::string brokenHostRule(const HostBatch &batch, const HostCounts &first);

} // namespace cupr::trace

#endif
