/// Lists stand in one text, separated by spaces; numbers from 2^63 on become negative.
#include "sqlite_tables.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <stdexcept>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kRowsPerTransaction = 200000;

int bind(sqlite3_stmt *statement, int place, std::monostate) { return sqlite3_bind_null(statement, place); }
int bind(sqlite3_stmt *statement, int place, std::uint64_t number) {
  return sqlite3_bind_int64(statement, place, static_cast<sqlite3_int64>(number));
}
int bind(sqlite3_stmt *statement, int place, double number) {
  return sqlite3_bind_double(statement, place, number);
}
int bind(sqlite3_stmt *statement, int place, bool flag) { return sqlite3_bind_int(statement, place, flag); }
/// A row's texts outlive its insertion, so they need not be copied.
int bind(sqlite3_stmt *statement, int place, std::string_view text) {
  return sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}
template <typename T> int bind(sqlite3_stmt *statement, int place, std::span<const T> list) {
  const std::string text = fmt::format("{}", fmt::join(list, " "));
  return sqlite3_bind_text64(statement, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

} // namespace

SqliteTables::SqliteTables(const PendingFile &file, std::span<const RowKind> kinds, const std::string &schema)
    : name_(file.name()), kinds_(kinds), statements_(kinds.size()) {
  if (sqlite3_open_v2(file.path().c_str(), &database_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    fail();
  // The file counts only when it is complete, so there is nothing to roll back.
  run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;");
  run(schema);
  run("BEGIN");
}

SqliteTables::~SqliteTables() {
  for (sqlite3_stmt *statement : statements_)
    sqlite3_finalize(statement);
  sqlite3_close(database_);
}

void SqliteTables::row(std::size_t kind, std::span<const Value> values) {
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

void SqliteTables::finish(const std::string &indices) {
  run("COMMIT");
  run(indices);
  for (sqlite3_stmt *&statement : statements_) {
    sqlite3_finalize(statement);
    statement = nullptr;
  }
  if (sqlite3_close(database_) != SQLITE_OK)
    fail();
  database_ = nullptr;
}

void SqliteTables::fail() const {
  throw std::runtime_error(
      fmt::format("can't write '{}': {}; choose another place with -o", name_, sqlite3_errmsg(database_)));
}

void SqliteTables::run(const std::string &statements) {
  if (sqlite3_exec(database_, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail();
}

sqlite3_stmt *SqliteTables::insertion(std::size_t kind) {
  sqlite3_stmt *&statement = statements_[kind];
  if (!statement) {
    std::string text = fmt::format("INSERT INTO {} VALUES (?", kinds_[kind].table);
    for (std::size_t i = 1; i < kinds_[kind].tableColumns().size(); ++i)
      text += ",?";
    if (sqlite3_prepare_v2(database_, (text + ")").c_str(), -1, &statement, nullptr) != SQLITE_OK)
      fail();
  }
  return statement;
}

} // namespace cupr::analysis
