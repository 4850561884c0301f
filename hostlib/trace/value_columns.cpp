#include "value_columns.h"

#include "devicelib/abi/thread_owned.h"
#include "known_memory.h"

#include <array>
#include <cstring>

namespace cupr::trace {

namespace {

constexpr std::size_t kSizes = abi::kPieceBytesMax + 1;
constexpr std::size_t kMaskBytes = 4, kStepBytes = 4, kBaseBytes = 8;
constexpr unsigned kFormShift = 4, kBytesMask = 15;

/// Of so many bytes that are dealt to so many planes, those of plane `plane`.
constexpr std::size_t planeBytes(std::size_t bytes, std::size_t count, std::size_t plane) {
  return bytes / count + (plane < bytes % count);
}

/// Bytes that are dealt to as many planes, one after the other.
class Planes {
public:
  Planes() = default;
  /// `count` planes, which lie one behind the other from `at` on, for `bytes` bytes together.
  Planes(std::byte *at, std::size_t count, std::size_t bytes) : count_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      next_[i] = at;
      at += planeBytes(bytes, count, i);
    }
  }
  /// The low bytes of a number, one for each plane.
  void put(std::uint64_t number) {
    for (std::size_t i = 0; i < count_; ++i, number >>= 8)
      *next_[i]++ = static_cast<std::byte>(number);
  }
  std::uint64_t take() {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count_; ++i)
      number |= std::to_integer<std::uint64_t>(*next_[i]++) << (8 * i);
    return number;
  }

private:
  std::array<std::byte *, abi::kPieceBytesMax> next_{};
  std::size_t count_ = 0;
};

/// What the columns hold, which says where each begins.
struct Lengths {
  std::size_t records = 0, affine = 0, inPart = 0;
  std::array<std::size_t, kSizes> dense{}; ///< bytes, by those of the piece

  std::size_t total() const {
    std::size_t bytes =
        sizeof(std::uint32_t) + records + inPart * kMaskBytes + affine * (kStepBytes + kBaseBytes);
    for (const std::size_t of : dense)
      bytes += of;
    return bytes;
  }
  std::vector<std::span<const std::byte>> parts(std::span<const std::byte> columns) const {
    std::vector<std::span<const std::byte>> parts;
    const auto add = [&](std::size_t bytes) {
      if (bytes != 0)
        parts.push_back(columns.first(bytes));
      columns = columns.subspan(bytes);
    };
    const auto addPlanes = [&](std::size_t bytes, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        add(planeBytes(bytes, count, i));
    };
    add(sizeof(std::uint32_t));
    add(records);
    addPlanes(inPart * kMaskBytes, kMaskBytes);
    addPlanes(affine * kStepBytes, kStepBytes);
    addPlanes(affine * kBaseBytes, kBaseBytes);
    for (std::size_t size = 1; size < kSizes; ++size)
      addPlanes(dense[size], size);
    return parts;
  }
};

/// The planes behind the forms, from `at` on.
struct Columns {
  Columns(std::byte *at, const Lengths &lengths) {
    const auto next = [&](std::size_t count, std::size_t bytes) {
      const Planes planes(at, count, bytes);
      at += bytes;
      return planes;
    };
    masks = next(kMaskBytes, lengths.inPart * kMaskBytes);
    steps = next(kStepBytes, lengths.affine * kStepBytes);
    bases = next(kBaseBytes, lengths.affine * kBaseBytes);
    for (std::size_t size = 1; size < kSizes; ++size)
      dense[size] = next(size, lengths.dense[size]);
  }
  Planes masks, steps, bases;
  std::array<Planes, kSizes> dense;
};

/// A piece of the values of one record.
struct Piece {
  const abi::WarpAccess &access;
  const ValueSite &site;
  std::uint32_t bytes;
  std::uint64_t offset; ///< of the piece in its part
  bool isRead;          ///< from memory: it can be foretold

  std::uint64_t memory() const { return site.isOfBlock ? access.cta + 1 : 0; }
};

