/// The record: what one warp-level memory access leaves behind.
///
/// A record is a run of 16-byte words, little endian:
///
///     word 0   u32 site and form | u32 lane mask | u64 CTA
///     word 1   u64 base address  | u32 shape     | u32 warp, SM, generation
///     word 2.. addresses of the active lanes, if the form needs them
///
/// - site and form: the low 28 bits are the index of the site in the module's
///   site table (site_table.h), the high 4 bits the form.
/// - lane mask: bit n is set when lane n made the access. Never 0.
/// - CTA: bits 0-47 the linear number, `x + gridDim.x * (y + gridDim.y * z)`; bits 48-63 in the queue the low
/// bits of the
///   launch's number, for kernels that run at the same time share pages, and 0 elsewhere. No GPU could run
///   2^48 blocks in a lifetime.
/// - base: the address used by the lowest active lane.
/// - shape: for Affine, the stride (i32); for Rows, see packRows; else 0.
/// - warp (bits 0-4) is the linear thread number divided by 32; SM is bits 5-15;
///   bits 16-31 are the low bits of the generation of the page (queue.h), so that
///   a reader of a crashed program's pages can tell new records from old ones.
///
/// Forms, by how the address of active lane n is found, where `first` is the
/// lowest active lane and `rank` the number of active lanes below n:
///
///     form      address                                     words
///     Affine    base + stride * (n - first)                 2
///     Rows      base + stride * (n % w - first % w)
///                    + pitch * (n / w - first / w)          2
///     Offset32  base + i32 at word 2, element rank          2 + ceil(active / 4)
///     Raw       u64 at word 2, element rank                 2 + ceil(active / 2)
///     Pad       none: nothing was accessed                  the lane mask's value
///     Range     u64 at word 2 + rank                        2 + active
///     Follow    as the record that it is short for          1
///
/// A Follow record is the next access of the same lanes, close behind, where nothing but site, shape and base
/// differ from the record before it: u32 site and form | u32 shape | u64 base. There is one form for what
/// would be Affine and one for Rows. Only the queue has them; the host makes them whole (followed()).
///
/// How many bytes each lane accessed is the site's to say, except in form Range: there the
/// second u64 of a lane's word holds the number, from 1 to kMaxRangeBytes. Bulk copies are such
/// accesses, whose size is not known before run time.
///
/// Rows is what a warp of a two-dimensional block makes, whose width w is a power of two below 32: a
/// 16 x 16 tile has two rows in a warp.
///
/// Every form keeps every lane's exact address. A record never crosses the end
/// of a page.
#ifndef CUPR_ABI_RECORD_H
#define CUPR_ABI_RECORD_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cupr {
namespace abi {

enum class RecordForm : std::uint32_t {
  Affine = 0,
  Offset32 = 1,
  Raw = 2,
  Pad = 3,
  Rows = 4,
  Range = 5,
  FollowAffine = 6,
  FollowRows = 7,
};

enum : std::uint32_t {
  kWordBytes = 16,
  kSiteBits = 28,
  kSiteMask = (1u << kSiteBits) - 1,
  kWarpBits = 5,
  kSmBits = 11,
  kCtaBits = 48,
  kLanes = 32,
  /// The largest record: 32 ranges.
  kMaxRecordWords = 2 + kLanes,
  /// As with sites, which say the size in 32 bits.
  kMaxRangeBytes = 0xffffffffu,
};

/// Words 0 and 1 as they lie in memory.
struct RecordHead {
  std::uint32_t siteAndForm;
  std::uint32_t laneMask;
  std::uint64_t cta;
  std::uint64_t base;
  std::uint32_t shape;
  std::uint32_t where;
};

static_assert(sizeof(RecordHead) == 2 * kWordBytes, "two words");
static_assert(offsetof(RecordHead, base) == kWordBytes, "word 1 starts at the base");

/// A Follow record as it lies in memory.
struct FollowRecord {
  std::uint32_t siteAndForm;
  std::uint32_t shape;
  std::uint64_t base;
};

static_assert(sizeof(FollowRecord) == kWordBytes, "one word");
static_assert(offsetof(FollowRecord, shape) == offsetof(RecordHead, laneMask) &&
                  offsetof(FollowRecord, base) == offsetof(RecordHead, cta),
              "a reader may look at the first word as either");

inline bool isFollow(std::uint32_t siteAndForm) {
  return siteAndForm >> kSiteBits >= static_cast<std::uint32_t>(RecordForm::FollowAffine) &&
         siteAndForm >> kSiteBits <= static_cast<std::uint32_t>(RecordForm::FollowRows);
}

/// The record that `follow` is short for, behind one with this head.
inline RecordHead followed(RecordHead head, const FollowRecord &follow) {
  const RecordForm form =
      follow.siteAndForm >> kSiteBits == static_cast<std::uint32_t>(RecordForm::FollowRows)
          ? RecordForm::Rows
          : RecordForm::Affine;
  head.siteAndForm = (follow.siteAndForm & kSiteMask) | static_cast<std::uint32_t>(form) << kSiteBits;
  head.base = follow.base;
  head.shape = follow.shape;
  return head;
}

/// A record, taken apart. `address[n]` is valid for the lanes in `laneMask`.
struct WarpAccess {
  std::uint32_t site;
  std::uint32_t laneMask;
  std::uint64_t cta;
  std::uint32_t warp;
  std::uint32_t sm;
  RecordForm form;
  /// For Affine records: the distance between neighbouring lanes, in bytes.
  std::int32_t stride;
  /// For Rows records: see RowsShape.
  std::uint32_t shape;
  std::uint64_t address[kLanes];
  /// For Range records: the bytes of each lane in `laneMask`.
  std::uint64_t bytes[kLanes];
};

/// The bytes that one active lane accessed, at a site of `siteBytes`.
inline std::uint64_t laneBytes(const WarpAccess &access, unsigned lane, std::uint64_t siteBytes) {
  return access.form == RecordForm::Range ? access.bytes[lane] : siteBytes;
}

inline std::uint32_t packWhere(std::uint32_t warp, std::uint32_t sm, std::uint32_t generation) {
  return (warp & 31u) | ((sm & 2047u) << kWarpBits) | (generation << 16);
}

constexpr std::uint64_t ctaOf(std::uint64_t word) { return word & ((std::uint64_t{1} << kCtaBits) - 1); }
/// What a launch's records carry above the CTA.
constexpr std::uint64_t launchTag(std::uint64_t launch) { return launch << kCtaBits; }
/// Launches whose tags differ, at least: this many that follow each other.
constexpr std::uint64_t kLaunchTags = std::uint64_t{1} << (64 - kCtaBits);

/// Whether a record of this form describes an access: it is none of the others, and no pad.
inline bool isAccessForm(std::uint32_t form) {
  return form <= static_cast<std::uint32_t>(RecordForm::Raw) ||
         form == static_cast<std::uint32_t>(RecordForm::Rows) ||
         form == static_cast<std::uint32_t>(RecordForm::Range);
}

/// The shape of a Rows record: bits 0-2 log2 of the width, bits 3-10 the stride, bits 11-31 the pitch
/// (both signed, in bytes).
constexpr std::uint32_t packRows(unsigned widthLog2, std::int64_t stride, std::int64_t pitch) {
  return widthLog2 | (static_cast<std::uint32_t>(stride) & 0xffu) << 3 |
         static_cast<std::uint32_t>(pitch) << 11;
}
constexpr bool fitRows(std::int64_t stride, std::int64_t pitch) {
  return stride >= -128 && stride <= 127 && pitch >= -(1 << 20) && pitch < (1 << 20);
}
/// Log2 of the width that Rows records have in blocks of this width; 0: none.
constexpr unsigned rowsWidthLog2(unsigned blockWidth) {
  return blockWidth == 2 ? 1u : blockWidth == 4 ? 2u : blockWidth == 8 ? 3u : blockWidth == 16 ? 4u : 0u;
}
/// The shape of a Rows record, taken apart.
struct RowsShape {
  unsigned widthLog2;
  std::int64_t stride, pitch; ///< bytes from lane to lane of a row, and from row to row
  constexpr explicit RowsShape(std::uint32_t shape)
      : widthLog2(shape & 7u), stride(static_cast<std::int8_t>(shape >> 3)),
        pitch(static_cast<std::int32_t>(shape) >> 11) {}
  /// How far lane `lane` is from lane 0.
  constexpr std::int64_t offset(unsigned lane) const {
    return stride * static_cast<int>(lane & ((1u << widthLog2) - 1u)) +
           pitch * static_cast<int>(lane >> widthLog2);
  }
};
/// How far lane `lane` of a Rows record is from lane `first`.
constexpr std::int64_t rowsOffset(std::uint32_t shape, unsigned lane, unsigned first) {
  return RowsShape(shape).offset(lane) - RowsShape(shape).offset(first);
}

inline unsigned activeLanes(std::uint32_t mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }

/// Words in a record of this form with this many active lanes (not for Pad).
inline std::uint32_t recordWords(RecordForm form, unsigned active) {
  switch (form) {
  case RecordForm::Offset32:
    return 2u + (active + 3u) / 4u;
  case RecordForm::Raw:
    return 2u + (active + 1u) / 2u;
  case RecordForm::Range:
    return 2u + active;
  case RecordForm::FollowAffine:
  case RecordForm::FollowRows:
    return 1u;
  default:
    return 2u;
  }
}

/// The bytes that all lanes of a record accessed together, at a site of `siteBytes`.
inline std::uint64_t recordBytes(const WarpAccess &access, std::uint64_t siteBytes) {
  if (access.form != RecordForm::Range)
    return activeLanes(access.laneMask) * siteBytes;
  std::uint64_t total = 0;
  for (std::uint32_t left = access.laneMask; left; left &= left - 1u)
    total += access.bytes[__builtin_ctz(left)];
  return total;
}

/// The shape of a Rows record for `access`, or 0 if it isn't one (no such record's shape is 0).
inline std::uint32_t findRows(const WarpAccess &access, unsigned widthLog2) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(access.laneMask)), width = 1u << widthLog2;
  const unsigned end = (first & ~(width - 1u)) + width; // of the first row
  const std::uint64_t base = access.address[first];
  const bool neighbour = first + 1u < end && (access.laneMask >> (first + 1u) & 1u);
  const std::uint32_t below = end < kLanes ? access.laneMask >> end : 0u;
  if (widthLog2 == 0 || !neighbour || (below & ((1u << width) - 1u)) == 0)
    return 0;
  const unsigned next = end + static_cast<unsigned>(__builtin_ctz(below));
  const std::int64_t stride = static_cast<std::int64_t>(access.address[first + 1u] - base);
  const std::int64_t pitch = static_cast<std::int64_t>(access.address[next] - base) -
                             stride * (static_cast<int>(next - end) - static_cast<int>(first & (width - 1u)));
  if (!fitRows(stride, pitch))
    return 0;
  const std::uint32_t shape = packRows(widthLog2, stride, pitch);
  for (std::uint32_t rest = access.laneMask; rest; rest &= rest - 1u) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (static_cast<std::int64_t>(access.address[lane] - base) != rowsOffset(shape, lane, first))
      return 0;
  }
  return shape;
}

