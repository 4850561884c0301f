/// What caches of other sizes would make of accesses, and what translates their addresses.
///
/// Sectors are counted by the distance at which their line is used again (reuse_stack.h): a cache that has room for so many lines has them.
/// What is used for the first time no cache has.
#ifndef CUPR_ANALYSIS_CACHE_REUSE_H
#define CUPR_ANALYSIS_CACHE_REUSE_H

#include "reuse_stack.h"
#include "sector_cache.h"
#include "sum_at.h"

#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace cupr::analysis {

struct ReuseFigures {
  std::uint64_t first = 0; ///< sectors that were not used before
  /// Sectors that a cache of 2^i lines has, and one of half the size has not.
  std::vector<std::uint64_t> again;

  void addAgain(std::uint64_t distance, unsigned sectors) {
    sumAt(again, static_cast<std::size_t>(std::bit_width(distance))) += sectors;
  }
  std::uint64_t allAgain() const { return std::accumulate(again.begin(), again.end(), std::uint64_t{0}); }
  std::uint64_t all() const { return first + allAgain(); }
  /// The least power of two, in bytes, of a cache that has `percent` of what is used again; none: nothing is.
  std::optional<std::uint64_t> bytesFor(unsigned percent) const {
    const std::uint64_t of = allAgain(), wanted = of / 100 * percent + (of % 100 * percent + 99) / 100;
    std::uint64_t had = 0;
    for (std::size_t i = 0; i < again.size(); ++i)
      if ((had += again[i]) != 0 && had >= wanted)
        return std::uint64_t{kLineBytes} << i;
    return std::nullopt;
  }
  ReuseFigures &operator+=(const ReuseFigures &more) {
    first += more.first;
    for (std::size_t i = 0; i < more.again.size(); ++i)
      sumAt(again, i) += more.again[i];
    return *this;
  }
  friend bool operator==(const ReuseFigures &, const ReuseFigures &) = default;
};

struct CacheReuse {
  ReuseFigures l1; ///< of loads that ask L1
  ReuseFigures l2; ///< of what reads in L2: atomics, and loads that L1 does not answer
  /// Pages that requests asked the multiprocessor's TLB for, and those that it had.
  std::uint64_t pages = 0, pageHits = 0;

  CacheReuse &operator+=(const CacheReuse &more) {
    l1 += more.l1;
    l2 += more.l2;
    pages += more.pages;
    pageHits += more.pageHits;
    return *this;
  }
  friend bool operator==(const CacheReuse &, const CacheReuse &) = default;
};

/// By site of a module, and by allocation.
struct ReuseSums {
  std::vector<CacheReuse> sites, allocations;

  /// What `add` does to a CacheReuse.
  template <typename Add> void add(std::uint32_t site, std::uint32_t allocation, const Add &add) {
    add(sumAt(sites, site));
    add(sumAt(allocations, allocation));
  }
  void clear() {
    sites.clear();
    allocations.clear();
  }
};

/// Of a multiprocessor, launch by launch.
class MultiprocessorReuse {
public:
  void begin() {
    lines_.clear();
    pages_.clear();
    sums.clear();
  }
  void load(std::uint32_t site, std::uint32_t allocation, const LineSectors &of) {
    const auto [distance, line] = lines_.use(of.line);
    const auto known = static_cast<std::uint8_t>(of.sectors & line.parts);
    line.parts |= of.sectors;
    sums.add(site, allocation, [&, distance = distance](CacheReuse &reuse) {
      const auto again = static_cast<unsigned>(std::popcount(known));
      reuse.l1.first += of.count() - again;
      if (again != 0)
        reuse.l1.addAgain(*distance, again);
    });
  }
  void store(const LineSectors &of) { lines_.use(of.line).thing.parts |= of.complete; }
  /// The pages of a request, each once.
  void translate(std::uint32_t site, std::uint32_t allocation, std::uint64_t page) {
    const auto distance = pages_.use(page).distance;
    sums.add(site, allocation, [&](CacheReuse &reuse) {
      ++reuse.pages;
      reuse.pageHits += distance && *distance < kTlbPages;
    });
  }
  std::size_t lines() const { return lines_.size(); }

  ReuseSums sums;

  static constexpr std::uint64_t kPageBytes = 2 << 20;
  /// As on a V100 and a T4 (Z. Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking, 2018: 32 MiB).
  static constexpr std::uint64_t kTlbPages = 16;

private:
  ReuseStack lines_, pages_;
};

} // namespace cupr::analysis

#endif
