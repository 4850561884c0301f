/// How retargeted code tells whether an address may be used: for every page of the
/// address space, the number of bytes at its end that are closed, as a 16-bit word of one
/// table.
///
/// Allocations of the device start on pages and have their pages to themselves
/// (arena.h), so one number says all about a page. A page of the arena without an
/// allocation is closed as a whole, and so are the pages of null pointers; what does
/// not belong to the device (variables, stacks, the host's memory) is open. An access that
/// stays in its page is good if
///
///     address % kPage + its bytes + table[address / kPage] <= kPage
///
/// which costs a load and a comparison, with no thought about where the address lies.
/// Most of the table is never touched: its 64 GiB are addresses, not memory. Where not even addresses can be
/// had (a limit on virtual memory), or nobody wants to know (CUPR_CPU_CHECK=0), everything is open: then the
/// shift from an address to its place in the table leaves only the highest bit, and two words do for all.
#ifndef CUPR_CPU_POISONED_BYTES_H
#define CUPR_CPU_POISONED_BYTES_H

#include <cstddef>
#include <cstdint>

namespace cupr::cpu {

inline constexpr unsigned kPageBits = 12, kAddressBits = 47;
inline constexpr std::uint64_t kPage = std::uint64_t{1} << kPageBits;
inline constexpr std::size_t kTablePages = std::size_t{1} << (kAddressBits - kPageBits);
/// Below this address lies nothing: an access there is one through a null pointer.
inline constexpr std::uint64_t kNullBytes = 0x10000;

#ifndef CUPR_CPU_RETARGET
class PoisonedBytes {
public:
  static PoisonedBytes &instance();

  /// What the LaneState refers to.
  const std::uint16_t *table() const { return table_; }
  unsigned pageShift() const { return watches_ ? kPageBits : kAllButOneBit; }
  /// Whether there is something to look at. If not, everything is open.
  bool watches() const { return watches_; }
  /// Closes whole pages of which most will never be asked for; quick where both are multiples of 4 GiB.
  void closeRegion(std::uint64_t address, std::size_t bytes);
  /// Opens the bytes; closes the rest of their last page. `address` starts a page.
  void open(std::uint64_t address, std::size_t bytes);
  /// Closes the pages of what was opened.
  void close(std::uint64_t address, std::size_t bytes);

private:
  PoisonedBytes();

  static constexpr unsigned kAllButOneBit = 63;
  std::uint16_t open_[2] = {};
  std::uint16_t *table_ = open_;
  bool watches_ = false;
};
#endif

} // namespace cupr::cpu

#endif
