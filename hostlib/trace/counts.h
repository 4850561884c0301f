/// Totals of what a launch's records say, per thread rather than per warp.
#ifndef CUPR_TRACE_COUNTS_H
#define CUPR_TRACE_COUNTS_H

#include "devicelib/abi/operation.h"
#include "devicelib/abi/record.h"

#include <cstdint>

namespace cupr::trace {

struct Counts {
  std::uint64_t loads = 0, stores = 0, atomics = 0;
  std::uint64_t loadBytes = 0, storeBytes = 0, atomicBytes = 0;

  /// Counts one record: `threads` threads each access `bytes` bytes.
  void add(abi::OperationClass operation, std::uint64_t threads, std::uint64_t bytes) {
    switch (operation) {
    case abi::OperationClass::Load:
      loads += threads;
      loadBytes += threads * bytes;
      break;
    case abi::OperationClass::Store:
      stores += threads;
      storeBytes += threads * bytes;
      break;
    case abi::OperationClass::Atomic:
      atomics += threads;
      atomicBytes += threads * bytes;
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

  friend bool operator==(const Counts &, const Counts &) = default;
};

} // namespace cupr::trace

#endif
