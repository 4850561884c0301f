/// The schemas of the export formats, made from row_kinds.h.
#ifndef CUPR_ANALYSIS_SCHEMA_H
#define CUPR_ANALYSIS_SCHEMA_H

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

} // namespace cupr::analysis

#endif
