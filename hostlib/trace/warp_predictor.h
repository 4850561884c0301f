/// What the encoder and the decoder of warp columns (warp_columns.h) share: the columns, and the predictor,
/// about which they can't disagree so.
#ifndef CUPR_TRACE_WARP_PREDICTOR_H
#define CUPR_TRACE_WARP_PREDICTOR_H

#include "warp_columns.h"
#include "zigzag.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace cupr::trace::warps {

enum Column : unsigned { Control, Gap, Cta, WarpColumn, Sm, SiteColumn, Mask, Form, Shape, Base, Address };
static_assert(Address + 1 == kWarpColumns, "the columns of the header");

/// Bits of a control byte, and values of its fields.
constexpr unsigned kWarpField = 3, kOriginShift = 3, kOriginField = 3;
enum : unsigned { kSameGap = 0, kOtherGap = 1, kNextWarp = 2, kNewWarp = 3 };
enum : unsigned { kOwnOrigin = 3 };
enum ControlBits : unsigned {
  kHasSite = 4,
  kHasMask = 32,
  kHasForm = 64,
  kSameOffsets = 128,
};

constexpr unsigned kSlots = 256, kVisits = 2048;
constexpr unsigned kLeastDense = 17, kMostPacked = 57;

using abi::RecordForm;

/// Nearly all records have all lanes; counting the bits of the others is kept out of their way.
[[gnu::noinline]] inline unsigned countLanes(std::uint32_t mask) { return abi::activeLanes(mask); }
inline unsigned activeLanes(std::uint32_t mask) {
  return mask == 0xffffffffu ? abi::kLanes : countLanes(mask);
}

inline bool isListed(RecordForm form) { return form == RecordForm::Offset32 || form == RecordForm::Raw; }

/// How far the lowest active lane is from lane 0.
inline std::uint64_t fromLane0(RecordForm form, std::uint32_t shape, std::uint32_t mask) {
  const unsigned first = static_cast<unsigned>(std::countr_zero(mask));
  if (first == 0)
    return 0;
  if (form == RecordForm::Affine)
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(shape)} * first);
  return form == RecordForm::Rows ? static_cast<std::uint64_t>(abi::rowsOffset(shape, first, 0)) : 0;
}

/// All arithmetic on addresses wraps, so that encoder and decoder agree on any input.
class Predictor {
public:
  struct alignas(64) Warp {
    std::uint64_t cta = 0;
    std::uint64_t birth = 0;  ///< different for each warp that ever took a slot
    std::uint64_t origin = 0; ///< of its last record whose origin is learnt
    std::uint64_t record = 0; ///< number of its last record
    std::uint32_t where = 0;  ///< number and SM, as records have them
    std::uint32_t mask = 0;   ///< this and what follows: of its last record
    std::uint32_t site = 0;
    std::uint16_t visit = 0;
    std::uint8_t slot = 0;
    bool fresh = false;
    std::uint32_t number() const { return abi::warpOf(where); }
    bool is(std::uint64_t itsCta, std::uint32_t itsWhere) const {
      return ((cta ^ itsCta) | (where ^ itsWhere)) == 0;
    }
  };
  struct alignas(64) Site {
    std::uint32_t number = 0, next = 0, mask = 0xffffffffu;
    RecordForm form = RecordForm::Affine;
    std::uint32_t shape = 0;
    std::uint32_t offsetCount = 0;
    std::uint64_t step = 0, otherStep = 0;
    std::uint64_t fromLast = 0; ///< from the origin of the warp's record before
    std::uint64_t low = 0;      ///< the lowest address of the last packed record
    /// Where a warp stood when it came here first, the last such.
    std::uint64_t anchorX = 0, anchorY = 0, anchorWarp = 0, anchor = 0;
    std::uint64_t perX = 0, perY = 0, perWarp = 0;
    /// The last way from anchor to anchor over the grid, and how far it was.
    std::uint64_t wayX = 0, wayY = 0, way = 0;
    std::array<std::uint32_t, abi::kLanes> offsets;
  };
  struct alignas(32) Visit {
    std::uint64_t key = 0, origin = 0;
    std::uint32_t mask = 0, next = 0;
  };
  using Candidates = std::array<std::uint64_t, 3>;

