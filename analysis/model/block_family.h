/// Blocks of a grid that lie side by side, and of which one run of a slice (derived_block.h) stands for all.
///
/// Most blocks of a regular kernel do what their neighbours do, so many bytes further on. The slice is run for the first of them, with
/// values that say how they grow from block to block (warp_registers.h), and what it does holds for as many blocks as all of its
/// instructions allow. That number only falls while it runs: what has been found for more blocks holds for fewer.
#ifndef CUPR_ANALYSIS_BLOCK_FAMILY_H
#define CUPR_ANALYSIS_BLOCK_FAMILY_H

#include <cstdint>

namespace cupr::analysis {

class BlockFamily {
public:
  /// `most` blocks, at least one.
  void restart(std::uint64_t most) { size_ = most; }
  std::uint64_t size() const { return size_; }
  bool isSingle() const { return size_ == 1; }
  /// The first block alone.
  void keepFirst() { size_ = 1; }
  /// Those in which `value`, which grows by `shift` from block to block, is from `least` to `most`, as it is in the first one.
  void keepWithin(__int128 value, __int128 shift, __int128 least, __int128 most) {
    const __int128 last = value + shift * static_cast<__int128>(size_ - 1);
    if (last > most)
      size_ = static_cast<std::uint64_t>((most - value) / shift) + 1;
    else if (last < least)
      size_ = static_cast<std::uint64_t>((value - least) / -shift) + 1;
  }

private:
  std::uint64_t size_ = 1;
};

} // namespace cupr::analysis

#endif
