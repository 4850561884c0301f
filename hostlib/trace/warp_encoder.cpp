/// Writes records as warp columns (warp_columns.h).
#include "warp_predictor.h"

#include <memory>
#include <unordered_map>

namespace cupr::trace {

using namespace warps;

namespace {

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
    constexpr std::array<std::size_t, kWarpColumns> kPerRecord{1, 1, 10, 1, 5, 10, 4, 1, 10, 10, 2};
    std::size_t all = 0;
    for (const std::size_t bytes : kPerRecord)
      all += bytes;
    constexpr std::size_t kPerWord = 4 * 10, kSlack = 8;
    if (memory.words < words) {
      memory.columns.reset(new unsigned char[words / 2 * all + words * kPerWord]);
      memory.dense.reset(new unsigned char[words * abi::kWordBytes + kSlack]);
      memory.words = words;
    }
    unsigned char *at = memory.columns.get();
    for (unsigned column = 0; column < kWarpColumns; ++column) {
      begin_[column] = at_[column] = at;
      at += words / 2 * kPerRecord[column];
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
    abi::FirstWord first;
    std::memcpy(&first, words, sizeof first);
    const unsigned active = activeLanes(first.lanes);
    const std::size_t size = abi::accessWords(first, active, available);
    if (size == 0)
      return 0;
    abi::RecordHead head;
    std::memcpy(&head, words, sizeof head);
    if (abi::generationOf(head.where) != 0)
      return 0;
    const RecordForm form = abi::formOf(head.siteAndForm);
    unsigned control = 0;
    Predictor::Warp &warp = findWarp(head, control);
    const std::uint32_t siteIndex = findSite(abi::siteOf(head.siteAndForm), warp, control);
    Predictor::Site &site = predictor_.site(siteIndex);
    Predictor::Visit &place = predictor_.visitOf(warp, siteIndex);
    const bool visited = predictor_.isOf(place, warp, siteIndex);
    const Predictor::Visit *const visit = visited ? &place : nullptr;
    if (head.laneMask != predictor_.maskOf(warp, site, visit)) {
      control |= kHasMask;
      std::memcpy(at_[Mask], &head.laneMask, sizeof head.laneMask);
      at_[Mask] += sizeof head.laneMask;
    }
    if (form != site.form || head.shape != site.shape) {
      control |= kHasForm;
      byte(Form, static_cast<unsigned>(form));
      difference(Shape, head.shape, site.shape);
      site.form = form;
      site.shape = head.shape;
    }
    const std::uint64_t origin = head.base - fromLane0(form, head.shape, head.laneMask);
    bool packed = false;
    if (size > abi::kHeadWords &&
        !addresses(words + abi::kHeadWords, head, form, active, site, control, packed))
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
    const std::uint32_t number = abi::warpOf(head.where), sm = abi::smOf(head.where);
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
      std::memcpy(offsets.data(), bytes, abi::addressWords(4, active) * abi::kWordBytes);
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

} // namespace cupr::trace
