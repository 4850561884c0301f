#include "columns.h"

#include "zigzag.h"

#include <array>
#include <cstring>
#include <unordered_map>

namespace cupr::trace {

namespace {

enum Column : unsigned { Control, SiteColumn, Mask, Cta, Warp, Shape, Sm, Base, Address };
constexpr unsigned kColumns = 9;

/// Bits of a control byte.
enum ControlBits : std::uint8_t {
  kFormBits = 3,
  kSameOffsets = 3, ///< in the form's place
  kHasMask = 4,
  kHasCta = 8,
  kHasWarp = 16,
  kHasShape = 32,
  kHasSm = 64,
  kHasBase = 128,
};

/// Sites beyond this were left to the plain encoding.
constexpr std::uint32_t kMostSites = 1u << 20;

/// Rows records were coded as Affine ones, Range records as Raw ones, with a shape that none of those has.
constexpr std::uint64_t kOtherForm = std::uint64_t{1} << 32;

/// A record as the encoding sees it. Addresses are offsets or raw, by form.
struct Parts {
  std::uint32_t site, mask;
  std::uint64_t cta, base;
  std::uint64_t shape; ///< of a Rows or Range record: plus kOtherForm
  std::uint32_t warp, sm;
  abi::RecordForm form;
};

/// All arithmetic wraps: the columns may be anything.
class Predictor {
public:
  struct State {
    std::uint32_t mask = 0xffffffffu;
    std::uint64_t shape = 0;
    std::uint32_t successor = 0;
    std::uint64_t cta = 0, base = 0;
    std::uint32_t warp = 0;
    std::uint64_t perCta = 0, perWarp = 0, step = 0;
    unsigned offsetCount = 0;
    std::array<std::uint32_t, abi::kLanes> offsets;
  };

  /// What is expected to follow the previous record.
  std::uint32_t site() const { return lastSlot_ == kNone ? 0 : states_[lastSlot_].successor; }

  /// Valid until a new site comes.
  State &state(std::uint32_t site) { return states_[slot(site)]; }

  std::uint64_t base(const State &state, std::uint64_t cta, std::uint32_t warp) const {
    if (cta == state.cta && warp == state.warp)
      return state.base + state.step;
    return state.base + (cta - state.cta) * state.perCta + (std::uint64_t{warp} - state.warp) * state.perWarp;
  }

  void learn(const Parts &record) {
    const std::uint32_t slot = this->slot(record.site);
    State &last = states_[slot];
    const auto ctas = static_cast<std::int64_t>(record.cta - last.cta);
    const auto warps = static_cast<std::int64_t>(std::uint64_t{record.warp} - last.warp);
    const std::uint64_t moved = record.base - last.base;
    if (ctas == 0 && warps == 0)
      last.step = moved;
    else if (ctas == 0)
      divide(moved, warps, last.perWarp);
    else
      divide(moved - static_cast<std::uint64_t>(warps) * last.perWarp, ctas, last.perCta);
    last.mask = record.mask;
    last.shape = record.shape;
    last.cta = record.cta;
    last.warp = record.warp;
    last.base = record.base;
    if (lastSlot_ != kNone)
      states_[lastSlot_].successor = record.site;
    lastSlot_ = slot;
    cta = record.cta;
    warp = record.warp;
    sm = record.sm;
  }

  /// Of the previous record.
  std::uint64_t cta = 0;
  std::uint32_t warp = 0, sm = 0;

private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  /// Sites below this have a table, others a map: big modules are rare, and damaged chunks
  /// must not cost megabytes.
  static constexpr std::uint32_t kTableSites = 4096;

  std::uint32_t slot(std::uint32_t site) {
    if (site < kTableSites && site >= slots_.size())
      slots_.resize(site + 1, kNone);
    std::uint32_t &slot =
        site < kTableSites ? slots_[site] : farSlots_.try_emplace(site, kNone).first->second;
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(states_.size());
      states_.emplace_back();
    }
    return slot;
  }

  /// Sets `multiple` to distance / steps if that is whole.
  static void divide(std::uint64_t distance, std::int64_t steps, std::uint64_t &multiple) {
    const auto whole = static_cast<std::int64_t>(distance);
    if (steps == -1)
      multiple = -distance; // INT64_MIN / -1 has no result
    else if (whole % steps == 0)
      multiple = static_cast<std::uint64_t>(whole / steps);
  }