/// Writes the shortest record for `access` (its form and stride are ignored) to
/// `words`, which has room for kMaxRecordWords words. Returns the number of
/// words written. The lane mask must not be 0. `blockWidth`: blockDim.x, or 0 if it isn't known.
inline std::uint32_t encodeRecord(const WarpAccess &access, std::uint32_t generation, void *words,
                                  unsigned blockWidth = 0) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(access.laneMask));
  const unsigned active = activeLanes(access.laneMask);
  const std::uint64_t base = access.address[first];
  std::int64_t stride = 0;
  const std::uint32_t others = access.laneMask & (access.laneMask - 1u);
  bool affine = true, narrow = true;
  if (others) {
    const unsigned second = static_cast<unsigned>(__builtin_ctz(others));
    const std::int64_t distance = static_cast<std::int64_t>(access.address[second] - base);
    stride = distance / static_cast<std::int64_t>(second - first);
    affine = stride >= INT32_MIN && stride <= INT32_MAX;
    for (unsigned lane = second; lane < kLanes; ++lane) {
      if (!((access.laneMask >> lane) & 1u))
        continue;
      const std::int64_t offset = static_cast<std::int64_t>(access.address[lane] - base);
      affine = affine && offset == stride * static_cast<std::int64_t>(lane - first);
      narrow = narrow && offset >= INT32_MIN && offset <= INT32_MAX;
    }
  }
  const std::uint32_t rows = affine ? 0u : findRows(access, rowsWidthLog2(blockWidth));
  const RecordForm form = affine   ? RecordForm::Affine
                          : rows   ? RecordForm::Rows
                          : narrow ? RecordForm::Offset32
                                   : RecordForm::Raw;
  RecordHead head;
  head.siteAndForm = (access.site & kSiteMask) | (static_cast<std::uint32_t>(form) << kSiteBits);
  head.laneMask = access.laneMask;
  head.cta = access.cta;
  head.base = base;
  head.shape = affine ? static_cast<std::uint32_t>(stride) : rows;
  head.where = packWhere(access.warp, access.sm, generation);
  unsigned char *out = static_cast<unsigned char *>(words);
  std::memcpy(out, &head, sizeof head);
  const std::uint32_t size = recordWords(form, active);
  if (size == 2u)
    return size;
  std::memset(out + sizeof head, 0, (size - 2u) * kWordBytes);
  unsigned rank = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!((access.laneMask >> lane) & 1u))
      continue;
    if (form == RecordForm::Offset32) {
      const std::int32_t offset = static_cast<std::int32_t>(access.address[lane] - base);
      std::memcpy(out + sizeof head + 4u * rank, &offset, sizeof offset);
    } else {
      std::memcpy(out + sizeof head + 8u * rank, &access.address[lane], sizeof(std::uint64_t));
    }
    ++rank;
  }
  return size;
}

