/// The last clock of each warp, as far as one chunk has told: its next one is a little later.
///
/// It only foretells clocks, as KnownMemory does values: encoder and decoder see the same ones in the same order. Warps share a table of
/// a fixed size, which bounds memory; one that has another's place costs some bytes.
#ifndef CUPR_TRACE_WARP_CLOCKS_H
#define CUPR_TRACE_WARP_CLOCKS_H

#include "devicelib/abi/record.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cupr::trace {

class WarpClocks {
public:
  WarpClocks() : last_(kPlaces) {}

  /// Nothing is known any more: 0 stands in all places.
  void clear() { std::ranges::fill(last_, 0); }
  std::uint64_t &of(const abi::WarpAccess &access) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    return last_[(access.cta * abi::kLanes + access.warp) * kOdd >> (64 - kPlacesLog2)];
  }

private:
  static constexpr unsigned kPlacesLog2 = 13;
  static constexpr std::size_t kPlaces = 1u << kPlacesLog2;
  std::vector<std::uint64_t> last_;
};

} // namespace cupr::trace

#endif