  Predictor() {
    for (unsigned slot = 0; slot < kSlots; ++slot)
      warps_[slot].slot = static_cast<std::uint8_t>(slot);
  }

  void reset(std::uint32_t row) {
    row_ = row;
    sites_.clear();
    nextSlot_ = firstSite_ = 0;
    gap = 1;
    freshCta = 0;
    freshWarp = 0xffffffffu;
    freshSm = freshSite = 0;
    count_ += kSlots; // what was before is out of reach
    start_ = count_;
  }

  /// Goes on from chunk to chunk.
  std::uint64_t count() const { return count_; }
  bool reaches(std::uint64_t records) const { return records - 1 < kSlots - 1 && records <= count_ - start_; }
  /// The warp that was active so many records ago, which must be in reach.
  Warp &back(std::uint64_t records) { return warps_[recent_[(count_ - records) % kSlots]]; }
  Warp &inSlot(std::uint8_t slot) { return warps_[slot]; }

  Warp &begin(std::uint64_t cta, std::uint32_t number, std::uint32_t sm) {
    Warp &warp = warps_[nextSlot_];
    Place &place = places_[nextSlot_];
    nextSlot_ = (nextSlot_ + 1) % kSlots;
    if (row_ == 0)
      place = {cta, 0};
    else if (cta == freshCta && freshWarp != 0xffffffffu)
      place = freshPlace_;
    else
      place = {cta % row_, cta / row_};
    freshPlace_ = place;
    warp.cta = freshCta = cta;
    freshWarp = number;
    freshSm = sm;
    warp.where = abi::packWhere(number, sm, 0);
    warp.birth = ++births_;
    warp.fresh = true;
    return warp;
  }

  std::uint32_t siteCount() const { return static_cast<std::uint32_t>(sites_.size()); }
  Site &site(std::uint32_t index) { return sites_[index]; }
  std::uint32_t addSite(std::uint32_t number) {
    sites_.emplace_back().number = freshSite = number;
    return siteCount() - 1;
  }

  /// May be a site that is not there yet.
  std::uint32_t siteOf(const Warp &warp) const {
    if (warp.fresh)
      return firstSite_;
    const Visit &visit = visits_[warp.visit];
    return visit.key == keyOf(warp, warp.site) && visit.next != 0 ? visit.next - 1 : sites_[warp.site].next;
  }

  Visit &visitOf(const Warp &warp, std::uint32_t site) {
    return visits_[(static_cast<std::uint32_t>(warp.slot) << 3 ^ site ^ (site >> 3) * 0x148u) % kVisits];
  }
  bool isOf(const Visit &visit, const Warp &warp, std::uint32_t site) const {
    return visit.key == keyOf(warp, site);
  }

  std::uint32_t maskOf(const Warp &warp, const Site &site, const Visit *visit) const {
    return visit ? visit->mask : warp.fresh ? site.mask : warp.mask;
  }

  /// The first is the likeliest.
  Candidates origins(const Warp &warp, const Site &site, const Visit *visit) const {
    if (visit)
      return {visit->origin + site.step, warp.origin + site.fromLast, visit->origin + site.otherStep};
    const std::uint64_t linear = linearOf(warp, site);
    if (warp.fresh)
      return {linear, site.anchor, linear};
    return {warp.origin + site.fromLast, linear, site.anchor};
  }

  /// The warp's record is done. `visited`: it had a visit of the site. `learns`: its origin means something.
  void learn(Warp &warp, std::uint32_t siteIndex, Visit &visit, bool visited, std::uint64_t origin,
             std::uint32_t mask, bool learns) {
    Site &site = sites_[siteIndex];
    if (warp.fresh) {
      firstSite_ = siteIndex;
    } else {
      Visit &before = visits_[warp.visit];
      if (before.key == keyOf(warp, warp.site))
        before.next = siteIndex + 1;
      sites_[warp.site].next = siteIndex;
    }
    if (learns) {
      if (visited) {
        const std::uint64_t moved = origin - visit.origin;
        if (moved != site.step) {
          if (moved == site.otherStep)
            site.otherStep = site.step, site.step = moved;
          else
            site.otherStep = moved;
        }
      } else if (warp.fresh || warp.origin + site.fromLast != origin) {
        learnLinear(warp, site, origin); // where the candidate before it fails
      }
      if (!warp.fresh)
        site.fromLast = origin - warp.origin;
      warp.origin = origin;
    } else if (warp.fresh) {
      warp.origin = origin;
    }
    site.mask = warp.mask = mask;
    if (!visited) {
      visit.key = keyOf(warp, siteIndex);
      visit.next = 0;
    }
    visit.origin = origin;
    visit.mask = mask;
    warp.site = siteIndex;
    warp.visit = static_cast<std::uint16_t>(&visit - visits_.data());
    warp.fresh = false;
    warp.record = count_;
    recent_[count_ % kSlots] = warp.slot;
    ++count_;
  }

