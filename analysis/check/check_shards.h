/// How memory is dealt to shards.
#ifndef CUPR_ANALYSIS_CHECK_SHARDS_H
#define CUPR_ANALYSIS_CHECK_SHARDS_H

#include <cstddef>
#include <cstdint>

namespace cupr::analysis {

inline constexpr std::size_t kCheckShards = 64;

/// Of a page, by its number.
inline std::size_t checkShardOf(std::uint64_t number) {
  return (number * 0x9e3779b97f4a7c15u >> 32) % kCheckShards;
}

} // namespace cupr::analysis

#endif
