#include "value_columns.h"

#include "devicelib/abi/thread_owned.h"
#include "known_memory.h"
#include "record_values.h"
#include "value_layout.h"
#include "warp_clocks.h"

#include <array>
#include <cstring>

namespace cupr::trace {

namespace {

constexpr unsigned kFormShift = 4, kBytesMask = 15;

/// A piece of the values of one record, its clock, or its duration.
struct Piece {
  enum Kind { Value, Clock, Duration };
  const abi::WarpAccess &access;
  const ValueSite &site;
  std::uint32_t bytes;
  std::uint64_t offset; ///< of the piece in its part
  bool isRead;          ///< from memory: it can be foretold
  Kind kind;

  std::uint64_t memory() const { return site.isOfBlock ? access.cta + 1 : 0; }
};

/// Calls `take(piece)` for each piece of the values, clocks and durations of the records in `words`, until it says that something is wrong. Returns
/// whether all was right.
template <typename Take>
bool forEachPiece(std::span<const Word> words, std::span<const ValueSite> sites, Take take) {
  abi::WarpAccess access;
  for (std::size_t at = 0; at < words.size();) {
    std::uint32_t size = 0;
    if (abi::decodeRecord(words.data() + at, words.size() - at, access, size) != abi::RecordStatus::Access)
      return false;
    at += size;
    if (access.site >= sites.size())
      continue;
    const ValueSite &site = sites[access.site];
    const abi::ValueShape &shape = site.shape;
    for (std::uint32_t part = 0; part < shape.parts; ++part)
      for (std::uint32_t piece = 0; piece < abi::piecesOfPart(shape.bytes); ++piece)
        if (!take(Piece{access, site, abi::bytesOfPiece(shape.bytes, piece),
                        std::uint64_t{piece} * abi::kPieceBytesMax,
                        part == 0 && site.operation != abi::OperationClass::Store, Piece::Value}))
          return false;
    if (shape.hasClock && !take(Piece{access, site, abi::kPieceBytesMax, 0, false, Piece::Clock}))
      return false;
    if (shape.hasDuration && !take(Piece{access, site, abi::kDurationBytes, 0, false, Piece::Duration}))
      return false;
  }
  return true;
}

template <typename Visit> void forEachLane(std::uint32_t lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1)
    visit(static_cast<unsigned>(__builtin_ctz(lanes)));
}

using Lanes = std::array<std::uint64_t, abi::kLanes>;

/// The lanes whose values are those that memory is known to hold.
std::uint32_t foretold(const KnownMemory &memory, const Piece &piece, const Lanes &values) {
  std::uint32_t known = 0;
  if (piece.isRead)
    forEachLane(piece.access.laneMask, [&](unsigned lane) {
      std::uint64_t value = 0;
      if (memory.find(piece.memory(), piece.access.address[lane] + piece.offset, piece.bytes, value) &&
          value == values[lane])
        known |= 1u << lane;
    });
  return known;
}

/// What memory is known to hold behind this.
void learn(KnownMemory &memory, const Piece &piece, const Lanes &values) {
  if (piece.kind != Piece::Value)
    return;
  if (piece.site.operation == abi::OperationClass::Atomic) {
    if (piece.isRead) // what it becomes, nobody says
      forEachLane(piece.access.laneMask, [&](unsigned lane) {
        memory.forget(piece.memory(), piece.access.address[lane] + piece.offset, piece.bytes);
      });
    return;
  }
  forEachLane(piece.access.laneMask, [&](unsigned lane) {
    memory.set(piece.memory(), piece.access.address[lane] + piece.offset, piece.bytes, values[lane]);
  });
}

/// The record that says these values.
struct OwnForm {
  std::array<Word, 1 + abi::kMaxValueWords / abi::kMaxValuePieces> words;
  std::uint32_t size;
  OwnForm(const Piece &piece, const Lanes &values)
      : size(abi::writeValue(piece.bytes, piece.access.laneMask, values.data(), words.data())) {}
};

std::uint64_t firstOf(const Piece &piece, const Lanes &lanes) {
  return lanes[static_cast<unsigned>(__builtin_ctz(piece.access.laneMask))];
}

/// The last duration of each site in the chunk, as far as it is told; 0 before.
class SiteDurations {
public:
  explicit SiteDurations(std::size_t sites) : last_(sites) {}
  std::uint64_t &of(const abi::WarpAccess &access) { return last_[access.site]; }

private:
  std::vector<std::uint64_t> last_;
};

/// Which form a record is written in, and what of.
struct Choice {
  ValueForm form;
  std::uint32_t known; ///< lanes
};

/// A mask costs as much as one lane's value.
constexpr unsigned kFewLanes = 2;

/// Whether this is the record that writeValue would write. Only such a one can be left to the reader to write again.
bool isOwnForm(const Piece &piece, const Lanes &values, std::span<const Word> record) {
  const OwnForm again(piece, values);
  return again.size == record.size() &&
         std::memcmp(again.words.data(), record.data(), record.size_bytes()) == 0;
}

/// `record`: of the piece. `before`: the duration of its site's record before.
Choice choose(const KnownMemory &memory, const Piece &piece, const Lanes &values,
              std::span<const Word> record, const abi::FirstWord &first, std::uint64_t before) {
  const bool isAffine = abi::formOf(first.siteAndForm) == abi::RecordForm::ValueAffine;
  if (piece.kind == Piece::Clock)
    return {!isAffine                         ? ValueForm::ClockApart
            : first.lanes == 0 /* its step */ ? ValueForm::ClockTogether
                                              : ValueForm::Affine,
            0};
  const Choice own{isAffine ? ValueForm::Affine : ValueForm::Dense, 0};
  if (piece.kind == Piece::Duration) {
    if (!isAffine || first.lanes != 0 || !isOwnForm(piece, values, record))
      return own;
    return {firstOf(piece, values) == before ? ValueForm::DurationAsBefore : ValueForm::DurationTogether, 0};
  }
  const std::uint32_t known = foretold(memory, piece, values);
  if (known == 0 || (known != piece.access.laneMask && (isAffine || abi::activeLanes(known) < kFewLanes)))
    return own;
  if (!isOwnForm(piece, values, record))
    return own;
  return {known == piece.access.laneMask ? ValueForm::Known : ValueForm::KnownInPart, known};
}

/// Whether a piece of this kind can be in such a form.
bool canBe(Piece::Kind kind, ValueForm form) {
  switch (form) {
  case ValueForm::Affine:
    return true;
  case ValueForm::Dense:
    return kind != Piece::Clock;
  case ValueForm::Known:
  case ValueForm::KnownInPart:
    return kind == Piece::Value;
  case ValueForm::ClockTogether:
  case ValueForm::ClockApart:
    return kind == Piece::Clock;
  case ValueForm::DurationAsBefore:
  case ValueForm::DurationTogether:
    return kind == Piece::Duration;
  }
  return false;
}

bool isClockForm(ValueForm form) { return form == ValueForm::ClockTogether || form == ValueForm::ClockApart; }
/// How many differences a clock in such a form is.
std::size_t clocksOf(ValueForm form, const Piece &piece) {
  return form == ValueForm::ClockTogether ? 1 : abi::activeLanes(piece.access.laneMask);
}
void putClock(Planes &clocks, ValueForm form, const Piece &piece, const Lanes &lanes, std::uint64_t before) {
  if (form == ValueForm::ClockTogether)
    return clocks.put(firstOf(piece, lanes) - before);
  forEachLane(piece.access.laneMask, [&](unsigned lane) {
    clocks.put(lanes[lane] - before);
    before = lanes[lane];
  });
}
void takeClock(Planes &clocks, ValueForm form, const Piece &piece, Lanes &lanes, std::uint64_t before) {
  if (form == ValueForm::ClockTogether)
    return lanes.fill(before + clocks.take());
  forEachLane(piece.access.laneMask, [&](unsigned lane) { lanes[lane] = before += clocks.take(); });
}

/// What a thread keeps from chunk to chunk, with nothing in it.
template <typename Known> Known &empty() {
  Known &known = abi::ThreadOwned<Known>::get();
  known.clear();
  return known;
}

} // namespace

