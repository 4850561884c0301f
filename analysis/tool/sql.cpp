/// `sql`: statements of SQL over a trace.
#include "shared_options.h"
#include "verb.h"

#include "analysis/export/csv_table.h"
#include "analysis/model/model.h"
#include "analysis/output/byte_sink.h"
#include "analysis/output/json.h"
#include "analysis/output/text.h"
#include "analysis/query/extension.h"
#include "analysis/query/query_table.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <stdexcept>
#include <unistd.h>

namespace cupr::analysis {

namespace {

struct SqlOptions {
  std::string path, query, schema;
  bool json = false, csv = false;
};

using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

std::string textOf(sqlite3_stmt *statement, int column) {
  const auto *text = static_cast<const char *>(sqlite3_column_blob(statement, column));
  return {text ? text : "", static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

/// Writes the rows of one statement.
class RowPrinter {
public:
  virtual ~RowPrinter() = default;
  virtual void row(sqlite3_stmt *statement) = 0;
  virtual void finish() {}
};

/// Columns line up for so many rows at a time: what comes first is seen before the last is known.
class TablePrinter final : public RowPrinter {
public:
  void row(sqlite3_stmt *statement) override {
    const int columns = sqlite3_column_count(statement);
    if (!table_) {
      std::vector<Table::Align> aligns;
      std::vector<std::string> names;
      for (int column = 0; column < columns; ++column) {
        const int type = sqlite3_column_type(statement, column);
        aligns.push_back(type == SQLITE_TEXT || type == SQLITE_BLOB ? Table::Align::Left
                                                                    : Table::Align::Right);
        names.emplace_back(sqlite3_column_name(statement, column));
      }
      table_.emplace(std::move(aligns)).row(std::move(names));
    }
    std::vector<std::string> cells;
    for (int column = 0; column < columns; ++column)
      cells.push_back(textOf(statement, column));
    table_->row(std::move(cells));
    if (++rows_ % kRowsAtATime == 0)
      finish();
  }
  void finish() override {
    if (table_)
      fmt::print("{}", table_->text());
    table_.reset();
  }

private:
  static constexpr std::uint64_t kRowsAtATime = 1000;
  std::optional<Table> table_;
  std::uint64_t rows_ = 0;
};

/// An object per row.
class JsonPrinter final : public RowPrinter {
public:
  void row(sqlite3_stmt *statement) override {
    Json json;
    json.beginObject();
    for (int column = 0; column < sqlite3_column_count(statement); ++column) {
      json.key(sqlite3_column_name(statement, column));
      switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER:
        json.value(std::int64_t{sqlite3_column_int64(statement, column)});
        break;
      case SQLITE_FLOAT:
        json.value(sqlite3_column_double(statement, column));
        break;
      case SQLITE_NULL:
        json.null();
        break;
      default:
        json.value(textOf(statement, column));
      }
    }
    fmt::print("{}\n", json.endObject().text());
  }
};

class CsvPrinter final : public RowPrinter {
public:
  void row(sqlite3_stmt *statement) override {
    if (!lines_) {
      for (int column = 0; column < sqlite3_column_count(statement); ++column)
        columns_.push_back({sqlite3_column_name(statement, column), ColumnType::Text, ""});
      lines_.emplace(*sink_, RowKind{"", "", "", columns_});
    }
    std::vector<std::string> texts(columns_.size());
    Values values;
    for (std::size_t column = 0; column < columns_.size(); ++column)
      values.push_back(valueAt(statement, static_cast<int>(column), texts[column]));
    lines_->row(values);
  }
  void finish() override { sink_->finish(); }

private:
  static Value valueAt(sqlite3_stmt *statement, int column, std::string &text) {
    const int type = sqlite3_column_type(statement, column);
    const sqlite3_int64 number = sqlite3_column_int64(statement, column);
    constexpr sqlite3_int64 kExact = sqlite3_int64{1} << 53; // as a double
    if (type == SQLITE_NULL)
      return {};
    if (type == SQLITE_INTEGER && number >= 0)
      return static_cast<std::uint64_t>(number);
    if (type == SQLITE_FLOAT || (type == SQLITE_INTEGER && number > -kExact))
      return sqlite3_column_double(statement, column);
    return valueOf(text = textOf(statement, column));
  }

  const std::unique_ptr<ByteSink> sink_ = stdoutSink();
  std::vector<Column> columns_;
  std::optional<CsvTable> lines_;
};

/// A database in memory with the tables of a trace.
class TraceDatabase {
public:
  explicit TraceDatabase(const std::string &path) {
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(sqlite3_cuprtracesqlite_init));
    check(sqlite3_open(":memory:", &database_));
    const char *rest = "SELECT cupr_open(?)";
    Statement statement = next(rest);
    check(sqlite3_bind_text64(statement.get(), 1, path.data(), path.size(), SQLITE_STATIC, SQLITE_UTF8));
    step(statement);
    rest = "SELECT not_whole FROM headers WHERE not_whole IS NOT NULL";
    statement = next(rest);
    if (step(statement))
      std::fprintf(stderr, "cupranalyze: %s; results cover what is there\n",
                   shown(textOf(statement.get(), 0)).c_str());
  }
  ~TraceDatabase() { sqlite3_close(database_); }
  TraceDatabase(const TraceDatabase &) = delete;
  TraceDatabase &operator=(const TraceDatabase &) = delete;

  /// All statements of a text.
  void run(const std::string &text, const SqlOptions &options) {
    for (const char *rest = text.c_str(); *rest != '\0';) {
      Statement statement = next(rest);
      if (!statement) // a comment, or nothing
        continue;
      const std::unique_ptr<RowPrinter> printer = printerOf(options);
      while (step(statement))
        printer->row(statement.get());
      printer->finish();
      std::fflush(stdout);
    }
  }

private:
  static std::unique_ptr<RowPrinter> printerOf(const SqlOptions &options) {
    if (options.json)
      return std::make_unique<JsonPrinter>();
    if (options.csv)
      return std::make_unique<CsvPrinter>();
    return std::make_unique<TablePrinter>();
  }
  /// Moves `rest` behind the statement.
  Statement next(const char *&rest) {
    sqlite3_stmt *statement = nullptr;
    check(sqlite3_prepare_v2(database_, rest, -1, &statement, &rest));
    return {statement, &sqlite3_finalize};
  }
  /// Whether there is a row.
  bool step(const Statement &statement) {
    const int code = sqlite3_step(statement.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE)
      check(code);
    return code == SQLITE_ROW;
  }
  void check(int code) {
    if (code == SQLITE_OK)
      return;
    if (sqlite3_extended_errcode(database_) == SQLITE_CORRUPT_VTAB)
      throw BadTrace(sqlite3_errmsg(database_));
    throw std::runtime_error(sqlite3_errmsg(database_));
  }

  sqlite3 *database_ = nullptr;
};

int runSql(const SqlOptions &options) {
  if (!options.schema.empty()) {
    std::fputs(queryMarkdown().c_str(), stdout);
    return kExitGood;
  }
  TraceDatabase database(options.path);
  database.run(options.query.empty() ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                                     : options.query,
               options);
  return kExitGood;
}

} // namespace

Verb addSql(CLI::App &app) {
  CLI::App *command = app.add_subcommand("sql", "Answer queries in SQL over the trace as it is: nothing is "
                                                "exported before. The tables are site_totals, records, "
                                                "accesses, launches, sites, allocations and those that "
                                                "export has; docs/queries.md describes them, with "
                                                "queries that have been worked out. SQL is SQLite's, and "
                                                "programs that have SQLite can load the same tables: "
                                                "lib/cuprtrace_sqlite.so.");
  auto options = std::make_shared<SqlOptions>();
  command->add_option("trace", options->path, "Trace file");
  command->add_option("query", options->query, "Statements of SQL; without them, those that stdin has");
  refuseSelection(*command, "choose rows in the query: WHERE launch = 3");
  auto *json = command->add_flag("--json", options->json, "JSON lines: one object per row");
  command->add_flag("--csv", options->csv, "CSV, with a heading")->excludes(json);
  auto *schema = command->add_option("--schema", options->schema, "Describe the tables, and nothing else")
                     ->check(CLI::IsMember({"markdown"}));
  command->callback([=] {
    if (schema->count() == 0 && options->path.empty())
      throw CLI::RequiredError("trace");
  });
  return [options] { return runSql(*options); };
}

} // namespace cupr::analysis
