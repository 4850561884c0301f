/// Encoder and decoder share the predictor, and so can't disagree about it.
#include "warp_columns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace cupr::trace {

namespace {

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

std::uint64_t zigzag(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unzigzag(std::uint64_t coded) { return coded >> 1 ^ (coded & 1 ? ~std::uint64_t{0} : 0); }

using abi::RecordForm;

/// Nearly all records have all lanes; counting the bits of the others is kept out of their way.
[[gnu::noinline]] unsigned countLanes(std::uint32_t mask) { return abi::activeLanes(mask); }
unsigned activeLanes(std::uint32_t mask) { return mask == 0xffffffffu ? abi::kLanes : countLanes(mask); }

bool isListed(RecordForm form) { return form == RecordForm::Offset32 || form == RecordForm::Raw; }

/// How far the lowest active lane is from lane 0.
std::uint64_t fromLane0(RecordForm form, std::uint32_t shape, std::uint32_t mask) {
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
    std::uint32_t number() const { return where & ((1u << abi::kWarpBits) - 1); }
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

/// How the addresses of a record are written.
struct Packing {
  unsigned width = 0, shift = 0; ///< width 0: as varints
  std::uint64_t low = 0;         ///< distance of the lowest from the base
};

/// `distances` are from the base.
Packing choosePacking(const std::uint64_t *distances, unsigned active) {
  if (distances[0] != 0)
    return {};
  std::int64_t low = 0;
  std::uint64_t before = 0;
  unsigned varints = 0;
  for (unsigned i = 0; i < active; ++i) {
    low = std::min(low, static_cast<std::int64_t>(distances[i]));
    varints += (static_cast<unsigned>(std::bit_width(zigzag(distances[i] - before) | 1)) + 6) * 37 >> 8;
    before = distances[i];
  }
  std::uint64_t all = 0;
  for (unsigned i = 0; i < active; ++i)
    all |= distances[i] - static_cast<std::uint64_t>(low);
  Packing packing;
  packing.shift = all == 0 ? 0 : static_cast<unsigned>(std::countr_zero(all));
  packing.low = static_cast<std::uint64_t>(low);
  const auto width = static_cast<unsigned>(std::bit_width(all >> packing.shift));
  packing.width = width <= 8 ? 8 : width <= 16 ? 16 : width;
  // Varints of a few small numbers leave zstd more to find.
  if (packing.width > kMostPacked || varints * 4 <= packing.width * active / 8 * 3)
    return {};
  return packing;
}

} // namespace

/// What an encoder keeps.
struct WarpEncoder::Memory {
  Predictor predictor;
  /// (CTA, warp) -> slot, two places for each hash; a warp that is not found only costs its forgetting.
  static constexpr unsigned kSetsLog2 = 11;
  std::array<std::array<std::uint8_t, 2>, 1 << kSetsLog2> slots{};
  /// Site -> number by appearance, right if that site has this number.
  static constexpr std::uint32_t kTableSites = 4096;
  std::array<std::uint32_t, kTableSites> sites{};
  std::unordered_map<std::uint32_t, std::uint32_t> farSites;
  std::array<std::uint32_t, 1 + kWarpColumns> head{};
  std::unique_ptr<unsigned char[]> columns, dense; ///< not zeroed: what isn't used costs nothing
  std::size_t words = 0;                           ///< that they have room for
};

/// Encodes one chunk.
class WarpEncoder::Run {
public:
  Run(Memory &memory, std::size_t words) : memory_(memory), predictor_(memory.predictor) {
    // A record has two words or more; a word behind those holds four addresses at most, of 10 bytes each.
    constexpr std::array<std::size_t, kWarpColumns> perRecord{1, 1, 10, 1, 5, 10, 4, 1, 10, 10, 2};
    std::size_t all = 0;
    for (const std::size_t bytes : perRecord)
      all += bytes;
    constexpr std::size_t perWord = 4 * 10, slack = 8;
    if (memory.words < words) {
      memory.columns.reset(new unsigned char[words / 2 * all + words * perWord]);
      memory.dense.reset(new unsigned char[words * abi::kWordBytes + slack]);
      memory.words = words;
    }
    unsigned char *at = memory.columns.get();
    for (unsigned column = 0; column < kWarpColumns; ++column) {
      begin_[column] = at_[column] = at;
      at += words / 2 * perRecord[column];
    }
    dense_ = memory.dense.get();
  }

  bool run(std::span<const Word> words, std::uint32_t row, EncodedWarps &encoded) {
    predictor_.reset(row);
    memory_.farSites.clear();
    const Word *at = words.data(), *const end = at + words.size();
    while (at < end) {
      const std::size_t size = record(at, static_cast<std::size_t>(end - at));
      if (size == 0)
        return false;
      at += size;
    }
    memory_.head[0] = row;
    encoded.parts[0] = std::as_bytes(std::span(memory_.head));
    for (unsigned column = 0; column < kWarpColumns; ++column) {
      const auto length = static_cast<std::size_t>(at_[column] - begin_[column]);
      memory_.head[1 + column] = static_cast<std::uint32_t>(length);
      encoded.parts[1 + column] = std::as_bytes(std::span(begin_[column], length));
    }
    encoded.dense =
        std::as_bytes(std::span(memory_.dense.get(), static_cast<std::size_t>(dense_ - memory_.dense.get())));
    return true;
  }

private:
  void byte(Column column, unsigned value) { *at_[column]++ = static_cast<unsigned char>(value); }
  void varint(Column column, std::uint64_t value) {
    unsigned char *to = at_[column];
    for (; value >= 0x80; value >>= 7)
      *to++ = static_cast<unsigned char>(value | 0x80);
    *to++ = static_cast<unsigned char>(value);
    at_[column] = to;
  }
  void difference(Column column, std::uint64_t value, std::uint64_t from) {
    varint(column, zigzag(value - from));
  }

  /// Returns the record's length in words; 0: it can't be encoded.
  std::size_t record(const Word *words, std::size_t available) {
    if (available < 2)
      return 0;
    abi::RecordHead head;
    std::memcpy(&head, words, sizeof head);
    const std::uint32_t form = head.siteAndForm >> abi::kSiteBits;
    if (!abi::isAccessForm(form) || head.laneMask == 0 || head.where >> 16 != 0)
      return 0;
    const auto recordForm = static_cast<RecordForm>(form);
    const unsigned active = activeLanes(head.laneMask);
    const std::size_t size = abi::recordWords(recordForm, active);
    if (size > available)
      return 0;
    unsigned control = 0;
    Predictor::Warp &warp = findWarp(head, control);
    const std::uint32_t siteIndex = findSite(head.siteAndForm & abi::kSiteMask, warp, control);
    Predictor::Site &site = predictor_.site(siteIndex);
    Predictor::Visit &place = predictor_.visitOf(warp, siteIndex);
    const bool visited = predictor_.isOf(place, warp, siteIndex);
    const Predictor::Visit *const visit = visited ? &place : nullptr;
    if (head.laneMask != predictor_.maskOf(warp, site, visit)) {
      control |= kHasMask;
      std::memcpy(at_[Mask], &head.laneMask, sizeof head.laneMask);
      at_[Mask] += sizeof head.laneMask;
    }
    if (recordForm != site.form || head.shape != site.shape) {
      control |= kHasForm;
      byte(Form, form);
      difference(Shape, head.shape, site.shape);
      site.form = recordForm;
      site.shape = head.shape;
    }
    const std::uint64_t origin = head.base - fromLane0(recordForm, head.shape, head.laneMask);
    bool packed = false;
    if (size > 2 && !addresses(words + 2, head, recordForm, active, site, control, packed))
      return 0;
    if (packed) {
      control |= kOwnOrigin << kOriginShift;
    } else {
      const Predictor::Candidates candidates = predictor_.origins(warp, site, visit);
      if (candidates[0] != origin) {
        const unsigned which = candidates[1] == origin ? 1 : candidates[2] == origin ? 2 : kOwnOrigin;
        control |= which << kOriginShift;
        if (which == kOwnOrigin)
          difference(Base, origin, candidates[0]);
      }
    }
    byte(Control, control);
    predictor_.learn(warp, siteIndex, place, visited, origin, head.laneMask, !packed);
    return size;
  }

  Predictor::Warp &findWarp(const abi::RecordHead &head, unsigned &control) {
    const std::uint32_t number = head.where & 31u, sm = head.where >> abi::kWarpBits;
    auto &set = memory_.slots[(head.cta * 0x9e3779b97f4a7c15u + head.where * 0x2545f4914f6cdd1du) >>
                              (64 - Memory::kSetsLog2)];
    for (const std::uint8_t slot : set) {
      Predictor::Warp &warp = predictor_.inSlot(slot);
      const std::uint64_t gap = predictor_.count() - warp.record;
      if (!warp.is(head.cta, head.where) || gap >= kSlots)
        continue;
      // Whether it is the predicted one is hard to foresee: no branch.
      const bool other = gap != predictor_.gap;
      control = other ? kOtherGap : kSameGap;
      *at_[Gap] = static_cast<unsigned char>(gap);
      at_[Gap] += other;
      predictor_.gap = gap;
      return warp;
    }
    if (head.cta == predictor_.freshCta && number == predictor_.freshWarp + 1 && sm == predictor_.freshSm) {
      control = kNextWarp;
    } else {
      control = kNewWarp;
      difference(Cta, head.cta, predictor_.freshCta);
      byte(WarpColumn, number);
      difference(Sm, sm, predictor_.freshSm);
    }
    Predictor::Warp &warp = predictor_.begin(head.cta, number, sm);
    set[1] = set[0];
    set[0] = warp.slot;
    return warp;
  }

  std::uint32_t findSite(std::uint32_t number, const Predictor::Warp &warp, unsigned &control) {
    const std::uint32_t expected = predictor_.siteOf(warp);
    if (expected < predictor_.siteCount() && predictor_.site(expected).number == number)
      return expected;
    control |= kHasSite;
    std::uint32_t &index = number < Memory::kTableSites ? memory_.sites[number] : memory_.farSites[number];
    if (index < predictor_.siteCount() && predictor_.site(index).number == number) {
      varint(SiteColumn, index);
      return index;
    }
    varint(SiteColumn, predictor_.siteCount());
    difference(SiteColumn, number, predictor_.freshSite);
    return index = predictor_.addSite(number);
  }

  /// False: what is unused is not 0.
  bool addresses(const Word *words, const abi::RecordHead &head, RecordForm form, unsigned active,
                 Predictor::Site &site, unsigned &control, bool &packed) {
    const unsigned char *const bytes = words->bytes;
    if (form == RecordForm::Range) {
      std::uint64_t before[2] = {head.base, 0}, now[2];
      for (unsigned i = 0; i < active; ++i) {
        std::memcpy(now, bytes + sizeof now * i, sizeof now);
        difference(Address, now[0], before[0]);
        difference(Address, now[1], before[1]);
        std::memcpy(before, now, sizeof now);
      }
      return true;
    }
    std::array<std::uint64_t, abi::kLanes> distances;
    if (form == RecordForm::Offset32) {
      std::array<std::uint32_t, abi::kLanes> offsets;
      std::memcpy(offsets.data(), bytes, (active + 3u) / 4u * abi::kWordBytes);
      for (unsigned i = active; i % 4 != 0; ++i)
        if (offsets[i] != 0)
          return false;
      if (site.offsetCount == active &&
          std::memcmp(site.offsets.data(), offsets.data(), active * sizeof offsets[0]) == 0) {
        control |= kSameOffsets;
        return true;
      }
      std::memcpy(site.offsets.data(), offsets.data(), active * sizeof offsets[0]);
      site.offsetCount = active;
      for (unsigned i = 0; i < active; ++i)
        distances[i] = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(offsets[i])});
    } else {
      std::uint64_t unused = 0;
      std::memcpy(distances.data(), bytes, active * sizeof distances[0]);
      if (active % 2 != 0)
        std::memcpy(&unused, bytes + active * sizeof unused, sizeof unused);
      if (unused != 0)
        return false;
      for (unsigned i = 0; i < active; ++i)
        distances[i] -= head.base;
    }
    const Packing packing = choosePacking(distances.data(), active);
    byte(Address, packing.width);
    packed = packing.width != 0;
    if (!packed) {
      std::uint64_t before = 0;
      for (unsigned i = 0; i < active; ++i) {
        difference(Address, distances[i], before);
        before = distances[i];
      }
      return true;
    }
    byte(Address, packing.shift);
    const std::uint64_t low = head.base + packing.low;
    difference(Base, low, site.low);
    site.low = low;
    for (unsigned i = 0; i < active; ++i)
      distances[i] = (distances[i] - packing.low) >> packing.shift;
    if (packing.width == 8) {
      for (unsigned i = 0; i < active; ++i)
        byte(Address, static_cast<unsigned>(distances[i]));
    } else if (packing.width == 16) {
      for (unsigned i = 0; i < active; ++i) {
        const auto value = static_cast<std::uint16_t>(distances[i]);
        std::memcpy(at_[Address], &value, sizeof value);
        at_[Address] += sizeof value;
      }
    } else {
      std::uint64_t bits = 0;
      unsigned count = 0; // below 8 at the start of each turn
      for (unsigned i = 0; i < active; ++i) {
        bits |= distances[i] << count;
        count += packing.width;
        std::memcpy(dense_, &bits, sizeof bits);
        dense_ += count / 8;
        bits = count / 8 == 8 ? 0 : bits >> count / 8 * 8;
        count %= 8;
      }
      dense_ += count != 0;
    }
    return true;
  }

