#include "value_columns.h"

#include "devicelib/abi/value_record.h"

#include <array>
#include <cassert>
#include <cstring>

namespace cupr::trace {

namespace {

constexpr std::uint8_t kDense = 16;
constexpr std::size_t kSizes = abi::kPieceBytesMax + 1;
constexpr std::size_t kStepBytes = 4, kBaseBytes = 8;

abi::FirstWord firstWordAt(std::span<const Word> words, std::size_t at) {
  abi::FirstWord first;
  std::memcpy(&first, words[at].bytes, sizeof first);
  return first;
}

/// Of so many bytes that are dealt to so many planes, those of plane `plane`.
constexpr std::size_t planeBytes(std::size_t bytes, std::size_t count, std::size_t plane) {
  return bytes / count + (plane < bytes % count);
}

/// Bytes that are dealt to as many planes, one after the other.
class Planes {
public:
  Planes() = default;
  /// `count` planes, which lie one behind the other from `at` on, for `bytes` bytes together.
  Planes(std::byte *at, std::size_t count, std::size_t bytes) {
    for (std::size_t i = 0; i < count; ++i) {
      next_[i] = at;
      at += planeBytes(bytes, count, i);
    }
    count_ = count;
  }
  void put(const unsigned char *bytes, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) {
      *next_[turn_]++ = std::byte{bytes[i]};
      turn_ = turn_ + 1 == count_ ? 0 : turn_ + 1;
    }
  }
  void take(unsigned char *bytes, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) {
      bytes[i] = std::to_integer<unsigned char>(*next_[turn_]++);
      turn_ = turn_ + 1 == count_ ? 0 : turn_ + 1;
    }
  }

private:
  std::array<std::byte *, abi::kPieceBytesMax> next_{};
  std::size_t count_ = 1, turn_ = 0;
};

/// What the columns hold, which says where each begins.
struct Lengths {
  std::size_t records = 0, dense = 0;
  std::array<std::size_t, kSizes> denseBytes{}; ///< by the piece's bytes

  std::size_t affine() const { return records - dense; }
  std::size_t total() const {
    std::size_t bytes = sizeof(std::uint32_t) + records + dense + affine() * (kStepBytes + kBaseBytes);
    for (const std::size_t of : denseBytes)
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
    add(dense);
    addPlanes(affine() * kStepBytes, kStepBytes);
    addPlanes(affine() * kBaseBytes, kBaseBytes);
    for (std::size_t size = 1; size < kSizes; ++size)
      addPlanes(denseBytes[size], size);
    return parts;
  }
};

/// The planes behind the lengths, from `at` on.
struct Columns {
  Columns(std::byte *at, const Lengths &lengths)
      : steps(at, kStepBytes, lengths.affine() * kStepBytes),
        bases(at + lengths.affine() * kStepBytes, kBaseBytes, lengths.affine() * kBaseBytes) {
    at += lengths.affine() * (kStepBytes + kBaseBytes);
    for (std::size_t size = 1; size < kSizes; ++size) {
      dense[size] = Planes(at, size, lengths.denseBytes[size]);
      at += lengths.denseBytes[size];
    }
  }
  Planes steps, bases;
  std::array<Planes, kSizes> dense;
};

const unsigned char *bytesOf(const std::uint32_t &value) {
  return reinterpret_cast<const unsigned char *>(&value);
}
const unsigned char *bytesOf(const std::uint64_t &value) {
  return reinterpret_cast<const unsigned char *>(&value);
}

} // namespace

