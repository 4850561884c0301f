/// The tables of a trace that queries see: rows of the model and of records as exports have them (export/row_kinds.h), and what sites add up
/// to. Names and meanings of columns are those of exports and results; only what these don't have is described here.
#ifndef CUPR_ANALYSIS_QUERY_TABLE_H
#define CUPR_ANALYSIS_QUERY_TABLE_H

#include "analysis/export/row_kinds.h"
#include "open_trace.h"
#include "row_filter.h"

#include <memory>
#include <span>
#include <string>

namespace cupr::analysis {

/// Goes through rows of a table. Errors are BadTrace and trace::TooMuch.
class TableCursor {
public:
  virtual ~TableCursor() = default;
  /// Moves to the next row, at first to the first; false: there is none.
  virtual bool next() = 0;
  /// Of a column of the row; valid until the next call of anything.
  virtual Value value(std::size_t column) = 0;
};

/// What a table can tell of a column without looking at its rows: it is a field of RowFilter.
enum class Pushed { Nothing, Key, Launch, Kernel, Site, Cta, Address };

struct QueryTable {
  RowKind kind;
  std::vector<Pushed> pushed; ///< by column
  double rows;                ///< about how many there may be, beside those of other tables
  std::unique_ptr<TableCursor> (*open)(const QueryTable &table, OpenTrace &trace, const RowFilter &filter);
  RowKindId of{}; ///< of rows of the model
};

/// In the order in which they are described.
std::span<const QueryTable> queryTables();
/// The tables in Markdown.
std::string queryMarkdown();

} // namespace cupr::analysis

#endif
