/// The `warps` encoding of a chunk: records taken apart into columns, each value predicted from what the same
/// warp did before.
///
/// The difficulty: a multiprocessor runs dozens of warps in turn, in an order that is partly chance. Seen by
/// site, addresses jump to and fro between warps that stand at different places of the program. Seen by warp,
/// a regular program is regular. So the encoding follows each warp by itself, and what is left to say of a
/// record is hardly more than whose turn it was.
///
/// Terms. A *slot* holds what is known of a warp (a CTA and a number in it); there are 256, used in turn, so
/// a warp that has been quiet for long is forgotten. A slot is *fresh* until the warp's first record is done.
/// The *origin* of a record is where its lane 0 would be: the base, less the distance of the lowest active
/// lane from lane 0 as the shape has it (forms Affine and Rows). A *step* is the distance between the origins
/// of two records of one warp at one site. A *visit* is what a warp's last record at a site left behind:
/// origin, mask, and which site came next; 2048 are kept, by a hash of slot and site.
///
/// Prediction, all of it from earlier records of the same chunk:
/// - the warp: the one that was active as many records ago as the last record's warp had been;
/// - the site: what followed this warp's last site when the warp was there before, else when any warp was; of
/// a fresh warp: where
///   the last fresh one began;
/// - lane mask: as in the warp's last visit of the site, else in the warp's last record, else in the site's
/// last;
/// - form and shape: as in the site's last record;
/// - origin: there are up to three candidates, see Prediction in warp_columns.cpp;
/// - offsets: as in the site's last record of form Offset32.
///
/// Layout: u32 number of CTAs in a row of the grid (0: the grid is one row), u32 lengths of the columns, then
/// the columns in the order of enum Column. What zstd can't shorten, the dense addresses, stand behind the
/// zstd frame. Varints are LEB128; differences are zigzag. Column by column:
///
///     Control   a byte per record:
///               bits 0-1  warp: 0 as predicted, 1 see Gap, 2 fresh: the next warp of the last fresh one's
///               CTA, on the
///                         same SM, 3 fresh: see Cta, Warp, Sm
///               bit 2     see Site
///               bits 3-4  origin: 0-2 the candidate, 3 see Base
///               bit 5     see Mask
///               bit 6     see Form and Shape
///               bit 7     form Offset32: the offsets are those of the site's last record
///     Gap       u8: the warp is the one that was active so many records ago
///     Cta       varint, difference from that of the last fresh warp
///     Warp      u8
///     Sm        varint, difference from that of the last fresh warp
///     Site      varint: number of the site in the order of first appearance; if it is the number of sites so
///     far,
///               a new one, and a varint follows, the difference from the last new one's number
///     Mask      u32
///     Form      u8, abi::RecordForm
///     Shape     varint, difference from the site's last
///     Base      varint: difference of the origin from candidate 0; with dense addresses, of the lowest
///     address from the site's
///               last lowest
///     Address   of records of the forms Offset32 and Raw: packing, u8. 0: a varint per active lane, the
///     difference
///               from the lane before, the first from the base. Else the number of bits w of each lane's
///               distance from the lowest address, divided by 2^shift; u8 shift follows. w is 8 or 16 and the
///               numbers follow; or it is from 17 to 57 and they are dense, elsewhere. Such records have no
///               Base by candidate: the lowest address and the first lane's number give it. Form Range: two
///               varints per active lane, the address as the difference from that of the lane before, the
///               first from the base, and the number of bytes, the first from 0
///     dense     w bits per active lane, the lowest bits first; each record starts at a byte
#ifndef CUPR_TRACE_WARP_COLUMNS_H
#define CUPR_TRACE_WARP_COLUMNS_H

#include "chunk.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

inline constexpr unsigned kWarpColumns = 11;

/// What an encoder has made, valid until it encodes again.
struct EncodedWarps {
  /// The head and the columns, to be packed one after the other.
  std::array<std::span<const std::byte>, 1 + kWarpColumns> parts;
  std::span<const std::byte> dense;
};

/// Encodes chunks; keeps its memory from one to the next. Not for several threads at once.
class WarpEncoder {
public:
  WarpEncoder();
  ~WarpEncoder();

  /// `words` are at most kMaxChunkWords; `row` is the number of CTAs in a row of the grid, if it has several,
  /// else 0. False: the words are not what Gather makes (a pad, a generation, unused bits that are not 0).
  bool encode(std::span<const Word> words, std::uint32_t row, EncodedWarps &encoded);

private:
  class Run;
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// Decodes `records` records into exactly `words.size()` words. Returns the rule that
/// the bytes break; empty: none.
std::string decodeWarps(std::span<const std::byte> columns, std::span<const std::byte> dense,
                        std::uint32_t records, std::span<Word> words);

} // namespace cupr::trace

#endif
