/// What caches make of accesses, in sectors of 32 bytes.
#ifndef CUPR_ANALYSIS_CACHE_FIGURES_H
#define CUPR_ANALYSIS_CACHE_FIGURES_H

#include "access_runs.h"

#include <cstdint>

namespace cupr::analysis {

struct CacheFigures {
  // Looked up in L1, and found there.
  std::uint64_t loads = 0, loadHits = 0, stores = 0, storeHits = 0;
  std::uint64_t atomics = 0; ///< and volatile loads: they are not looked up
  // What came to L2 of these, and was found there.
  std::uint64_t reads = 0, readHits = 0, writes = 0, l2Atomics = 0, l2AtomicHits = 0;
  std::uint64_t fetched = 0; ///< that L2 read from memory for them
  std::uint64_t dirtied = 0; ///< that they made differ from memory, to which L2 writes them at some time

  std::uint64_t l1Sectors() const { return loads + stores + atomics; }
  std::uint64_t l1Hits() const { return loadHits + storeHits; }
  std::uint64_t l2Sectors() const { return reads + writes + l2Atomics; }
  /// What is written is there then.
  std::uint64_t l2Hits() const { return readHits + writes + l2AtomicHits; }
  std::uint64_t memoryReadBytes() const { return fetched * kSectorBytes; }
  std::uint64_t memoryWriteBytes() const { return dirtied * kSectorBytes; }
  CacheFigures &operator+=(const CacheFigures &more) {
    loads += more.loads;
    loadHits += more.loadHits;
    stores += more.stores;
    storeHits += more.storeHits;
    atomics += more.atomics;
    reads += more.reads;
    readHits += more.readHits;
    writes += more.writes;
    l2Atomics += more.l2Atomics;
    l2AtomicHits += more.l2AtomicHits;
    fetched += more.fetched;
    dirtied += more.dirtied;
    return *this;
  }
  friend bool operator==(const CacheFigures &, const CacheFigures &) = default;
};

} // namespace cupr::analysis

#endif
