/// The record: what one warp-level memory access leaves behind, bit by bit. Everything that writes or reads a
/// record, on the device or on the host, does so through this.
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
/// - CTA: bits 0-47 the linear number, `x + gridDim.x * (y + gridDim.y * z)`; bits 48-63 in the queue the
///   low bits of the launch's number, for kernels that run at the same time share pages, and 0 elsewhere. No
///   GPU could run 2^48 blocks in a lifetime.
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
///     Value     none: what the record before it read or wrote, see value_record.h
///     Box       those that a tensor map gives, see box_record.h: only in the queue
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
#ifndef CUPR_ABI_RECORD_HEAD_H
#define CUPR_ABI_RECORD_HEAD_H

#include <cstddef>
#include <cstdint>

/// For the device and for the host; programs in C++11 may use them, too.
#if __cplusplus >= 201402L
#define CUPR_RECORD_FUNCTION constexpr
#else
#define CUPR_RECORD_FUNCTION inline
#endif

namespace cupr {
namespace abi {

enum class RecordForm : std::uint32_t {
#define CUPR_RECORD_FORM(enumerator, name, kind, lanesPerWord) enumerator,
#include "record_form.def"
};

enum class FormKind { Access, Follow, Pad, Value, Box };

enum : std::uint32_t {
  kWordBytes = 16,
  kHeadWords = 2,
  kSiteBits = 28,
  kSiteMask = (1u << kSiteBits) - 1,
  kWarpBits = 5,
  kWarpMask = (1u << kWarpBits) - 1,
  kSmBits = 11,
  kSmMask = (1u << kSmBits) - 1,
  kGenerationShift = kWarpBits + kSmBits,
  kCtaBits = 48,
  kLanes = 32,
  /// The largest record: 32 ranges.
  kMaxRecordWords = kHeadWords + kLanes,
  /// As with sites, which say the size in 32 bits.
  kMaxRangeBytes = 0xffffffffu,
  kRecordForms = 0
#define CUPR_RECORD_FORM(enumerator, name, kind, lanesPerWord) +1
#include "record_form.def"
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

/// Word 0 of a record of any form.
struct FirstWord {
  std::uint32_t siteAndForm;
  std::uint32_t
      lanes; ///< the lane mask; of a Follow record the shape, of a Pad its length in words; of values: value_record.h
  std::uint64_t place; ///< the CTA; of a Follow record the base
};

static_assert(sizeof(RecordHead) == kHeadWords * kWordBytes && sizeof(FirstWord) == kWordBytes,
              "whole words");
static_assert(offsetof(RecordHead, base) == kWordBytes, "word 1 starts at the base");
static_assert(offsetof(FirstWord, lanes) == offsetof(RecordHead, laneMask) &&
                  offsetof(FirstWord, place) == offsetof(RecordHead, cta),
              "the first word of a head is one");

// The first 32 bits.

/// `site` is below 2^kSiteBits.
CUPR_RECORD_FUNCTION std::uint32_t packSite(std::uint32_t site, RecordForm form) {
  return site | static_cast<std::uint32_t>(form) << kSiteBits;
}
CUPR_RECORD_FUNCTION std::uint32_t siteOf(std::uint32_t siteAndForm) { return siteAndForm & kSiteMask; }
/// Maybe none of RecordForm.
CUPR_RECORD_FUNCTION RecordForm formOf(std::uint32_t siteAndForm) {
  return static_cast<RecordForm>(siteAndForm >> kSiteBits);
}

/// The forms of a kind: bit n stands for form n.
CUPR_RECORD_FUNCTION std::uint32_t formsOf(FormKind wanted) {
  return 0u
#define CUPR_RECORD_FORM(enumerator, name, kind, lanesPerWord)                                               \
  | (FormKind::kind == wanted ? 1u << static_cast<std::uint32_t>(RecordForm::enumerator) : 0u)
#include "record_form.def"
      ;
}
/// Whether `form` is a form at all, and of this kind.
CUPR_RECORD_FUNCTION bool isForm(std::uint32_t form, FormKind kind) {
  return form < 32u && (formsOf(kind) >> form & 1u) != 0;
}
/// Whether a record of this form describes an access by itself.
CUPR_RECORD_FUNCTION bool isAccessForm(std::uint32_t form) { return isForm(form, FormKind::Access); }
CUPR_RECORD_FUNCTION bool isFollow(std::uint32_t siteAndForm) {
  return isForm(siteAndForm >> kSiteBits, FormKind::Follow);
}
CUPR_RECORD_FUNCTION bool isValue(std::uint32_t siteAndForm) {
  return isForm(siteAndForm >> kSiteBits, FormKind::Value);
}
CUPR_RECORD_FUNCTION bool isPad(std::uint32_t siteAndForm) { return formOf(siteAndForm) == RecordForm::Pad; }

// The CTA, and what stands above it in the queue.

constexpr std::uint64_t ctaOf(std::uint64_t word) { return word & ((std::uint64_t{1} << kCtaBits) - 1); }
constexpr std::uint64_t tagOf(std::uint64_t word) { return word >> kCtaBits; }
/// What a launch's records carry above the CTA.
constexpr std::uint64_t launchTag(std::uint64_t launch) { return launch << kCtaBits; }
/// Launches whose tags differ, at least: this many that follow each other.
constexpr std::uint64_t kLaunchTags = std::uint64_t{1} << (64 - kCtaBits);

// Where the access was made. Of the SM and the generation the low bits are kept; `warp` is below 32.

CUPR_RECORD_FUNCTION std::uint32_t packWhere(std::uint32_t warp, std::uint32_t sm, std::uint32_t generation) {
  return warp | (sm & kSmMask) << kWarpBits | generation << kGenerationShift;
}
CUPR_RECORD_FUNCTION std::uint32_t warpOf(std::uint32_t where) { return where & kWarpMask; }
CUPR_RECORD_FUNCTION std::uint32_t smOf(std::uint32_t where) { return where >> kWarpBits & kSmMask; }
CUPR_RECORD_FUNCTION std::uint32_t generationOf(std::uint32_t where) { return where >> kGenerationShift; }
CUPR_RECORD_FUNCTION std::uint32_t withoutGeneration(std::uint32_t where) {
  return where & ((1u << kGenerationShift) - 1u);
}

// Sizes. `active`: of how many lanes.

inline unsigned activeLanes(std::uint32_t mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }

/// Words of the addresses of `active` lanes, of which `perWord` share one; 0: they have none.
CUPR_RECORD_FUNCTION std::uint32_t addressWords(unsigned perWord, unsigned active) {
  return perWord ? (active + perWord - 1u) / perWord : 0u;
}
/// Words in a record of this form (not for Pad).
CUPR_RECORD_FUNCTION std::uint32_t recordWords(RecordForm form, unsigned active) {
  switch (form) {
#define CUPR_RECORD_FORM(enumerator, name, kind, lanesPerWord)                                               \
  case RecordForm::enumerator:                                                                               \
    return (FormKind::kind == FormKind::Follow ? 1u : +kHeadWords) + addressWords(lanesPerWord, active);
#include "record_form.def"
  }
  return kHeadWords;
}
/// Bytes of one lane's address behind the head.
CUPR_RECORD_FUNCTION std::uint32_t addressBytes(RecordForm form) {
  switch (form) {
#define CUPR_RECORD_FORM(enumerator, name, kind, lanesPerWord)                                               \
  case RecordForm::enumerator:                                                                               \
    return lanesPerWord ? kWordBytes / (lanesPerWord + !lanesPerWord) : 0u;
#include "record_form.def"
  }
  return 0;
}
/// Bytes behind the last address, at the end of the record, which are 0 in a trace.
CUPR_RECORD_FUNCTION std::uint32_t unusedBytes(RecordForm form, unsigned active) {
  return addressBytes(form) ? (0u - active * addressBytes(form)) % kWordBytes : 0u;
}

/// The words of the record of an access that begins with this word, of which `available` can be read and
/// `active` lanes are in its mask. 0: it is none, or longer than that.
CUPR_RECORD_FUNCTION std::uint32_t accessWords(const FirstWord &first, unsigned active,
                                               std::size_t available) {
  const RecordForm form = formOf(first.siteAndForm);
  if (form == RecordForm::Affine) // most are
    return active != 0 && available >= kHeadWords ? +kHeadWords : 0u;
  if (active == 0 || !isAccessForm(static_cast<std::uint32_t>(form)))
    return 0;
  const std::uint32_t words = recordWords(form, active);
  return words <= available ? words : 0;
}
/// The words of a pad; 0: it can't be one.
CUPR_RECORD_FUNCTION std::uint32_t padWords(const FirstWord &first, std::size_t available) {
  return first.lanes <= available ? first.lanes : 0;
}

// Records of one word.

CUPR_RECORD_FUNCTION FirstWord padRecord(std::uint32_t words) {
  return FirstWord{packSite(0, RecordForm::Pad), words, 0};
}
CUPR_RECORD_FUNCTION FirstWord followRecord(std::uint32_t site, bool isRows, std::uint32_t shape,
                                            std::uint64_t base) {
  return FirstWord{packSite(site, isRows ? RecordForm::FollowRows : RecordForm::FollowAffine), shape, base};
}
/// The record that `follow` is short for, behind one with this head.
CUPR_RECORD_FUNCTION RecordHead followed(const RecordHead &head, const FirstWord &follow) {
  return RecordHead{packSite(siteOf(follow.siteAndForm), formOf(follow.siteAndForm) == RecordForm::FollowRows
                                                             ? RecordForm::Rows
                                                             : RecordForm::Affine),
                    head.laneMask,
                    head.cta,
                    follow.place,
                    follow.lanes,
                    head.where};
}

// Rows.

/// The shape of a Rows record: bits 0-2 log2 of the width, bits 3-10 the stride, bits 11-31 the pitch
/// (both signed, in bytes).
constexpr std::uint32_t packRows(unsigned widthLog2, std::int64_t stride, std::int64_t pitch) {
  return widthLog2 | (static_cast<std::uint32_t>(stride) & 0xffu) << 3 |
         static_cast<std::uint32_t>(pitch) << 11;
}
constexpr bool fitRows(std::int64_t stride, std::int64_t pitch) {
  return stride >= -128 && stride <= 127 && pitch >= -(1 << 20) && pitch < (1 << 20);
}
/// Log2 of the width that Rows records have in blocks of this width; 0: none. Of widths of 2, 4, 8 and 16: by arithmetic, since of a list of cases compilers make a table, and
/// hooks would load from that.
constexpr unsigned rowsWidthLog2(unsigned blockWidth) {
  return (blockWidth & (blockWidth - 1u)) == 0 && blockWidth <= 16
             ? (blockWidth >> 1 & 1u) + (blockWidth >> 2 & 1u) * 2u + (blockWidth >> 3 & 1u) * 3u +
                   (blockWidth >> 4) * 4u
             : 0u;
}
static_assert(rowsWidthLog2(0) == 0 && rowsWidthLog2(1) == 0 && rowsWidthLog2(2) == 1 &&
                  rowsWidthLog2(3) == 0 && rowsWidthLog2(4) == 2 && rowsWidthLog2(8) == 3 &&
                  rowsWidthLog2(12) == 0 && rowsWidthLog2(16) == 4 && rowsWidthLog2(32) == 0,
              "");
/// How many columns and rows of a width `lane` is behind lane `first`.
constexpr int columnsFrom(unsigned first, unsigned lane, unsigned widthLog2) {
  return static_cast<int>(lane & ((1u << widthLog2) - 1u)) -
         static_cast<int>(first & ((1u << widthLog2) - 1u));
}
constexpr int rowsFrom(unsigned first, unsigned lane, unsigned widthLog2) {
  return static_cast<int>(lane >> widthLog2) - static_cast<int>(first >> widthLog2);
}
/// The lowest of the lanes `mask` in the row behind that of the lowest lane, `first`: what tells the pitch, as
/// its neighbour `first + 1` tells the stride. 0: one of them is not among the lanes, and they are no Rows.
CUPR_RECORD_FUNCTION unsigned laneOfNextRow(std::uint32_t mask, unsigned first, unsigned widthLog2) {
  const unsigned width = 1u << widthLog2, end = (first & ~(width - 1u)) + width; // of the first row
  const std::uint32_t below = end < kLanes ? mask >> end : 0u;
  const bool hasNeighbour = first + 1u < end && (mask >> (first + 1u) & 1u) != 0;
  if (widthLog2 == 0 || !hasNeighbour || (below & ((1u << width) - 1u)) == 0)
    return 0;
  return end + static_cast<unsigned>(__builtin_ctz(below));
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
    return stride * columnsFrom(0, lane, widthLog2) + pitch * rowsFrom(0, lane, widthLog2);
  }
};
/// How far lane `lane` of a Rows record is from lane `first`.
constexpr std::int64_t rowsOffset(std::uint32_t shape, unsigned lane, unsigned first) {
  return RowsShape(shape).offset(lane) - RowsShape(shape).offset(first);
}

} // namespace abi
} // namespace cupr

#endif
