/// Where the warps of a launch were at each site: how far an access is from the warp's last one there, and from those of its neighbours.
#ifndef CUPR_ANALYSIS_WARP_PLACES_H
#define CUPR_ANALYSIS_WARP_PLACES_H

#include "access_patterns.h"
#include "analysis/model/records.h"
#include "key_hash.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// Where warps were last, and first, at a site: as many as there is room for.
class WarpPlaces {
public:
  explicit WarpPlaces(const trace::Dim3 &block)
      : places_(kPlaces), blockWidth_(block.x),
        // In blocks whose rows are whole warps, so many warps make a row.
        rowWarps_(block.x % abi::kLanes == 0 ? block.x / abi::kLanes : 0) {}

  /// True: it is the first of its warp here.
  bool move(const Record &record, SitePatterns &of) {
    const abi::WarpAccess &access = record.access;
    const std::uint64_t address = access.address[std::countr_zero(access.laneMask)];
    const std::uint64_t warp = access.cta << abi::kWarpBits | access.warp;
    Place &place = placeOf(warp, access.site);
    if (isOf(place, warp, access.site)) {
      if (place.mask == access.laneMask) {
        of.next.add(static_cast<std::int64_t>(address - place.last), 1);
        of.shifts += (address - place.last) % kSectorBytes != 0;
      }
      place.last = address;
      place.mask = access.laneMask;
      return false;
    }
    place = {warp, access.site, access.laneMask, address, address};
    const auto look = [&](std::uint64_t other, bool isAhead, Distances &distances) {
      const Place &neighbour = placeOf(other, access.site);
      if (isOf(neighbour, other, access.site)) {
        const std::uint64_t distance = isAhead ? neighbour.first - address : address - neighbour.first;
        distances.add(static_cast<std::int64_t>(distance), 1);
      }
    };
    if (const std::optional<RequestPlane> plane = planeOf(access, blockWidth_)) {
      if (plane->stride)
        of.across.add(*plane->stride, 1);
      if (plane->pitch != 0)
        of.along.add(plane->pitch, 1);
    }
    if (rowWarps_ != 0) {
      if (access.warp >= rowWarps_)
        look(warp - rowWarps_, false, of.along);
      if (access.warp + rowWarps_ <= abi::kWarpMask)
        look(warp + rowWarps_, true, of.along);
    }
    if (access.warp != 0)
      look(warp - 1, false, of.warp);
    if (access.warp != abi::kWarpMask)
      look(warp + 1, true, of.warp);
    if (access.cta != 0)
      look(warp - (std::uint64_t{1} << abi::kWarpBits), false, of.block);
    look(warp + (std::uint64_t{1} << abi::kWarpBits), true, of.block);
    if (of.first == UINT64_MAX)
      of.first = address;
    return true;
  }

private:
  static constexpr std::size_t kPlaces = std::size_t{1} << 14;
  struct Place {
    std::uint64_t warp = 0;           ///< CTA and warp
    std::uint32_t site = 0, mask = 0; ///< mask 0: it is nobody's
    std::uint64_t first = 0, last = 0;
  };
  bool isOf(const Place &place, std::uint64_t warp, std::uint32_t site) const {
    return place.mask != 0 && place.warp == warp && place.site == site;
  }
  Place &placeOf(std::uint64_t warp, std::uint32_t site) { return places_[keyHash(warp, site) % kPlaces]; }

  std::vector<Place> places_;
  const std::uint32_t blockWidth_, rowWarps_;
};

} // namespace cupr::analysis

#endif