void encodeValues(std::span<const Word> words, std::vector<std::byte> &columns,
                  std::vector<std::span<const std::byte>> &parts) {
  Lengths lengths;
  for (std::size_t at = 0; at < words.size(); ++lengths.records) {
    const abi::FirstWord first = firstWordAt(words, at);
    const std::uint32_t size = abi::valueWords(first, words.size() - at);
    assert(size != 0 && "whole value records");
    if (abi::formOf(first.siteAndForm) == abi::RecordForm::ValueDense) {
      ++lengths.dense;
      lengths.denseBytes[abi::bytesOfValue(first.siteAndForm)] += (size - 1) * sizeof(Word);
    }
    at += size;
  }
  columns.resize(lengths.total());
  const auto records = static_cast<std::uint32_t>(lengths.records);
  std::memcpy(columns.data(), &records, sizeof records);
  std::byte *form = columns.data() + sizeof records, *length = form + lengths.records;
  Columns to(length + lengths.dense, lengths);
  for (std::size_t at = 0; at < words.size();) {
    const abi::FirstWord first = firstWordAt(words, at);
    const std::uint32_t size = abi::valueWords(first, words.size() - at),
                        bytes = abi::bytesOfValue(first.siteAndForm);
    const bool isDense = abi::formOf(first.siteAndForm) == abi::RecordForm::ValueDense;
    *form++ = static_cast<std::byte>(bytes | (isDense ? kDense : 0u));
    if (isDense) {
      *length++ = static_cast<std::byte>(size - 1);
      to.dense[bytes].put(words[at + 1].bytes, (size - 1) * sizeof(Word));
    } else {
      to.steps.put(bytesOf(first.lanes), kStepBytes);
      to.bases.put(bytesOf(first.place), kBaseBytes);
    }
    at += size;
  }
  parts = lengths.parts(columns);
}

std::string decodeValues(std::span<const std::byte> columns, std::span<Word> words) {
  const std::string wrong = "the columns of the chunk's values do not have their length";
  Lengths lengths;
  std::uint32_t records = 0;
  if (columns.size() < sizeof records)
    return wrong;
  std::memcpy(&records, columns.data(), sizeof records);
  lengths.records = records;
  if (columns.size() - sizeof records < lengths.records)
    return wrong;
  const std::span<const std::byte> forms = columns.subspan(sizeof records, lengths.records);
  for (const std::byte form : forms) {
    const auto value = std::to_integer<std::uint8_t>(form);
    if ((value & ~(kDense | 15u)) != 0 || (value & 15u) == 0 || (value & 15u) > abi::kPieceBytesMax)
      return "a value of the chunk has a form that is unknown";
    lengths.dense += (value & kDense) != 0;
  }
  if (columns.size() - sizeof records - lengths.records < lengths.dense)
    return wrong;
  const std::span<const std::byte> denseWords = columns.subspan(sizeof records + lengths.records, lengths.dense);
  std::size_t total = lengths.records, dense = 0;
  for (const std::byte form : forms) {
    const auto value = std::to_integer<std::uint8_t>(form);
    if ((value & kDense) == 0)
      continue;
    const std::size_t behind = std::to_integer<std::size_t>(denseWords[dense++]);
    if (behind == 0 || behind + 1 > abi::denseValueWords(value & 15u, abi::kLanes))
      return "a value of the chunk has more lanes than a warp, or none";
    total += behind;
    lengths.denseBytes[value & 15u] += behind * sizeof(Word);
  }
  if (total != words.size() || lengths.total() != columns.size())
    return wrong;
  // Nothing is written there: planes serve both directions.
  Columns from(const_cast<std::byte *>(denseWords.data() + denseWords.size()), lengths);
  std::size_t at = 0;
  dense = 0;
  for (const std::byte form : forms) {
    const auto value = std::to_integer<std::uint8_t>(form);
    const std::uint32_t bytes = value & 15u;
    abi::FirstWord first{abi::packSite(bytes, abi::RecordForm::ValueAffine), 0, 0};
    std::size_t behind = 0;
    if (value & kDense) {
      behind = std::to_integer<std::size_t>(denseWords[dense++]);
      first.siteAndForm = abi::packSite(bytes, abi::RecordForm::ValueDense);
      first.lanes = static_cast<std::uint32_t>(behind + 1);
      from.dense[bytes].take(words[at + 1].bytes, behind * sizeof(Word));
    } else {
      from.steps.take(reinterpret_cast<unsigned char *>(&first.lanes), kStepBytes);
      from.bases.take(reinterpret_cast<unsigned char *>(&first.place), kBaseBytes);
    }
    std::memcpy(words[at].bytes, &first, sizeof first);
    at += 1 + behind;
  }
  return {};
}

} // namespace cupr::trace