  Memory &memory_;
  Predictor &predictor_;
  std::array<unsigned char *, kWarpColumns> begin_, at_;
  unsigned char *dense_;
};

WarpEncoder::WarpEncoder() : memory_(std::make_unique<Memory>()) {}
WarpEncoder::~WarpEncoder() = default;

bool WarpEncoder::encode(std::span<const Word> words, std::uint32_t row, EncodedWarps &encoded) {
  return Run(*memory_, words.size()).run(words, row, encoded);
}

namespace {

/// Reads what may be anything; `bad_` is set for good once a column runs out.
class Decoder {
public:
  explicit Decoder(Predictor &predictor) : predictor_(predictor) {}

  std::string run(std::span<const std::byte> bytes, std::span<const std::byte> dense, std::uint32_t records,
                  std::span<Word> words) {
    std::array<std::uint32_t, 1 + kWarpColumns> head;
    if (bytes.size() < sizeof head)
      return "the columns are cut off";
    std::memcpy(head.data(), bytes.data(), sizeof head);
    const auto *at = reinterpret_cast<const unsigned char *>(bytes.data()) + sizeof head;
    std::size_t left = bytes.size() - sizeof head;
    for (unsigned column = 0; column < kWarpColumns; ++column) {
      const std::uint32_t length = head[1 + column];
      if (length > left)
        return "the columns are cut off";
      at_[column] = at;
      end_[column] = at += length;
      left -= length;
    }
    if (left != 0)
      return "something follows the columns";
    dense_ = reinterpret_cast<const unsigned char *>(dense.data());
    denseEnd_ = dense_ + dense.size();
    predictor_.reset(head[0]);
    Word *to = words.data(), *const end = to + words.size();
    for (std::uint32_t i = 0; i < records; ++i) {
      const std::size_t size = record(to, static_cast<std::size_t>(end - to));
      if (size == 0)
        return "a record can't be rebuilt from the columns";
      to += size;
    }
    for (unsigned column = 0; column < kWarpColumns; ++column)
      if (at_[column] != end_[column])
        return "a column is longer than its records";
    if (dense_ != denseEnd_)
      return "there are more dense addresses than records need";
    return to == end ? "" : "the columns make another number of words than the chunk says";
  }

private:
  template <typename T> T fixed(Column column) {
    T value{};
    if (static_cast<std::size_t>(end_[column] - at_[column]) < sizeof value) {
      bad_ = true;
      return value;
    }
    std::memcpy(&value, at_[column], sizeof value);
    at_[column] += sizeof value;
    return value;
  }
  std::uint64_t varint(Column column) {
    const unsigned char *at = at_[column], *const end = end_[column];
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
      const unsigned byte = *at++;
      value |= static_cast<std::uint64_t>(byte & 0x7fu) << shift;
      if (byte < 0x80) {
        at_[column] = at;
        return value;
      }
    }
    bad_ = true;
    return 0;
  }
  std::uint64_t difference(Column column, std::uint64_t from) { return from + unzigzag(varint(column)); }