  std::vector<std::uint32_t> slots_; ///< site -> state
  std::unordered_map<std::uint32_t, std::uint32_t> farSlots_;
  std::vector<State> states_;
  std::uint32_t lastSlot_ = kNone;
};

/// Reads what may be anything; `bad_` is set for good once a column runs out.
class Decoder {
public:
  std::string run(std::span<const std::byte> bytes, std::uint32_t records, std::span<Word> words) {
    std::array<std::uint32_t, kColumns> lengths;
    if (bytes.size() < sizeof lengths)
      return "the columns are cut off";
    std::memcpy(lengths.data(), bytes.data(), sizeof lengths);
    std::size_t at = sizeof lengths;
    for (unsigned i = 0; i < kColumns; ++i) {
      if (lengths[i] > bytes.size() - at)
        return "the columns are cut off";
      columns_[i] = bytes.subspan(at, lengths[i]);
      at += lengths[i];
    }
    if (at != bytes.size())
      return "something follows the columns";
    std::size_t done = 0;
    for (std::uint32_t i = 0; i < records; ++i) {
      const std::size_t size = record(words.subspan(done));
      if (size == 0)
        return "a record can't be rebuilt from the columns";
      done += size;
    }
    for (const auto &column : columns_)
      if (!column.empty())
        return "a column is longer than its records";
    return done == words.size() ? "" : "the columns make another number of words than the chunk says";
  }

private:
  template <typename T> T fixed(Column column) {
    T value{};
    if (columns_[column].size() < sizeof value) {
      bad_ = true;
      return value;
    }
    std::memcpy(&value, columns_[column].data(), sizeof value);
    columns_[column] = columns_[column].subspan(sizeof value);
    return value;
  }
  std::uint64_t varint(Column column) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = fixed<std::uint8_t>(column);
      value |= static_cast<std::uint64_t>(byte & 0x7fu) << shift;
      if (byte < 0x80)
        return value;
    }
    bad_ = true;
    return value;
  }
  std::uint64_t difference(Column column, std::uint64_t from) { return from + unzigzag(varint(column)); }

  /// Returns the number of words written; 0: it can't be rebuilt.
  std::size_t record(std::span<Word> words) {
    const auto control = fixed<std::uint8_t>(Control);
    const bool sameOffsets = (control & kFormBits) == kSameOffsets;
    Parts out{};
    out.form = sameOffsets ? abi::RecordForm::Offset32 : static_cast<abi::RecordForm>(control & kFormBits);
    const std::uint64_t site = varint(SiteColumn);
    if (bad_ || site > kMostSites)
      return 0;
    out.site = site == 0 ? predictor_.site() : static_cast<std::uint32_t>(site - 1);
    Predictor::State &state = predictor_.state(out.site);
    out.mask = control & kHasMask ? fixed<std::uint32_t>(Mask) : state.mask;
    out.cta = control & kHasCta ? difference(Cta, predictor_.cta) : predictor_.cta;
    out.warp = control & kHasWarp ? fixed<std::uint8_t>(Warp) : predictor_.warp;
    out.shape = control & kHasShape ? difference(Shape, state.shape) : state.shape;
    out.sm = control & kHasSm ? fixed<std::uint16_t>(Sm) : predictor_.sm;
    const std::uint64_t base = predictor_.base(state, out.cta, out.warp);
    out.base = control & kHasBase ? difference(Base, base) : base;
    if (bad_ || out.mask == 0 || out.warp > abi::kWarpMask || out.sm > abi::kSmMask)
      return 0;
    if (out.shape >= kOtherForm) {
      const bool rows = out.form == abi::RecordForm::Affine;
      if ((!rows && out.form != abi::RecordForm::Raw) || out.shape >= 2 * kOtherForm)
        return 0;
      out.form = rows ? abi::RecordForm::Rows : abi::RecordForm::Range;
    }
    const unsigned active = abi::activeLanes(out.mask);
    const std::size_t size = abi::recordWords(out.form, active);
    if (size > words.size() || (sameOffsets && state.offsetCount != active))
      return 0;
    const abi::RecordHead head{abi::packSite(out.site, out.form),
                               out.mask,
                               out.cta,
                               out.base,
                               static_cast<std::uint32_t>(out.shape),
                               abi::packWhere(out.warp, out.sm, 0)};
    std::memcpy(words.data(), &head, sizeof head);
    std::memset(words.data() + abi::kHeadWords, 0, (size - abi::kHeadWords) * sizeof(Word));
    auto *bytes = reinterpret_cast<unsigned char *>(words.data() + abi::kHeadWords);
    if (out.form == abi::RecordForm::Offset32) {
      if (!sameOffsets) {
        std::uint32_t before = 0;
        for (unsigned i = 0; i < active; ++i)
          before = state.offsets[i] = before + static_cast<std::uint32_t>(unzigzag(varint(Address)));
        state.offsetCount = active;
      }
      std::memcpy(bytes, state.offsets.data(), active * sizeof state.offsets[0]);
    } else if (out.form == abi::RecordForm::Raw) {
      std::uint64_t before = out.base;
      for (unsigned i = 0; i < active; ++i) {
        before = difference(Address, before);
        std::memcpy(bytes + 8 * i, &before, sizeof before);
      }
    } else if (out.form == abi::RecordForm::Range) {
      std::uint64_t now[2] = {out.base, 0};
      for (unsigned i = 0; i < active; ++i) {
        now[0] = difference(Address, now[0]);
        now[1] = difference(Address, now[1]);
        std::memcpy(bytes + sizeof now * i, now, sizeof now);
      }
    }
    predictor_.learn(out);
    return bad_ ? 0 : size;
  }

  Predictor predictor_;
  std::array<std::span<const std::byte>, kColumns> columns_;
  bool bad_ = false;
};

} // namespace

std::string decodeColumns(std::span<const std::byte> bytes, std::uint32_t records, std::span<Word> words) {
  return Decoder().run(bytes, records, words);
}

} // namespace cupr::trace
