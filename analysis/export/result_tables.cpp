/// Results as a database, and as CSV.
#include "csv_table.h"
#include "result_exports.h"
#include "sqlite_tables.h"

#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace cupr::analysis {

void resultsToSqlite(const ResultSource &source, const PendingFile &file) {
  SqliteTables tables(file, kResultKinds, resultSqlSchema());
  forEachResultRow(source, [&](ResultKindId kind, const Values &values) {
    tables.row(static_cast<std::size_t>(kind), values);
  });
  tables.finish(resultSqlIndices());
}

void resultsToCsv(const ResultSource &source, const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw std::runtime_error(
        fmt::format("can't make the folder '{}': {}; choose another place with -o", folder, error.message()));
  struct Table {
    Table(const std::string &name, const RowKind &kind)
        : file(name), sink(fileSink(file)), lines(*sink, kind) {}
    PendingFile file;
    std::unique_ptr<ByteSink> sink;
    CsvTable lines;
  };
  std::deque<Table> tables;
  for (const RowKind &kind : kResultKinds)
    tables.emplace_back(fmt::format("{}/{}.csv", folder, kind.table), kind);
  forEachResultRow(source, [&](ResultKindId kind, const Values &values) {
    tables[static_cast<std::size_t>(kind)].lines.row(values);
  });
  for (Table &table : tables)
    table.sink->finish();
  for (Table &table : tables)
    table.file.commit();
}

} // namespace cupr::analysis
