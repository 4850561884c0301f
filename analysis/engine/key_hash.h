/// Keys of a few numbers: as one number, and as a place in a hash table.
#ifndef CUPR_ANALYSIS_KEY_HASH_H
#define CUPR_ANALYSIS_KEY_HASH_H

#include <cstdint>

namespace cupr::analysis {

/// Ordered as the pair.
constexpr std::uint64_t pairOf(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

/// Any bits of the result depend on all bits of both.
constexpr std::uint64_t keyHash(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u; // 2^64 / golden ratio
  std::uint64_t hash = a * kOdd;
  hash = ((hash ^ hash >> 32) + b) * kOdd;
  return hash ^ hash >> 32;
}

} // namespace cupr::analysis

#endif
