/// Sorted entries on their way to disk, in few bytes.
///
/// Neighbours among them have most of their bits in common: of a transfer the launches and mostly one of the
/// CTAs, and the sums are small. So each word of an entry is written as what differs from the entry before,
/// without the zeros in front: an eighth of the bytes, and writing and reading those is what takes the time.
#ifndef CUPR_ANALYSIS_PACKED_ENTRIES_H
#define CUPR_ANALYSIS_PACKED_ENTRIES_H

#include "analysis/model/unnamed_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace cupr::analysis {

/// What writer and reader have in common: a block is its length in bytes, and its entries; an entry is half a
/// byte for each word, which says how many bytes of it follow, and these.
template <typename Entry> class PackedEntries {
  static_assert(std::is_trivially_copyable_v<Entry>);

protected:
  static constexpr std::size_t kWords = (sizeof(Entry) + 7) / 8, kLengthBytes = (kWords + 1) / 2;
  static constexpr std::size_t kMostEntryBytes = kLengthBytes + 8 * kWords;
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 14;
  using Words = std::array<std::uint64_t, kWords>;
  static_assert(std::endian::native == std::endian::little);

  Words last_{}; ///< of the entry before
};

template <typename Entry> class PackedEntryWriter : PackedEntries<Entry> {
  using Base = PackedEntries<Entry>;

public:
  explicit PackedEntryWriter(std::FILE *file) : file_(file), block_(Base::kBlockBytes) {}

  void add(const Entry &entry) {
    if (at_ + Base::kMostEntryBytes > block_.size())
      finish();
    typename Base::Words words{};
    std::memcpy(words.data(), &entry, sizeof entry);
    std::byte *const lengths = block_.data() + at_;
    std::memset(lengths, 0, Base::kLengthBytes);
    at_ += Base::kLengthBytes;
    for (std::size_t i = 0; i < Base::kWords; ++i) {
      const std::uint64_t differing = words[i] ^ this->last_[i];
      const auto bytes = static_cast<unsigned>(std::bit_width(differing) + 7) / 8;
      lengths[i / 2] |= static_cast<std::byte>(bytes << i % 2 * 4);
      std::memcpy(block_.data() + at_, &differing, sizeof differing);
      at_ += bytes;
    }
    this->last_ = words;
  }

  /// Writes what is left.
  void finish() {
    const std::uint64_t bytes = at_;
    writeAll(file_, &bytes, sizeof bytes);
    writeAll(file_, block_.data(), at_);
    at_ = 0;
  }

private:
  std::FILE *const file_;
  std::vector<std::byte> block_;
  std::size_t at_ = 0;
};

template <typename Entry> class PackedEntryReader : PackedEntries<Entry> {
  using Base = PackedEntries<Entry>;

public:
  /// A word is read with what is behind it.
  explicit PackedEntryReader(std::FILE *file) : file_(file), block_(Base::kBlockBytes + 8) {}

  /// There must be one.
  Entry next() {
    if (at_ == end_)
      fill();
    const std::byte *const lengths = block_.data() + at_;
    at_ += Base::kLengthBytes;
    for (std::size_t i = 0; i < Base::kWords; ++i) {
      const unsigned bytes = std::to_integer<unsigned>(lengths[i / 2] >> i % 2 * 4) & 15;
      std::uint64_t differing = 0;
      std::memcpy(&differing, block_.data() + at_, sizeof differing);
      this->last_[i] ^= bytes == 0 ? 0 : differing & UINT64_MAX >> (64 - 8 * bytes);
      at_ += bytes;
    }
    Entry entry;
    std::memcpy(static_cast<void *>(&entry), this->last_.data(), sizeof entry);
    return entry;
  }

private:
  void fill() {
    std::uint64_t bytes = 0;
    readAll(file_, &bytes, sizeof bytes);
    readAll(file_, block_.data(), bytes);
    at_ = 0;
    end_ = bytes;
  }

  std::FILE *const file_;
  std::vector<std::byte> block_;
  std::size_t at_ = 0, end_ = 0;
};

} // namespace cupr::analysis

#endif
