/// Results as a database, and as CSV.
#include "csv_table.h"
#include "result_exports.h"
#include "schema.h"
#include "sqlite_tables.h"

#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace cupr::analysis {

namespace {

/// Table by table. `take(number of the table, values)`.
template <typename Take> void forEachRow(const ResultSource &source, Take take) {
  for (std::size_t number = 0; number < kResultTables.size(); ++number) {
    const ResultTable &table = *kResultTables[number];
    const std::size_t columns = table.tableColumns().size();
    // What has an index in SQLite takes twice the time.
    const bool isIndexed = &table == &kTransfers || &table == &kAddressHistory;
    const std::uint64_t stepsPerRow = (isIndexed ? 2500 : 1000) + 100 * columns;
    constexpr std::uint64_t kStepsPerCharacter = 5;
    table.forEachRow(source, [&](const Values &all) {
      const std::span<const Value> values = std::span(all).first(columns);
      std::uint64_t characters = 0;
      for (const Value &value : values)
        if (const auto *text = std::get_if<std::string_view>(&value))
          characters += text->size();
      source.model.limit().spend(stepsPerRow + kStepsPerCharacter * characters,
                                 [] { return std::string("writing results"); });
      take(number, values);
    });
  }
}

std::string tablesSql() {
  std::string text = "-- What `cupranalyze results --format=sqlite` writes. Made by `cupranalyze results "
                     "--schema=sqlite`: don't edit.\n"
                     "-- Numbers beyond 2^63 stand there as negative ones, less 2^64.\n";
  for (const ResultTable *table : kResultTables)
    text += sqlTable(*table);
  return text;
}

std::string indicesSql() {
  return fmt::format("CREATE INDEX {0}_by_destination ON {0} (destination, destination_cta);\n"
                     "CREATE INDEX {0}_by_source ON {0} (source, source_cta);\n"
                     "CREATE INDEX {1}_by_address ON {1} (address, superstep);\n",
                     kTransfers.table, kAddressHistory.table);
}

} // namespace

std::string resultSqlSchema() { return tablesSql() + "\n" + indicesSql(); }

std::string resultMarkdown() {
  std::string text;
  for (const ResultTable *table : kResultTables)
    text += markdownTable(*table);
  return text;
}

void resultsToSqlite(const ResultSource &source, const PendingFile &file) {
  const std::vector<RowKind> kinds = [] {
    std::vector<RowKind> all;
    for (const ResultTable *table : kResultTables)
      all.push_back(*table);
    return all;
  }();
  SqliteTables tables(file, kinds, tablesSql());
  forEachRow(source, [&](std::size_t number, std::span<const Value> values) { tables.row(number, values); });
  tables.finish(indicesSql());
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
  for (const ResultTable *table : kResultTables)
    tables.emplace_back(fmt::format("{}/{}.csv", folder, table->table), *table);
  forEachRow(source,
             [&](std::size_t number, std::span<const Value> values) { tables[number].lines.row(values); });
  for (Table &table : tables)
    table.sink->finish();
  for (Table &table : tables)
    table.file.commit();
}

} // namespace cupr::analysis