  /// Returns the number of words written; 0: it can't be rebuilt.
  std::size_t record(Word *words, std::size_t available) {
    const unsigned control = fixed<std::uint8_t>(Control);
    Predictor::Warp *const warp = findWarp(control);
    if (bad_ || !warp)
      return 0;
    const std::uint32_t siteIndex = findSite(*warp, control);
    if (bad_)
      return 0;
    Predictor::Site &site = predictor_.site(siteIndex);
    Predictor::Visit &place = predictor_.visitOf(*warp, siteIndex);
    const bool visited = predictor_.isOf(place, *warp, siteIndex);
    const Predictor::Visit *const visit = visited ? &place : nullptr;
    const std::uint32_t mask =
        control & kHasMask ? fixed<std::uint32_t>(Mask) : predictor_.maskOf(*warp, site, visit);
    if (control & kHasForm) {
      const std::uint8_t form = fixed<std::uint8_t>(Form);
      if (!abi::isAccessForm(form))
        return 0;
      site.form = static_cast<RecordForm>(form);
      site.shape = static_cast<std::uint32_t>(difference(Shape, site.shape));
    }
    if (bad_ || mask == 0)
      return 0;
    const unsigned active = activeLanes(mask);
    const std::size_t size = abi::recordWords(site.form, active);
    if (size > available)
      return 0;
    std::uint64_t base = 0, origin = 0;
    bool packed = false;
    std::array<std::uint64_t, abi::kLanes> distances;
    if (isListed(site.form) && !(control & kSameOffsets))
      packed = readDistances(active, site, distances, base);
    if (packed) {
      origin = base;
    } else {
      const unsigned which = control >> kOriginShift & kOriginField;
      const Predictor::Candidates candidates = predictor_.origins(*warp, site, visit);
      origin = which == kOwnOrigin ? difference(Base, candidates[0]) : candidates[which];
      base = origin + fromLane0(site.form, site.shape, mask);
    }
    const abi::RecordHead head{site.number | static_cast<std::uint32_t>(site.form) << abi::kSiteBits,
                               mask,
                               warp->cta,
                               base,
                               site.shape,
                               warp->where};
    std::memcpy(static_cast<void *>(words), &head, sizeof head);
    if (size > 2 && !writeAddresses(words + 2, size - 2, active, site, control, base, distances))
      return 0;
    predictor_.learn(*warp, siteIndex, place, visited, origin, mask, !packed);
    return bad_ ? 0 : size;
  }

