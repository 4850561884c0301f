#include "access_filter.h"

#include "analysis/model/model.h"

#include <algorithm>

namespace cupr::viewer {

void AccessFilter::choosePlace(const std::array<std::int32_t, 3> &block, std::int32_t warp) {
  block_ = block;
  warp_ = warp;
  const std::array<std::uint32_t, 3> blocks{grid_.x, grid_.y, grid_.z};
  std::int64_t first = 0, last = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    first = first * blocks[axis] + (block[axis] == kAny ? 0 : block[axis]);
    last = last * blocks[axis] + (block[axis] == kAny ? std::int64_t{blocks[axis]} - 1 : block[axis]);
  }
  cta_ = {first, last};
}

bool AccessFilter::isAll() const {
  return sites_.empty() && warp_ == kAny &&
         std::ranges::all_of(block_, [](std::int32_t number) { return number == kAny; });
}

bool AccessFilter::has(const analysis::Record &record) const {
  const abi::WarpAccess &access = record.access;
  if ((warp_ != kAny && access.warp != static_cast<std::uint32_t>(warp_)) || !cta_.has(access.cta) ||
      (!sites_.empty() && !sites_[access.site]))
    return false;
  const trace::Dim3 at = analysis::placeInGrid(grid_, access.cta);
  const auto is = [](std::int32_t wanted, std::uint32_t number) {
    return wanted == kAny || static_cast<std::uint32_t>(wanted) == number;
  };
  return is(block_[0], at.x) && is(block_[1], at.y) && is(block_[2], at.z);
}

} // namespace cupr::viewer
