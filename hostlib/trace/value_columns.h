/// How the values of a chunk lie before zstd packs them.
///
/// Value records (devicelib/abi/value_record.h) are taken apart into columns, one behind the other. What of a number
/// changes from value to value are its low bytes, so bytes of the same weight stand together, in *planes*:
///
///     forms     a byte per record: bytes of the piece, and 16 if it is dense
///     lengths   a byte per dense record: words behind its first
///     steps     4 planes: the shapes of affine records
///     bases     8 planes: their bases
///     dense     for each size from 1 to 8 bytes so many planes: byte i of all that stands behind the first words of the dense
///               records of this size is in plane i modulo the size
///
/// Columns have no lengths of their own: they follow from the forms and the lengths. In front stands the number of records,
/// in 4 bytes.
#ifndef CUPR_TRACE_VALUE_COLUMNS_H
#define CUPR_TRACE_VALUE_COLUMNS_H

#include "chunk.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

/// Writes the columns of `words`, which hold whole value records. `parts` are the columns, and planes, one by one: each has
/// statistics of its own. Throws std::bad_alloc only.
void encodeValues(std::span<const Word> words, std::vector<std::byte> &columns,
                  std::vector<std::span<const std::byte>> &parts);

/// Reads columns to exactly `words`. Returns the rule that they break; empty: none.
std::string decodeValues(std::span<const std::byte> columns, std::span<Word> words);

} // namespace cupr::trace

#endif
