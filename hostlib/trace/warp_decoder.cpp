/// Reads warp columns (warp_columns.h).
#include "warp_predictor.h"

#include <memory>

namespace cupr::trace {

using namespace warps;

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
    const abi::RecordHead head{
        abi::packSite(site.number, site.form), mask, warp->cta, base, site.shape, warp->where};
    std::memcpy(static_cast<void *>(words), &head, sizeof head);
    if (size > abi::kHeadWords && !writeAddresses(words + abi::kHeadWords, size - abi::kHeadWords, active,
                                                  site, control, base, distances))
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
    if (number > abi::kWarpMask || sm > abi::kSmMask)
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
