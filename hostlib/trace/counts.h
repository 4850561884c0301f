/// Totals of what a launch's records say, per thread rather than per warp.
#ifndef CUPR_TRACE_COUNTS_H
#define CUPR_TRACE_COUNTS_H

#include "devicelib/abi/memory_space.h"
#include "devicelib/abi/operation.h"
#include "devicelib/abi/record.h"

#include <cstdint>

namespace cupr::trace {

struct Counts {
  std::uint64_t loads = 0, stores = 0, atomics = 0;
  std::uint64_t loadBytes = 0, storeBytes = 0, atomicBytes = 0;

  std::uint64_t accesses() const { return loads + stores + atomics; }
  std::uint64_t bytes() const { return loadBytes + storeBytes + atomicBytes; }

  /// Counts one record: `threads` threads access `bytes` bytes altogether.
  void add(abi::OperationClass operation, std::uint64_t threads, std::uint64_t bytes) {
    switch (operation) {
    case abi::OperationClass::Load:
      loads += threads;
      loadBytes += bytes;
      break;
    case abi::OperationClass::Store:
      stores += threads;
      storeBytes += bytes;
      break;
    case abi::OperationClass::Atomic:
      atomics += threads;
      atomicBytes += bytes;
      break;
    case abi::OperationClass::Synchronisation:
    case abi::OperationClass::Declaration:
    case abi::OperationClass::Execution:
      break;
    }
  }

  Counts &operator+=(const Counts &other) {
    loads += other.loads;
    stores += other.stores;
    atomics += other.atomics;
    loadBytes += other.loadBytes;
    storeBytes += other.storeBytes;
    atomicBytes += other.atomicBytes;
    return *this;
  }

  /// `other` must be a part of this.
  Counts &operator-=(const Counts &other) {
    loads -= other.loads;
    stores -= other.stores;
    atomics -= other.atomics;
    loadBytes -= other.loadBytes;
    storeBytes -= other.storeBytes;
    atomicBytes -= other.atomicBytes;
    return *this;
  }

  friend bool operator==(const Counts &, const Counts &) = default;
};

/// Counts for each kind of memory.
struct SpaceCounts {
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName) Counts name;
#include "devicelib/abi/memory_space.def"

  Counts &in(abi::MemorySpace space) {
    switch (space) {
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName)                                           \
  case abi::MemorySpace::enumerator:                                                                         \
    return name;
#include "devicelib/abi/memory_space.def"
    }
    return global;
  }
  const Counts &in(abi::MemorySpace space) const { return const_cast<SpaceCounts *>(this)->in(space); }
  std::uint64_t accesses() const {
    return 0
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName) +name.accesses()
#include "devicelib/abi/memory_space.def"
        ;
  }

  SpaceCounts &operator+=(const SpaceCounts &other) {
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName) name += other.name;
#include "devicelib/abi/memory_space.def"
    return *this;
  }

  /// `other` must be a part of this.
  SpaceCounts &operator-=(const SpaceCounts &other) {
#define CUPR_MEMORY_SPACE(enumerator, name, addressSpace, ptxName) name -= other.name;
#include "devicelib/abi/memory_space.def"
    return *this;
  }

  friend bool operator==(const SpaceCounts &, const SpaceCounts &) = default;
};

} // namespace cupr::trace

#endif
