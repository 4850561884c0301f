/// Differences of either sign as numbers without one: what is small stays small.
#ifndef CUPR_TRACE_ZIGZAG_H
#define CUPR_TRACE_ZIGZAG_H

#include <cstdint>

namespace cupr::trace {

constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t unzigzag(std::uint64_t coded) {
  return coded >> 1 ^ (coded & 1 ? ~std::uint64_t{0} : 0);
}

} // namespace cupr::trace

#endif