  Predictor::Warp *findWarp(unsigned control) {
    const unsigned how = control & kWarpField;
    if (how <= kOtherGap) {
      if (how == kOtherGap)
        predictor_.gap = fixed<std::uint8_t>(Gap);
      return predictor_.reaches(predictor_.gap) ? &predictor_.back(predictor_.gap) : nullptr;
    }
    std::uint64_t cta = predictor_.freshCta;
    std::uint64_t number = predictor_.freshWarp + 1, sm = predictor_.freshSm;
    if (how == kNewWarp) {
      cta = difference(Cta, cta);
      number = fixed<std::uint8_t>(WarpColumn);
      sm = difference(Sm, sm);
    }
    if (number >> abi::kWarpBits != 0 || sm >> abi::kSmBits != 0)
      return nullptr;
    return &predictor_.begin(cta, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(sm));
  }

  std::uint32_t findSite(const Predictor::Warp &warp, unsigned control) {
    if (!(control & kHasSite)) {
      const std::uint32_t index = predictor_.siteOf(warp);
      bad_ = bad_ || index >= predictor_.siteCount();
      return index;
    }
    const std::uint64_t index = varint(SiteColumn);
    if (index != predictor_.siteCount() || bad_) {
      bad_ = bad_ || index > predictor_.siteCount();
      return static_cast<std::uint32_t>(index);
    }
    const std::uint64_t number = difference(SiteColumn, predictor_.freshSite);
    if (number > abi::kSiteMask) {
      bad_ = true;
      return 0;
    }
    return predictor_.addSite(static_cast<std::uint32_t>(number));
  }

