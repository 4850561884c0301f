/// A page of memory as the check sees it: what of it has been written, and who accesses it in the present launch.
#ifndef CUPR_ANALYSIS_CHECK_MEMORY_PAGE_H
#define CUPR_ANALYSIS_CHECK_MEMORY_PAGE_H

#include "analysis/engine/access_runs.h"
#include "analysis/engine/ranges.h"
#include "analysis/model/ordering.h"
#include "shared_page.h"
#include "warp_step.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace cupr::analysis {

inline constexpr unsigned kCheckPageShift = 11;
inline constexpr std::uint32_t kCheckPageBytes = 1u << kCheckPageShift;

/// Calls `visit(page, lanes)` for each page that these lanes of a step access; lanes that follow each other in one page come together.
template <typename Visit>
void forPagesOf(const ChunkSteps &chunk, const WarpStep &step, std::uint32_t lanes, Visit visit) {
  if (step.isInPage && step.bytes != 0)
    return visit(chunk.addressOf(step, static_cast<unsigned>(std::countr_zero(lanes))) >> kCheckPageShift,
                 lanes);
  std::uint64_t page = UINT64_MAX;
  std::uint32_t together = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const Range range = accessRange(chunk.addressOf(step, lane), chunk.bytesOf(step, lane));
    if (range.begin == range.end)
      continue;
    const std::uint64_t first = range.begin >> kCheckPageShift, last = (range.end - 1) >> kCheckPageShift;
    for (std::uint64_t here = first; here <= last; ++here) {
      if (here != page && together != 0)
        visit(page, std::exchange(together, 0));
      page = here;
      together |= 1u << lane;
    }
  }
  if (together != 0)
    visit(page, together);
}

/// An access of a launch that is over, or of the host.
struct PastAccess {
  Act act = kNoAct;
  LaunchIndex launch = kHost;
  Moment who;
};

/// Cells are of four bytes each, until an access is smaller, or lies across two of them: then of one.
template <typename T> class CellPlane {
public:
  bool isThere() const { return cells_ != nullptr; }
  T *cells() { return cells_.get(); }
  const T *cells() const { return cells_.get(); }
  /// Makes it if it isn't there. `cellBytes`: 4 or 1.
  T *make(std::uint32_t cellBytes) {
    if (!cells_)
      cells_ = std::make_unique<T[]>(kCheckPageBytes / cellBytes);
    return cells_.get();
  }
  /// The same, of four bytes each, from what others have left; counts what is made.
  T *make(std::vector<std::unique_ptr<T[]>> &left, std::uint64_t &held) {
    if (cells_)
      return cells_.get();
    held += sizeof(T) * (kCheckPageBytes / 4);
    if (left.empty())
      return make(4);
    cells_ = std::move(left.back());
    left.pop_back();
    std::fill_n(cells_.get(), kCheckPageBytes / 4, T{});
    return cells_.get();
  }
  void leave(std::vector<std::unique_ptr<T[]>> &left) {
    if (cells_)
      left.push_back(std::move(cells_));
  }
  /// From four bytes to one.
  void refine() {
    if (!cells_)
      return;
    auto fine = std::make_unique<T[]>(kCheckPageBytes);
    for (std::uint32_t i = 0; i < kCheckPageBytes; ++i)
      fine[i] = cells_[i / 4];
    cells_ = std::move(fine);
  }
  void drop() { cells_.reset(); }

private:
  std::unique_ptr<T[]> cells_;
};

inline constexpr std::uint32_t kSectors = kCheckPageBytes / kSectorBytes;

/// The same as a page's cells, of sectors that are each accessed as a whole, by lanes that follow each other: what their first lane did,
/// from which that of the others follows. Most pages need no more, which takes an eighth of the memory and of the time.
struct SectorPlanes {
  std::array<Moment, kSectors> written, updated, alsoUpdated, read, alsoRead;
  std::array<std::array<Moment, kSectors> *, 5> all() {
    return {&written, &updated, &alsoUpdated, &read, &alsoRead};
  }
};

struct CheckPage {
  /// Who wrote it last in the launch, and by an access that others count on, and another of these who knows nothing of the last one; who
  /// has read it since; and another reader, of another block where there is one.
  CellPlane<Moment> written, updated, alsoUpdated, read, alsoRead;
  /// By acts that others may overlap.
  CellPlane<PastAccess> pastWritten, pastRead;
  /// In place of those of the launch, as long as that can be.
  std::unique_ptr<SectorPlanes> sectors;
  std::unique_ptr<SharedPage> shared; ///< of shared memory whose accesses are followed
  std::uint32_t cellBytes = 4;
  bool isWhollyWritten = false;
  bool isOfLaunch = false;   ///< it is in the list of those that the launch has touched
  bool isEmptied = false;    ///< who accessed it in the launch so far was dropped, to make room
  std::uint32_t age = 0;     ///< MemoryShard's when it was touched last
  std::uint32_t changes = 0; ///< goes on with all that is done there but looks (MemoryShard::lookAtRow())
  std::unique_ptr<std::array<std::uint64_t, kCheckPageBytes / 64>> bytes; ///< a bit for each that is written
  std::uint32_t writtenBytes = 0;                                         ///< so many of them are set

