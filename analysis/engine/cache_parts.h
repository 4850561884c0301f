/// L2 in parts that know nothing of each other, so that as many threads can work on it.
#ifndef CUPR_ANALYSIS_CACHE_PARTS_H
#define CUPR_ANALYSIS_CACHE_PARTS_H

#include "key_hash.h"

#include <cstddef>
#include <cstdint>

namespace cupr::analysis {

/// The part of `parts` that a line is in.
constexpr std::size_t partOf(std::uint64_t line, std::size_t parts) { return keyHash(line, 1) % parts; }

} // namespace cupr::analysis

#endif
