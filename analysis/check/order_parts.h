/// How blocks of a launch are dealt to parts whose order is followed apart.
#ifndef CUPR_ANALYSIS_CHECK_ORDER_PARTS_H
#define CUPR_ANALYSIS_CHECK_ORDER_PARTS_H

#include <cstddef>
#include <cstdint>

namespace cupr::analysis {

inline constexpr std::size_t kOrderParts = 32;

/// Of a block, by its number: those that run at the same time are neighbours.
inline std::size_t orderPartOf(std::uint32_t block) { return block % kOrderParts; }

} // namespace cupr::analysis

#endif
