/// What memory held when launches began, so far as slices look it up (hostlib/trace/snapshot.h).
#ifndef CUPR_ANALYSIS_LAUNCH_MEMORY_H
#define CUPR_ANALYSIS_LAUNCH_MEMORY_H

#include "hostlib/trace/snapshot.h"
#include "hostlib/trace/work_limit.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace cupr::analysis {

/// A launch's accesses can't be derived: they follow from memory of which the trace does not say what it held.
struct UnknownMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The memory that one launch may look up. Any number of threads may.
class LaunchMemory {
public:
  bool isEmpty() const { return ranges_.empty(); }
  /// The number that `bytes` bytes at the address held, little endian; 1 to 8 bytes. Throws UnknownMemory.
  std::uint64_t at(std::uint64_t address, unsigned bytes) const;
  /// Whether any of these bytes lies in it.
  bool meets(std::uint64_t address, std::uint64_t bytes) const;

  /// Looks up one place after the other, soonest near the one before. Each thread has its own.
  class Look {
  public:
    explicit Look(const LaunchMemory &memory) : memory_(memory) {}
    /// As LaunchMemory::at().
    std::uint64_t at(std::uint64_t address, unsigned bytes) {
      const std::uint64_t offset = address - begin_;
      if (offset >= size_ || bytes > size_ - offset)
        return elsewhere(address, bytes);
      const std::byte *const place = bytes_ + offset;
      switch (bytes) { // most are of these sizes, which take one instruction
      case 1:
        return std::to_integer<std::uint8_t>(*place);
      case 4:
        return numberAt<std::uint32_t>(place);
      case 8:
        return numberAt<std::uint64_t>(place);
      default:
        std::uint64_t value = 0;
        std::memcpy(&value, place, bytes);
        return value;
      }
    }

  private:
    template <typename Number> static Number numberAt(const std::byte *place) {
      Number value;
      std::memcpy(&value, place, sizeof value);
      return value;
    }
    std::uint64_t elsewhere(std::uint64_t address, unsigned bytes);

    const LaunchMemory &memory_;
    const std::byte *bytes_ = nullptr; ///< of the piece of a snapshot that was looked into last
    std::uint64_t begin_ = 0, size_ = 0;
  };

private:
  friend class MemorySnapshots;
  using Piece = std::shared_ptr<const std::vector<std::byte>>;
  struct Range {
    std::uint64_t address, bytes;
    std::vector<Piece> pieces;
  };
  std::vector<Range> ranges_;
};

/// The snapshots of a trace.
class MemorySnapshots {
public:
  /// Takes what the trace says. Returns the rule of trace.capnp that it breaks; empty: none. Throws trace::TooMuch.
  std::string add(trace::Contents &&contents, trace::WorkLimit &limit);
  std::string add(trace::Snapshot &&snapshot, trace::WorkLimit &limit);

  /// The memory of a launch that names these snapshots. Throws trace::TooMuch, UnknownMemory.
  LaunchMemory memoryOf(std::span<const std::uint32_t> snapshots, trace::WorkLimit &limit);

private:
  struct Known {
    trace::Contents packed;
    LaunchMemory::Piece bytes; ///< null: nobody has asked for it
  };
  const LaunchMemory::Piece &unpacked(std::uint32_t contents, trace::WorkLimit &limit);

  std::vector<Known> contents_;
  std::vector<trace::Snapshot> snapshots_;
};

} // namespace cupr::analysis

#endif
