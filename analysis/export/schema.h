/// The schemas of the export formats, made from kinds of rows.
#ifndef CUPR_ANALYSIS_SCHEMA_H
#define CUPR_ANALYSIS_SCHEMA_H

#include "row_kinds.h"

#include <string>

namespace cupr::analysis {

/// For protoc.
std::string protoSchema();
/// JSON Schema of one line.
std::string jsonSchema();
/// The statements that make an empty database, but for indices.
std::string sqlSchema();
/// The statements that make the indices.
std::string sqlIndices();
/// The kinds of rows as tables in Markdown.
std::string markdownSchema();

/// What SQLite calls the type of a column.
const char *sqlType(ColumnType type);
/// The statement that makes one table, and the table in Markdown.
std::string sqlTable(const RowKind &kind);
std::string markdownTable(const RowKind &kind);

} // namespace cupr::analysis

#endif
