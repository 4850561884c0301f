/// Rows by prepared statements, in transactions of many rows; indices when all rows are there, which is
/// several times faster than keeping them as rows come.
#include "exporter.h"

#include "schema.h"

#include <array>
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdexcept>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kRowsPerTransaction = 200000;

class SqliteExporter final : public RowExporter {
public:
  SqliteExporter(const Model &model, const PendingFile &file)
      : RowExporter(model, RowKindId::Access), name_(file.name()) {
    if (sqlite3_open_v2(file.path().c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                        nullptr) != SQLITE_OK)
      fail();
    // The file counts only when it is complete, so there is nothing to roll back.
    run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
    run(sqlSchema());
    run("BEGIN");
  }

  ~SqliteExporter() override {
    for (sqlite3_stmt *statement : statements_)
      sqlite3_finalize(statement);
    sqlite3_close(database_);
  }

  void row(RowKindId kind, const Values &values) override {
    sqlite3_stmt *const statement = insertion(kind);
    int place = 0;
    for (const Value &value : values) {
      ++place;
      if (std::visit([&](const auto &it) { return bind(statement, place, it); }, value) != SQLITE_OK)
        fail();
    }
    if (sqlite3_step(statement) != SQLITE_DONE)
      fail();
    sqlite3_reset(statement);
    if (++rows_ % kRowsPerTransaction == 0)
      run("COMMIT; BEGIN");
  }

  void finish() override {
    run("COMMIT");
    run(sqlIndices());
    for (sqlite3_stmt *&statement : statements_) {
      sqlite3_finalize(statement);
      statement = nullptr;
    }
    if (sqlite3_close(database_) != SQLITE_OK)
      fail();
    database_ = nullptr;
  }

private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(
        fmt::format("can't write '{}': {}; choose another place with -o", name_, sqlite3_errmsg(database_)));
  }

  void run(const std::string &statements) {
    if (sqlite3_exec(database_, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
      fail();
  }

  sqlite3_stmt *insertion(RowKindId kind) {
    sqlite3_stmt *&statement = statements_[static_cast<std::size_t>(kind)];
    if (!statement) {
      std::string text = fmt::format("INSERT INTO {} VALUES (?", rowKind(kind).table);
      for (std::size_t i = 1; i < rowKind(kind).columns.size(); ++i)
        text += ",?";
      if (sqlite3_prepare_v2(database_, (text + ")").c_str(), -1, &statement, nullptr) != SQLITE_OK)
        fail();
    }
    return statement;
  }

  static int bind(sqlite3_stmt *statement, int place, std::monostate) {
    return sqlite3_bind_null(statement, place);
  }
  static int bind(sqlite3_stmt *statement, int place, std::uint64_t number) {
    return sqlite3_bind_int64(statement, place, static_cast<sqlite3_int64>(number));
  }
  static int bind(sqlite3_stmt *statement, int place, bool flag) {
    return sqlite3_bind_int(statement, place, flag);
  }
  static int bind(sqlite3_stmt *statement, int place, std::string_view text) {
    return sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  template <typename T> static int bind(sqlite3_stmt *statement, int place, std::span<const T> list) {
    return bind(statement, place, std::string_view(fmt::format("{}", fmt::join(list, " "))));
  }

  const std::string name_;
  sqlite3 *database_ = nullptr;
  std::array<sqlite3_stmt *, kRowKindCount> statements_{};
  std::uint64_t rows_ = 0;
};

} // namespace

std::unique_ptr<Exporter> sqliteExporter(const Model &model, const PendingFile &file) {
  return std::make_unique<SqliteExporter>(model, file);
}

} // namespace cupr::analysis