/// Calls `take(piece)` for each piece of the values of the records in `words`, until it says that something is wrong. Returns
/// whether all was right.
template <typename Take>
bool forEachPiece(std::span<const Word> words, std::span<const ValueSite> sites, Take take) {
  abi::WarpAccess access;
  for (std::size_t at = 0; at < words.size();) {
    std::uint32_t size = 0;
    if (abi::decodeRecord(words.data() + at, words.size() - at, access, size) != abi::RecordStatus::Access)
      return false;
    at += size;
    if (access.site >= sites.size() || sites[access.site].parts == 0)
      continue;
    const ValueSite &site = sites[access.site];
    for (std::uint32_t part = 0; part < site.parts; ++part)
      for (std::uint32_t piece = 0; piece < abi::piecesOfPart(site.bytes); ++piece)
        if (!take(Piece{access, site, abi::bytesOfPiece(site.bytes, piece),
                        std::uint64_t{piece} * abi::kPieceBytesMax,
                        part == 0 && site.operation != abi::OperationClass::Store}))
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

/// Which form a record is written in, and what of.
struct Choice {
  ValueForm form;
  std::uint32_t known; ///< lanes
};

/// A mask costs as much as one lane's value.
constexpr unsigned kFewLanes = 2;

/// `record`: of the piece. Only what writeValue would write can be left to the reader to write again.
Choice choose(const KnownMemory &memory, const Piece &piece, const Lanes &values,
              std::span<const Word> record, const abi::FirstWord &first) {
  const bool isAffine = abi::formOf(first.siteAndForm) == abi::RecordForm::ValueAffine;
  const Choice own{isAffine ? ValueForm::Affine : ValueForm::Dense, 0};
  const std::uint32_t known = foretold(memory, piece, values);
  if (known == 0 || (known != piece.access.laneMask && (isAffine || abi::activeLanes(known) < kFewLanes)))
    return own;
  const OwnForm again(piece, values);
  if (again.size != record.size() || std::memcmp(again.words.data(), record.data(), record.size_bytes()) != 0)
    return own;
  return {known == piece.access.laneMask ? ValueForm::Known : ValueForm::KnownInPart, known};
}

KnownMemory &emptyMemory() {
  KnownMemory &memory = abi::ThreadOwned<KnownMemory>::get();
  memory.clear();
  return memory;
}

} // namespace

ValueSites valueSitesOf(std::span<const Site> sites) {
  ValueSites found;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site &site = sites[i];
    const unsigned parts = abi::valuesOf(site.operation);
    const std::uint32_t bytes = abi::valueBytes(site.operation, site.bytes);
    if ((site.flags & abi::kSiteValues) == 0 || !abi::areValuesRecorded(parts, bytes))
      continue;
    found.resize(sites.size());
    const auto space = abi::spaceOf(site.space);
    found[i] = {bytes, parts, abi::operationClass(site.operation),
                space != abi::MemorySpace::Global && space != abi::MemorySpace::Constant};
  }
  return found;
}

bool encodeValues(std::span<const Word> words, std::span<const Word> values, std::span<const ValueSite> sites,
                  std::vector<std::byte> &columns, std::vector<std::span<const std::byte>> &parts) {
  Lengths lengths;
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
  KnownMemory &memory = emptyMemory();
  const bool isRight = forEachPiece(words, sites, [&](const Piece &piece) {
    Lanes lanes;
    abi::FirstWord first;
    const std::uint32_t size = take(piece, lanes, first);
    if (size == 0)
      return false;
    const Choice choice = choose(memory, piece, lanes, values.subspan(at - size, size), first);
    learn(memory, piece, lanes);
    choices.push_back(choice);
    lengths.affine += choice.form == ValueForm::Affine;
    lengths.inPart += choice.form == ValueForm::KnownInPart;
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
  Columns to(form + lengths.records, lengths);
  at = 0;
  const Choice *choice = choices.data();
  forEachPiece(words, sites, [&](const Piece &piece) {
    Lanes lanes;
    abi::FirstWord first;
    take(piece, lanes, first);
    *form++ = static_cast<std::byte>(piece.bytes | static_cast<unsigned>(choice->form) << kFormShift);
    if (choice->form == ValueForm::Affine) {
      to.steps.put(first.lanes);
      to.bases.put(first.place);
    } else if (choice->form != ValueForm::Known) {
      if (choice->form == ValueForm::KnownInPart)
        to.masks.put(choice->known);
      forEachLane(piece.access.laneMask & ~choice->known,
                  [&](unsigned lane) { to.dense[piece.bytes].put(lanes[lane]); });
    }
    ++choice;
    return true;
  });
  parts = lengths.parts(columns);
  return true;
}

std::string decodeValues(std::span<const std::byte> columns, std::span<const Word> words,
                         std::span<const ValueSite> sites, std::span<Word> values) {
  const char *const wrong = "the columns of the chunk's values do not have their length";
  Lengths lengths;
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
    if ((byte & kBytesMask) != piece.bytes || form > ValueForm::KnownInPart)
      return fail("a value of the chunk has a form that can't be");
    std::uint32_t said = piece.access.laneMask;
    if (form == ValueForm::KnownInPart) {
      const auto known = static_cast<std::uint32_t>(masks.take());
      if ((known & ~piece.access.laneMask) != 0)
        return fail("a value of the chunk is known of lanes that have none");
      said &= ~known;
    }
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
  Columns from(behind, lengths);
  KnownMemory &memory = emptyMemory();
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
      learn(memory, piece, lanes);
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
    forEachLane(piece.access.laneMask & ~known,
                [&](unsigned lane) { lanes[lane] = from.dense[piece.bytes].take(); });
    if (form == ValueForm::Dense) { // as it was, be it what writeValue writes or not
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
    learn(memory, piece, lanes);
    return true;
  });
  if (!isWhole)
    return rule;
  return at == values.size() ? std::string() : "the chunk holds fewer words of values than it says";
}

} // namespace cupr::trace