  /// Of `count` bytes from `from` on, within the page.
  bool isAnyWritten(std::uint32_t from, std::uint32_t count) const {
    if (isWhollyWritten)
      return true;
    if (!bytes)
      return false;
    if (from / 64 == (from + count - 1) / 64) {
      const std::uint64_t mask = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1)
                                 << from % 64;
      return ((*bytes)[from / 64] & mask) != 0;
    }
    for (std::uint32_t i = from; i < from + count; ++i)
      if ((*bytes)[i / 64] >> i % 64 & 1)
        return true;
    return false;
  }
  bool areAllWritten(std::uint32_t from, std::uint32_t count) const {
    if (isWhollyWritten)
      return true;
    if (!bytes)
      return false;
    if (from / 64 == (from + count - 1) / 64 && count < 64) {
      const std::uint64_t mask = ((std::uint64_t{1} << count) - 1) << from % 64;
      return ((*bytes)[from / 64] & mask) == mask;
    }
    for (std::uint32_t i = from; i < from + count; ++i)
      if (((*bytes)[i / 64] >> i % 64 & 1) == 0)
        return false;
    return true;
  }
  /// Calls `visit(from, count)` for what is not written of `count` bytes from `from` on: as much of it at a time as lies in a row.
  template <typename Visit> void forUnwritten(std::uint32_t from, std::uint32_t count, Visit visit) const {
    if (isWhollyWritten)
      return;
    if (!bytes)
      return visit(from, count);
    const std::uint32_t end = from + count;
    /// The first from `at` on that is written, or is not.
    const auto next = [&](std::uint32_t at, bool written) {
      while (at < end) {
        const std::uint64_t bits = (written ? (*bytes)[at / 64] : ~(*bytes)[at / 64]) >> at % 64;
        if (bits != 0)
          return std::min(end, at + static_cast<std::uint32_t>(std::countr_zero(bits)));
        at = (at / 64 + 1) * 64;
      }
      return end;
    };
    for (std::uint32_t at = next(from, false); at < end;) {
      const std::uint32_t stop = next(at, true);
      visit(at, stop - at);
      at = next(stop, false);
    }
  }
  void write(std::uint32_t from, std::uint32_t count) {
    if (isWhollyWritten)
      return;
    if (count == kCheckPageBytes)
      return writeAll();
    if (!bytes)
      bytes = std::make_unique<std::array<std::uint64_t, kCheckPageBytes / 64>>();
    while (count != 0) {
      const std::uint32_t here = std::min(count, 64 - from % 64);
      const std::uint64_t mask = (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1)
                                 << from % 64;
      std::uint64_t &word = (*bytes)[from / 64];
      writtenBytes += static_cast<std::uint32_t>(std::popcount(mask & ~word));
      word |= mask;
      from += here;
      count -= here;
    }
    if (writtenBytes == kCheckPageBytes)
      writeAll();
  }
  void writeAll() {
    isWhollyWritten = true;
    bytes.reset();
    writtenBytes = 0;
  }
  /// New memory, or memory that is gone.
  void forget(std::uint32_t from, std::uint32_t count) {
    if (isWhollyWritten && count != kCheckPageBytes) {
      bytes = std::make_unique<std::array<std::uint64_t, kCheckPageBytes / 64>>();
      bytes->fill(~std::uint64_t{0});
      writtenBytes = kCheckPageBytes;
    }
    isWhollyWritten = false;
    if (bytes)
      for (std::uint32_t i = from; i < from + count; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i % 64;
        writtenBytes -= ((*bytes)[i / 64] & bit) != 0 ? 1 : 0;
        (*bytes)[i / 64] &= ~bit;
      }
    for (CellPlane<PastAccess> *plane : {&pastWritten, &pastRead})
      if (plane->isThere())
        std::fill(plane->cells() + from / cellBytes,
                  plane->cells() + (from + count + cellBytes - 1) / cellBytes, PastAccess{});
  }
  void refine() {
    if (cellBytes == 1)
      return;
    for (CellPlane<Moment> *plane : ofLaunch())
      plane->refine();
    pastWritten.refine();
    pastRead.refine();
    cellBytes = 1;
  }
  /// The launch is over; its cells of four bytes go to `left`.
  void endLaunch(std::vector<std::unique_ptr<Moment[]>> &left) {
    for (CellPlane<Moment> *plane : ofLaunch()) {
      if (cellBytes == 4)
        plane->leave(left);
      plane->drop();
    }
    if (!pastWritten.isThere() && !pastRead.isThere())
      cellBytes = 4;
    isOfLaunch = false;
    shared.reset();
  }
  /// By the launch's accesses.
  std::uint64_t cellsHeld() const {
    return std::uint64_t{sizeof(Moment)} * (kCheckPageBytes / cellBytes) *
               static_cast<std::uint64_t>(std::ranges::count_if(ofLaunch(), isThere)) +
           (shared ? shared->held() : 0) + (sectors ? sizeof(SectorPlanes) : 0);
  }
  bool hasCells() const {
    return written.isThere() || updated.isThere() || read.isThere(); // without them there are no others
  }
  std::array<CellPlane<Moment> *, 5> ofLaunch() {
    return {&written, &updated, &alsoUpdated, &read, &alsoRead};
  }
  std::array<const CellPlane<Moment> *, 5> ofLaunch() const {
    return {&written, &updated, &alsoUpdated, &read, &alsoRead};
  }
  static bool isThere(const CellPlane<Moment> *plane) { return plane->isThere(); }
};

} // namespace cupr::analysis

#endif
