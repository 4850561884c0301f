/// How the values of a chunk lie before zstd packs them.
///
/// Value records (devicelib/abi/value_record.h) are taken apart into columns, one behind the other. What a warp reads is mostly
/// what memory is known to hold there, from the chunk's accesses before (known_memory.h), and takes no more than its form. Of
/// the rest the bytes of the same weight stand together, in *planes*: what changes from value to value are the low ones.
///
/// A clock (kSiteClock) is what the warp's clock before was, and a little more: the difference is written, as one number where
/// the lanes have read it together, or else one for each lane, from that of the lane before. The warp's clock before is that of
/// the first lane of its last record in the chunk (warp_clocks.h).
///
/// A duration (kSiteDuration) that all lanes share takes no more than its form where it is that of the site's record before in the chunk, as
/// hits in a cache mostly are, and else one number. It is not written as a difference: what varies does so around a mean, and two of
/// them differ by more than one does from it. Durations of lanes that were apart are Affine or Dense, as values are.
///
///     forms     a byte per record: bytes of the piece, and 16 times its ValueForm
///     masks     4 planes: of each record that is known in part, which lanes are
///     steps     4 planes: the shapes of affine records
///     bases     8 planes: their bases
///     clocks    8 planes: the differences
///     durations 4 planes: those that are DurationTogether
///     dense     for each size from 1 to 8 bytes so many planes: byte i of all that dense records of this size, and those that are
///               known in part, have to say of lanes is in plane i modulo the size
///
/// Columns have no lengths of their own: they follow from the forms, the masks, and the accesses. In front stands the number of
/// records, in 4 bytes.
#ifndef CUPR_TRACE_VALUE_COLUMNS_H
#define CUPR_TRACE_VALUE_COLUMNS_H

#include "chunk.h"
#include "module.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

/// By number, as in the forms.
/// Clocks are Affine, ClockTogether or ClockApart, durations Affine, Dense, DurationAsBefore or DurationTogether, and values one of the
/// first four.
enum class ValueForm : std::uint8_t {
  Affine,
  Dense,
  Known,
  KnownInPart,
  ClockTogether,
  ClockApart,
  DurationAsBefore,
  DurationTogether
};

/// What is known of the values of a site's accesses.
struct ValueSite {
  abi::ValueShape shape{}; ///< without pieces: it has none
  abi::OperationClass operation = abi::OperationClass::Load;
  bool isOfBlock = false; ///< its addresses are those of one block or thread
};
/// By site; empty where no site has values.
using ValueSites = std::vector<ValueSite>;
ValueSites valueSitesOf(std::span<const Site> sites);

/// Writes the columns of `values`, the value records of the records in `words`. `parts` are the columns, and planes, one by one:
/// each has statistics of its own. False: they are not those of these records. Throws std::bad_alloc only.
bool encodeValues(std::span<const Word> words, std::span<const Word> values, std::span<const ValueSite> sites,
                  std::vector<std::byte> &columns, std::vector<std::span<const std::byte>> &parts);

/// Reads columns to exactly `values`, those of the records in `words`. Returns the rule that they break; empty: none.
std::string decodeValues(std::span<const std::byte> columns, std::span<const Word> words,
                         std::span<const ValueSite> sites, std::span<Word> values);

} // namespace cupr::trace

#endif