ValueSites valueSitesOf(std::span<const Site> sites) {
  ValueSites found;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site &site = sites[i];
    const abi::ValueShape shape = valueShapeOf(site);
    if (!abi::isRecorded(shape))
      continue;
    found.resize(sites.size());
    const auto space = abi::spaceOf(site.space);
    found[i] = {shape, abi::operationClass(site.operation),
                space != abi::MemorySpace::Global && space != abi::MemorySpace::Constant};
  }
  return found;
}

bool encodeValues(std::span<const Word> words, std::span<const Word> values, std::span<const ValueSite> sites,
                  std::vector<std::byte> &columns, std::vector<std::span<const std::byte>> &parts) {
  ValueLengths lengths;
  std::vector<Choice> choices;
  std::size_t at = 0;
  const auto take = [&](const Piece &piece, Lanes &lanes, abi::FirstWord &first) {
    const std::uint32_t size = abi::readValue(values.data() + at, values.size() - at, piece.bytes,
                                              piece.access.laneMask, lanes.data());
    if (size != 0)
      std::memcpy(&first, values[at].bytes, sizeof first);
    at += size;
    return size;
  };
  KnownMemory &memory = empty<KnownMemory>();
  SiteDurations durations(sites.size());
  const bool isRight = forEachPiece(words, sites, [&](const Piece &piece) {
    Lanes lanes;
    abi::FirstWord first;
    const std::uint32_t size = take(piece, lanes, first);
    if (size == 0)
      return false;
    const std::uint64_t before = piece.kind == Piece::Duration ? durations.of(piece.access) : 0;
    const Choice choice = choose(memory, piece, lanes, values.subspan(at - size, size), first, before);
    learn(memory, piece, lanes);
    if (piece.kind == Piece::Duration)
      durations.of(piece.access) = firstOf(piece, lanes);
    choices.push_back(choice);
    lengths.affine += choice.form == ValueForm::Affine;
    lengths.inPart += choice.form == ValueForm::KnownInPart;
    if (isClockForm(choice.form))
      lengths.clocks += clocksOf(choice.form, piece);
    lengths.durations += choice.form == ValueForm::DurationTogether;
    if (choice.form == ValueForm::Dense || choice.form == ValueForm::KnownInPart)
      lengths.dense[piece.bytes] +=
          std::size_t{abi::activeLanes(piece.access.laneMask & ~choice.known)} * piece.bytes;
    return true;
  });
  if (!isRight || at != values.size())
    return false;
  lengths.records = choices.size();
  columns.resize(lengths.total());
  const auto records = static_cast<std::uint32_t>(lengths.records);
  std::memcpy(columns.data(), &records, sizeof records);
  std::byte *form = columns.data() + sizeof records;
  ValuePlanes to(form + lengths.records, lengths);
  at = 0;
  const Choice *choice = choices.data();
  WarpClocks &clocks = empty<WarpClocks>();
  forEachPiece(words, sites, [&](const Piece &piece) {
    Lanes lanes;
    abi::FirstWord first;
    take(piece, lanes, first);
    *form++ = static_cast<std::byte>(piece.bytes | static_cast<unsigned>(choice->form) << kFormShift);
    if (choice->form == ValueForm::Affine) {
      to.steps.put(first.lanes);
      to.bases.put(first.place);
    } else if (isClockForm(choice->form)) {
      putClock(to.clocks, choice->form, piece, lanes, clocks.of(piece.access));
    } else if (choice->form == ValueForm::DurationTogether) {
      to.durations.put(firstOf(piece, lanes));
    } else if (choice->form == ValueForm::Dense || choice->form == ValueForm::KnownInPart) {
      if (choice->form == ValueForm::KnownInPart)
        to.masks.put(choice->known);
      forEachLane(piece.access.laneMask & ~choice->known,
                  [&](unsigned lane) { to.dense[piece.bytes].put(lanes[lane]); });
    }
    if (piece.kind == Piece::Clock)
      clocks.of(piece.access) = firstOf(piece, lanes);
    ++choice;
    return true;
  });
  parts = lengths.parts(columns);
  return true;
}

