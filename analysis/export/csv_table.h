/// A table as CSV: a heading, then a line per row, as RFC 4180 has it but for line ends.
#ifndef CUPR_ANALYSIS_CSV_TABLE_H
#define CUPR_ANALYSIS_CSV_TABLE_H

#include "analysis/output/byte_sink.h"
#include "analysis/tables/column.h"

#include <string>

namespace cupr::analysis {

/// Lists stand in one cell, separated by spaces; null is an empty cell.
class CsvTable {
public:
  /// Writes the heading.
  CsvTable(ByteSink &sink, const RowKind &kind);
  void row(std::span<const Value> values);

private:
  void cell(std::string_view text);
  void endLine();

  ByteSink &sink_;
  std::string line_;
};

} // namespace cupr::analysis

#endif
