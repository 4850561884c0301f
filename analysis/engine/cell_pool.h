/// Room for arrays of plain values, in powers of two, that come and go by the million.
///
/// Arrays are cut from slabs and never given back one by one, but kept for the next of their size; so taking
/// one is a few instructions, and forgetting all of them, as at the end of each launch, is none at all.
#ifndef CUPR_ANALYSIS_CELL_POOL_H
#define CUPR_ANALYSIS_CELL_POOL_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace cupr::analysis {

/// Values are not constructed. Two hold a pointer; so does one, if arrays of one are asked for.
template <typename Cell> class CellPool {
  static_assert(std::is_trivially_copyable_v<Cell> && sizeof(Cell) >= sizeof(void *) / 2);

public:
  /// `count`: a power of two up to kMost.
  static constexpr unsigned kMost = 128;

  Cell *take(unsigned count) {
    void *&free = free_[classOf(count)];
    if (free) {
      void *const taken = free;
      std::memcpy(&free, taken, sizeof free); // the next one
      return static_cast<Cell *>(taken);
    }
    const std::size_t bytes = count * sizeof(Cell);
    if (left_ < bytes)
      nextSlab();
    std::byte *const taken = at_;
    at_ += bytes;
    left_ -= bytes;
    return reinterpret_cast<Cell *>(taken);
  }

  void give(Cell *cells, unsigned count) {
    void *&free = free_[classOf(count)];
    std::memcpy(static_cast<void *>(cells), &free, sizeof free);
    free = cells;
  }

  /// Forgets all arrays, and keeps the room for others.
  void clear() {
    free_ = {};
    used_ = left_ = 0;
  }
  /// Memory in use, or kept.
  std::uint64_t bytes() const { return slabs_.size() * kSlabBytes; }

private:
  static constexpr std::size_t kSlabBytes = 16384;
  static_assert(kMost * sizeof(Cell) <= kSlabBytes);

  static unsigned classOf(unsigned count) { return static_cast<unsigned>(std::countr_zero(count)); }

  /// What is left of the one before is lost: less than an array.
  void nextSlab() {
    if (used_ == slabs_.size())
      slabs_.push_back(std::make_unique_for_overwrite<std::byte[]>(kSlabBytes));
    at_ = slabs_[used_++].get();
    left_ = kSlabBytes;
  }

  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::size_t used_ = 0; ///< slabs
  std::byte *at_ = nullptr;
  std::size_t left_ = 0;
  std::array<void *, 8> free_{}; ///< by size: lists, with the next in the first bytes
};

} // namespace cupr::analysis

#endif