std::string decodeValues(std::span<const std::byte> columns, std::span<const Word> words,
                         std::span<const ValueSite> sites, std::span<Word> values) {
  const char *const wrong = "the columns of the chunk's values do not have their length";
  ValueLengths lengths;
  std::uint32_t records = 0;
  if (columns.size() < sizeof records)
    return wrong;
  std::memcpy(&records, columns.data(), sizeof records);
  lengths.records = records;
  if (columns.size() - sizeof records < lengths.records)
    return wrong;
  const std::span<const std::byte> forms = columns.subspan(sizeof records, lengths.records);
  for (const std::byte byte : forms) {
    const auto form = static_cast<ValueForm>(std::to_integer<unsigned>(byte) >> kFormShift);
    lengths.affine += form == ValueForm::Affine;
    lengths.inPart += form == ValueForm::KnownInPart;
  }
  // Nothing is written there: planes serve both directions.
  std::byte *const behind = const_cast<std::byte *>(forms.data()) + forms.size();
  if (columns.size() - sizeof records - forms.size() < lengths.inPart * kMaskBytes)
    return wrong;
  Planes masks(behind, kMaskBytes, lengths.inPart * kMaskBytes);
  std::size_t index = 0;
  const char *rule = nullptr;
  const auto fail = [&](const char *why) {
    rule = why;
    return false;
  };
  const bool isRight = forEachPiece(words, sites, [&](const Piece &piece) {
    if (index == forms.size())
      return fail("the chunk does not hold the values of all its records");
    const auto byte = std::to_integer<unsigned>(forms[index++]);
    const auto form = static_cast<ValueForm>(byte >> kFormShift);
    if ((byte & kBytesMask) != piece.bytes || !canBe(piece.kind, form))
      return fail("a value of the chunk has a form that can't be");
    std::uint32_t said = piece.access.laneMask;
    if (form == ValueForm::KnownInPart) {
      const auto known = static_cast<std::uint32_t>(masks.take());
      if ((known & ~piece.access.laneMask) != 0)
        return fail("a value of the chunk is known of lanes that have none");
      said &= ~known;
    }
    if (isClockForm(form))
      lengths.clocks += clocksOf(form, piece);
    lengths.durations += form == ValueForm::DurationTogether;
    if (form == ValueForm::Dense || form == ValueForm::KnownInPart)
      lengths.dense[piece.bytes] += std::size_t{abi::activeLanes(said)} * piece.bytes;
    return true;
  });
  if (!isRight)
    return rule ? rule : "the values of the chunk are of records that can't be read";
  if (index != forms.size())
    return "the chunk holds more values than its records have";
  if (lengths.total() != columns.size())
    return wrong;
  ValuePlanes from(behind, lengths);
  KnownMemory &memory = empty<KnownMemory>();
  WarpClocks &clocks = empty<WarpClocks>();
  SiteDurations durations(sites.size());
  const auto note = [&](const Piece &piece, const Lanes &lanes) {
    if (piece.kind == Piece::Clock)
      clocks.of(piece.access) = firstOf(piece, lanes);
    else if (piece.kind == Piece::Duration)
      durations.of(piece.access) = firstOf(piece, lanes);
    else
      learn(memory, piece, lanes);
  };
  std::size_t at = 0;
  index = 0;
  const bool isWhole = forEachPiece(words, sites, [&](const Piece &piece) {
    const auto form = static_cast<ValueForm>(std::to_integer<unsigned>(forms[index++]) >> kFormShift);
    Lanes lanes{};
    if (form == ValueForm::Affine) {
      if (at == values.size())
        return fail("the chunk holds more words of values than it says");
      const auto step = static_cast<std::int32_t>(from.steps.take());
      const abi::FirstWord first = abi::affineValue(piece.bytes, step, from.bases.take());
      std::memcpy(values[at].bytes, &first, sizeof first);
      abi::readValue(values.data() + at, 1, piece.bytes, piece.access.laneMask, lanes.data());
      ++at;
      note(piece, lanes);
      return true;
    }
    std::uint32_t known = form == ValueForm::Known         ? piece.access.laneMask
                          : form == ValueForm::KnownInPart ? static_cast<std::uint32_t>(from.masks.take())
                                                           : 0;
    bool isKnown = true;
    forEachLane(known, [&](unsigned lane) {
      isKnown &= piece.isRead && memory.find(piece.memory(), piece.access.address[lane] + piece.offset,
                                             piece.bytes, lanes[lane]);
    });
    if (!isKnown)
      return fail("a value of the chunk is left to memory that is not known");
    if (isClockForm(form)) {
      takeClock(from.clocks, form, piece, lanes, clocks.of(piece.access));
    } else if (form == ValueForm::DurationAsBefore || form == ValueForm::DurationTogether) {
      lanes.fill(form == ValueForm::DurationAsBefore ? durations.of(piece.access) : from.durations.take());
    } else {
      forEachLane(piece.access.laneMask & ~known,
                  [&](unsigned lane) { lanes[lane] = from.dense[piece.bytes].take(); });
    }
    if (form == ValueForm::Dense ||
        form == ValueForm::ClockApart) { // as it was, be it what writeValue writes or not
      const abi::FirstWord first = abi::denseValue(piece.bytes, abi::activeLanes(piece.access.laneMask));
      if (values.size() - at < first.lanes)
        return fail("the chunk holds more words of values than it says");
      std::memset(values[at].bytes, 0, first.lanes * sizeof(Word));
      std::memcpy(values[at].bytes, &first, sizeof first);
      unsigned char *to = values[at].bytes + sizeof first;
      forEachLane(piece.access.laneMask, [&](unsigned lane) {
        std::memcpy(to, &lanes[lane], piece.bytes);
        to += piece.bytes;
      });
      at += first.lanes;
    } else {
      const OwnForm own(piece, lanes);
      if (values.size() - at < own.size)
        return fail("the chunk holds more words of values than it says");
      std::memcpy(values[at].bytes, own.words.data(), own.size * sizeof(Word));
      at += own.size;
    }
    note(piece, lanes);
    return true;
  });
  if (!isWhole)
    return rule;
  return at == values.size() ? std::string() : "the chunk holds fewer words of values than it says";
}

} // namespace cupr::trace