/// Writes the Range record for `access`, of which every active lane's `bytes` count, as
/// encodeRecord does.
inline std::uint32_t encodeRange(const WarpAccess &access, std::uint32_t generation, void *words) {
  RecordHead head;
  head.siteAndForm = (access.site & kSiteMask) | (static_cast<std::uint32_t>(RecordForm::Range) << kSiteBits);
  head.laneMask = access.laneMask;
  head.cta = access.cta;
  head.base = access.address[__builtin_ctz(access.laneMask)];
  head.shape = 0;
  head.where = packWhere(access.warp, access.sm, generation);
  unsigned char *out = static_cast<unsigned char *>(words);
  std::memcpy(out, &head, sizeof head);
  out += sizeof head;
  for (std::uint32_t left = access.laneMask; left; left &= left - 1u) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    std::memcpy(out, &access.address[lane], sizeof(std::uint64_t));
    std::memcpy(out + sizeof(std::uint64_t), &access.bytes[lane], sizeof(std::uint64_t));
    out += kWordBytes;
  }
  return recordWords(RecordForm::Range, activeLanes(access.laneMask));
}

enum class RecordStatus { Access, Pad, Malformed };

/// Takes apart the record that starts at `words`, of which `available` words
/// can be read. Sets `size` to its number of words. `access` is set when the
/// result is Access. Malformed: the form is unknown, the lane mask is 0, a range has another size than it
/// may, or the record is longer than what is available.
inline RecordStatus decodeRecord(const void *words, std::size_t available, WarpAccess &access,
                                 std::uint32_t &size) {
  size = 0;
  if (available == 0)
    return RecordStatus::Malformed;
  const unsigned char *in = static_cast<const unsigned char *>(words);
  RecordHead head;
  std::memcpy(&head, in, kWordBytes);
  const std::uint32_t form = head.siteAndForm >> kSiteBits;
  if (form == static_cast<std::uint32_t>(RecordForm::Pad)) {
    size = head.laneMask;
    return size >= 1 && size <= available ? RecordStatus::Pad : RecordStatus::Malformed;
  }
  if (!isAccessForm(form) || head.laneMask == 0 || available < 2)
    return RecordStatus::Malformed;
  access.form = static_cast<RecordForm>(form);
  size = recordWords(access.form, activeLanes(head.laneMask));
  if (size > available)
    return RecordStatus::Malformed;
  std::memcpy(&head, in, sizeof head);
  access.site = head.siteAndForm & kSiteMask;
  access.laneMask = head.laneMask;
  access.cta = head.cta;
  access.warp = head.where & 31u;
  access.sm = (head.where >> kWarpBits) & 2047u;
  access.stride = access.form == RecordForm::Affine ? static_cast<std::int32_t>(head.shape) : 0;
  access.shape = access.form == RecordForm::Rows ? head.shape : 0;
  const unsigned first = static_cast<unsigned>(__builtin_ctz(head.laneMask));
  if (access.form == RecordForm::Affine) {
    const std::uint64_t stride = static_cast<std::uint64_t>(static_cast<std::int64_t>(access.stride));
    std::uint64_t address = head.base - stride * first;
    for (unsigned lane = 0; lane < kLanes; ++lane, address += stride)
      access.address[lane] = address;
    return RecordStatus::Access;
  }
  if (access.form == RecordForm::Rows) {
    const RowsShape rows(head.shape);
    std::uint64_t row = head.base - static_cast<std::uint64_t>(rows.offset(first));
    for (unsigned lane = 0; lane < kLanes; row += static_cast<std::uint64_t>(rows.pitch))
      for (std::uint64_t address = row, end = lane + (1u << rows.widthLog2); lane < end && lane < kLanes;
           ++lane, address += static_cast<std::uint64_t>(rows.stride))
        access.address[lane] = address;
    return RecordStatus::Access;
  }
  unsigned rank = 0;
  for (unsigned lane = first; lane < kLanes; ++lane) {
    if (!((head.laneMask >> lane) & 1u))
      continue;
    if (access.form == RecordForm::Offset32) {
      std::int32_t offset;
      std::memcpy(&offset, in + sizeof head + 4u * rank, sizeof offset);
      access.address[lane] = head.base + static_cast<std::uint64_t>(static_cast<std::int64_t>(offset));
    } else if (access.form == RecordForm::Range) {
      const unsigned char *const word = in + sizeof head + kWordBytes * rank;
      std::memcpy(&access.address[lane], word, sizeof(std::uint64_t));
      std::memcpy(&access.bytes[lane], word + sizeof(std::uint64_t), sizeof(std::uint64_t));
      if (access.bytes[lane] == 0 || access.bytes[lane] > kMaxRangeBytes)
        return RecordStatus::Malformed;
    } else {
      std::memcpy(&access.address[lane], in + sizeof head + 8u * rank, sizeof(std::uint64_t));
    }
    ++rank;
  }
  return RecordStatus::Access;
}

} // namespace abi
} // namespace cupr

#endif
