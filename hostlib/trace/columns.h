/// The `columns` encoding of a chunk, which formats 1 and 2 have and which is only read now: records taken
/// apart into columns, each value predicted from what the same site did before.
///
/// Prediction, all of it from earlier records of the same chunk:
/// - the site: what followed the previous record's site the last time;
/// - lane mask, shape and offsets: as in the site's last record;
/// - CTA, warp and SM: as in the previous record;
/// - base: the site's last base, plus a multiple of the distance in CTAs, plus a multiple of
///   the distance in warps, or plus the site's last step if both are the same. The multiples
///   are learnt as records go by.
///
/// Layout: u32 lengths of the columns, then the columns, in the order of enum Column.
/// Varints are LEB128; differences are zigzag. Column by column:
///
///     Control   a byte per record: bits 0-1 form (3: Offset32 with the offsets of the site's
///               last record), and what follows in other columns:
///               4 mask, 8 CTA, 16 warp, 32 shape, 64 SM, 128 base
///     Site      varint per record: 0 as predicted, else site + 1
///     Mask      u32
///     Cta       varint, difference from the previous record's
///     Warp      u8
///     Shape     varint, difference from the site's last; a Rows record is coded as Affine and a Range record
///               as Raw, with 2^32 added to its shape
///     Sm        u16
///     Base      varint, difference from the prediction
///     Address   varint per active lane, difference from the lane before (offsets from 0, raw
///               addresses from the base). Form Range: each is followed by the number of bytes, as the
///               difference from that of the lane before, the first from 0
#ifndef CUPR_TRACE_COLUMNS_H
#define CUPR_TRACE_COLUMNS_H

#include "chunk.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

/// Decodes `records` records into exactly `words.size()` words. Returns the rule that
/// `bytes` break; empty: none.
std::string decodeColumns(std::span<const std::byte> bytes, std::uint32_t records, std::span<Word> words);

} // namespace cupr::trace

#endif