  /// Returns whether the addresses are packed; `base` is set then.
  bool readDistances(unsigned active, Predictor::Site &site,
                     std::array<std::uint64_t, abi::kLanes> &distances, std::uint64_t &base) {
    const unsigned width = fixed<std::uint8_t>(Address);
    if (width == 0) {
      std::uint64_t before = 0;
      for (unsigned i = 0; i < active; ++i)
        before = distances[i] = difference(Address, before);
      return false;
    }
    const unsigned shift = fixed<std::uint8_t>(Address);
    const std::uint64_t low = site.low = difference(Base, site.low);
    const bool dense = width >= kLeastDense;
    const unsigned char *&at = dense ? dense_ : at_[Address];
    const unsigned char *const end = dense ? denseEnd_ : end_[Address];
    if ((width != 8 && width != 16 && !dense) || width > kMostPacked || shift > 63 ||
        static_cast<std::size_t>(end - at) < (width * active + 7) / 8) {
      bad_ = true;
      distances.fill(0);
      return true;
    }
    const std::uint64_t ones = (std::uint64_t{1} << width) - 1;
    unsigned bit = 0;
    for (unsigned i = 0; i < active; ++i, bit += width) {
      const unsigned char *const from = at + bit / 8;
      std::uint64_t bits = 0;
      std::memcpy(&bits, from, std::min<std::size_t>(sizeof bits, static_cast<std::size_t>(end - from)));
      distances[i] = (bits >> bit % 8 & ones) << shift;
    }
    at += (bit + 7) / 8;
    base = low + distances[0];
    const std::uint64_t first = distances[0];
    for (unsigned i = 0; i < active; ++i)
      distances[i] -= first;
    return true;
  }