  std::uint64_t gap = 1;
  /// Of the last fresh warp, and the last new site's number.
  std::uint64_t freshCta = 0;
  std::uint32_t freshWarp = 0, freshSm = 0, freshSite = 0;

private:
  static std::uint64_t keyOf(const Warp &warp, std::uint32_t site) { return warp.birth << 20 ^ site; }

  std::uint64_t linearOf(const Warp &warp, const Site &site) const {
    const Place &place = places_[warp.slot];
    return site.anchor + (place.x - site.anchorX) * site.perX + (place.y - site.anchorY) * site.perY +
           (warp.number() - site.anchorWarp) * site.perWarp;
  }

  /// The way from the anchor is x perX + y perY + number perWarp. One way alone tells a factor only if the
  /// others are known or don't matter; two ways over the grid tell both of its factors.
  void learnLinear(const Warp &warp, Site &site, std::uint64_t origin) {
    const Place &place = places_[warp.slot];
    const std::uint64_t x = place.x - site.anchorX, y = place.y - site.anchorY,
                        number = warp.number() - site.anchorWarp, moved = origin - site.anchor;
    const std::uint64_t overGrid = moved - number * site.perWarp;
    if (x * site.perX + y * site.perY != overGrid) {
      if ((x | y) == 0) {
        if (number != 0)
          divide(moved, number, site.perWarp);
      } else if (y == 0) {
        divide(overGrid, x, site.perX);
      } else if (x == 0) {
        divide(overGrid, y, site.perY);
      } else if (!solve(site.wayX, site.wayY, site.way, x, y, overGrid, site.perX, site.perY)) {
        divide(overGrid - x * site.perX, y, site.perY);
      }
    }
    if ((x | y) != 0)
      site.wayX = x, site.wayY = y, site.way = overGrid;
    site.anchorX = place.x;
    site.anchorY = place.y;
    site.anchorWarp = warp.number();
    site.anchor = origin;
  }

  /// Finds whole u and v with x1 u + y1 v = r1 and x2 u + y2 v = r2.
  static bool solve(std::uint64_t x1, std::uint64_t y1, std::uint64_t r1, std::uint64_t x2, std::uint64_t y2,
                    std::uint64_t r2, std::uint64_t &u, std::uint64_t &v) {
    const std::uint64_t determinant = x1 * y2 - x2 * y1;
    if (determinant == 0)
      return false;
    std::uint64_t first = 0, second = 0;
    divide(r1 * y2 - r2 * y1, determinant, first);
    divide(x1 * r2 - x2 * r1, determinant, second);
    if (x1 * first + y1 * second != r1 || x2 * first + y2 * second != r2)
      return false;
    u = first;
    v = second;
    return true;
  }

  /// Sets `multiple` to distance / steps if that is whole; both are signed.
  static void divide(std::uint64_t distance, std::uint64_t steps, std::uint64_t &multiple) {
    const auto whole = static_cast<std::int64_t>(distance), by = static_cast<std::int64_t>(steps);
    if (by == -1)
      multiple = -distance; // INT64_MIN / -1 has no result
    else if (whole % by == 0)
      multiple = static_cast<std::uint64_t>(whole / by);
  }

  /// Of a warp's CTA in the grid.
  struct Place {
    std::uint64_t x = 0, y = 0;
  };

  std::array<Warp, kSlots> warps_{};
  std::array<Place, kSlots> places_{};
  std::array<std::uint8_t, kSlots> recent_{};
  std::array<Visit, kVisits> visits_{};
  std::vector<Site> sites_;
  Place freshPlace_;
  std::uint64_t births_ = 0, count_ = 0, start_ = 0;
  std::uint32_t row_ = 0, nextSlot_ = 0, firstSite_ = 0;
};

} // namespace cupr::trace::warps

#endif
