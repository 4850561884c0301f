/// Pieces that memory is cut in: each is followed for itself.
#ifndef CUPR_ANALYSIS_MEMORY_PAGE_H
#define CUPR_ANALYSIS_MEMORY_PAGE_H

#include <cstdint>

namespace cupr::analysis {

inline constexpr unsigned kPageShift = 12;
inline constexpr unsigned kBlockShift = 7; ///< of the smaller pieces that a page is kept in (shadow_block.h)
inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << kPageShift;

} // namespace cupr::analysis

#endif