  bool writeAddresses(Word *words, std::size_t count, unsigned active, Predictor::Site &site,
                      unsigned control, std::uint64_t base,
                      const std::array<std::uint64_t, abi::kLanes> &distances) {
    unsigned char *const bytes = words->bytes;
    if (site.form == RecordForm::Range) {
      std::uint64_t now[2] = {base, 0};
      for (unsigned i = 0; i < active; ++i) {
        now[0] = difference(Address, now[0]);
        now[1] = difference(Address, now[1]);
        std::memcpy(bytes + sizeof now * i, now, sizeof now);
      }
      return true;
    }
    std::memset(static_cast<void *>(words + count - 1), 0, sizeof(Word));
    if (site.form == RecordForm::Raw) {
      if (control & kSameOffsets)
        return false;
      for (unsigned i = 0; i < active; ++i) {
        const std::uint64_t address = base + distances[i];
        std::memcpy(bytes + sizeof address * i, &address, sizeof address);
      }
      return true;
    }
    if (!(control & kSameOffsets)) {
      for (unsigned i = 0; i < active; ++i)
        site.offsets[i] = static_cast<std::uint32_t>(distances[i]);
      site.offsetCount = active;
    } else if (site.offsetCount != active) {
      return false;
    }
    std::memcpy(bytes, site.offsets.data(), active * sizeof site.offsets[0]);
    return true;
  }

  Predictor &predictor_;
  std::array<const unsigned char *, kWarpColumns> at_{}, end_{};
  const unsigned char *dense_ = nullptr, *denseEnd_ = nullptr;
  bool bad_ = false;
};

} // namespace

std::string decodeWarps(std::span<const std::byte> columns, std::span<const std::byte> dense,
                        std::uint32_t records, std::span<Word> words) {
  // It is large, and clearing it would cost more than a small chunk.
  thread_local const auto predictor = std::make_unique<Predictor>();
  return Decoder(*predictor).run(columns, dense, records, words);
}

} // namespace cupr::trace
