/// Arrow's IPC: messages of a schema, of dictionaries and of batches of rows, as a stream or, with a footer behind, as a file
/// (https://arrow.apache.org/docs/format/Columnar.html).
#ifndef CUPR_ANALYSIS_ARROW_STREAM_H
#define CUPR_ANALYSIS_ARROW_STREAM_H

#include "analysis/output/byte_sink.h"
#include "analysis/tables/column.h"
#include "arrow_column.h"
#include "exporter.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// Writes schema, dictionaries and batches in this order, which is the caller's to keep. Columns keep their types.
class ArrowStream {
public:
  ArrowStream(ByteSink &sink, ArrowShape shape);
  /// What a column means stands in its metadata, as `comment`. `dictionaries`: by column, the id of its dictionary; none: it has none.
  void schema(std::span<const Column> columns, std::span<const std::optional<std::int64_t>> dictionaries);
  /// `texts`: the column of the dictionary.
  void dictionary(std::int64_t id, const ArrowColumn &texts);
  void batch(std::span<const ArrowColumn> columns);
  void finish();

private:
  struct Place {
    std::uint64_t offset = 0, bodyBytes = 0;
    std::uint32_t headBytes = 0;
  };
  void write(std::string_view bytes);
  void pad();
  Place message(std::string_view head, std::span<const std::string_view> body);

  ByteSink &sink_;
  const ArrowShape shape_;
  std::uint64_t written_ = 0;
  std::vector<Column> columns_;
  std::vector<std::optional<std::int64_t>> ids_; ///< of dictionaries, by column
  std::vector<Place> dictionaries_, batches_;
};

} // namespace cupr::analysis

#endif
