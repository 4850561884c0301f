/// The rows of an export, one after the other, as row_kinds.h has them.
#ifndef CUPR_ANALYSIS_ROW_READER_H
#define CUPR_ANALYSIS_ROW_READER_H

#include "analysis/export/row_kinds.h"
#include "byte_source.h"

#include <memory>
#include <optional>

namespace cupr::analysis {

/// A row. Values are null where the file has none: that is for the reader of the row to judge, since files of earlier versions lack
/// columns that were added later.
struct Row {
  RowKindId kind{};
  Values values; ///< one for each column of the kind, each null or of the column's type
};

/// Memory: a row, of kLargestRow bytes at most. Rows and columns that this program doesn't know are passed over.
class RowReader {
public:
  virtual ~RowReader() = default;
  /// The next row, valid until the next call; null: there are no more. Throws BrokenExport.
  virtual const Row *next() = 0;
};

inline constexpr std::size_t kLargestRow = 16u << 20;

/// Of objects of JSON, one after the other.
std::unique_ptr<RowReader> jsonRows(ByteSource &source);
/// Of a Trace message of cuprewrite.proto.
std::unique_ptr<RowReader> protobufRows(ByteSource &source);

} // namespace cupr::analysis

#endif
