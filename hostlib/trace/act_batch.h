/// Many acts of the host as one message: launches that are not traced, allocations and frees.
///
/// A program whose launches are not chosen makes very many of them, and pays for each message: so what is the
/// same of many (kernel, stream, call, place) stands once in a batch, and the rest takes 24 to 48 bytes.
#ifndef CUPR_TRACE_ACT_BATCH_H
#define CUPR_TRACE_ACT_BATCH_H

#include "events.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace cupr::trace {

/// As ActBatch in trace.capnp, which says what holds.
struct ActBatch {
  struct Kernel {
    std::string kernel, mangled, reason, file;
    std::uint32_t line = 0;
    ModuleId module = kNoModule;
    std::size_t textBytes() const { return kernel.size() + mangled.size() + reason.size() + file.size(); }
    friend bool operator==(const Kernel &, const Kernel &) = default;
  };
  struct Stream {
    std::uint64_t id = 0;
    StreamKind kind = StreamKind::Unknown;
    std::uint32_t device = 0;
    friend bool operator==(const Stream &, const Stream &) = default;
  };
  /// As GraphPlace, without the graph.
  struct Node {
    std::uint32_t node = 0;
    std::vector<std::uint32_t> after;
    /// That it takes when it is written out.
    std::size_t bytes() const { return sizeof node + after.size() * sizeof after[0]; }
    friend bool operator==(const Node &, const Node &) = default;
  };
  struct Launch {
    std::uint32_t number = 0, order = 0; ///< count from firstLaunch and firstOrder
    std::uint64_t time = 0;
    std::uint16_t kernel = 0, stream = 0; ///< indices
    std::uint32_t dynamicShared = 0;
    Dim3 grid, block;
    std::uint32_t graph = 0; ///< 0: of none; else counts from firstGraph, and 1 more
    std::uint16_t node = 0;  ///< index, if it is of one
    friend bool operator==(const Launch &, const Launch &) = default;
  };
  /// What the source says of allocations.
  struct Place {
    std::string name, type, file;
    std::uint32_t line = 0, column = 0;
    std::size_t textBytes() const { return name.size() + type.size() + file.size(); }
    friend bool operator==(const Place &, const Place &) = default;
  };
  struct Allocation {
    std::uint64_t address = 0, bytes = 0;
    std::uint32_t order = 0; ///< counts from firstOrder
    MemoryKind kind = MemoryKind::Device;
    std::uint16_t call = 0; ///< index
    std::uint64_t time = 0;
    std::uint16_t place = 0; ///< 0: not known; else an index, and 1 more
    friend bool operator==(const Allocation &, const Allocation &) = default;
  };
  struct Free {
    std::uint64_t address = 0, time = 0;
    std::uint32_t order = 0; ///< counts from firstOrder
    std::uint16_t call = 0;  ///< index
    friend bool operator==(const Free &, const Free &) = default;
  };

  std::uint64_t firstLaunch = 1, firstOrder = 0, firstGraph = 0;
  std::vector<Kernel> kernels;
  std::vector<Stream> streams;
  std::vector<Node> nodes;
  std::vector<std::string> calls;
  std::vector<Place> allocationPlaces;
  std::vector<Launch> launches; ///< by ascending number
  std::vector<Allocation> allocations;
  std::vector<Free> frees;

  std::size_t acts() const { return launches.size() + allocations.size() + frees.size(); }
  LaunchId idOf(const Launch &launch) const { return LaunchId{firstLaunch + launch.number}; }
  /// Each act as its own message would say it.
  trace::Launch whole(const Launch &launch) const;
  trace::Allocation whole(const Allocation &allocation) const;
  trace::Free whole(const Free &free) const;
  friend bool operator==(const ActBatch &, const ActBatch &) = default;
};

/// What one batch may hold at most: acts, and bytes of text and of nodes when each act is written out with its own.
/// So what a trace says is no more than some 40 times as long as the trace.
inline constexpr std::size_t kMaxBatchActs = 1024;
inline constexpr std::size_t kMaxBatchText = 256u << 10;

/// Fills batches. Not for several threads at once.
class ActGather {
public:
  /// Whether it can stand in a batch: it is not traced, and its texts are not very long.
  static bool takes(const Launch &launch);
  /// Whether it can: it is no variable of the device, whose name no other has, and its texts are not very long.
  static bool takes(const Allocation &allocation);
  static bool takes(const Free &) { return true; }

  /// Adds what can stand in a batch. False: it does not fit into this one, which must be taken first.
  bool add(const Launch &launch);
  bool add(const Allocation &allocation);
  bool add(const Free &free);

  /// That have not been taken.
  std::size_t acts() const { return isTaken_ ? 0 : batch_.acts(); }
  /// There are allocations or frees among them.
  bool holdsMemory() const { return acts() > batch_.launches.size(); }
  /// What there is; the next one is empty. Valid until something is added.
  const ActBatch &take();

private:
  using Index = std::unordered_multimap<std::uint64_t, std::uint16_t>;

  bool begin(std::uint64_t order, std::size_t text);
  bool holds(std::uint64_t order) const;
  std::optional<std::uint32_t> stepTo(std::uint64_t order) const;
  std::uint16_t kernelOf(const Launch &launch);
  std::uint16_t streamOf(const Launch &launch);
  std::uint16_t callOf(const std::string &call);
  std::uint16_t placeOf(const ActBatch::Place &place);
  std::uint16_t nodeOf(const GraphPlace &place);

  ActBatch batch_;
  Index kernels_, streams_, nodes_, allocationPlaces_; ///< by hash
  std::size_t text_ = 0;                               ///< bytes, written out
  std::uint64_t latest_ = 0;                           ///< order
  bool isTaken_ = false;
};

} // namespace cupr::trace

#endif
