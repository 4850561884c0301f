/// Any bytes as a trace for queries: each table gives rows or an error, and those that are looked up the same as those that are not.
#include "analysis/query/extension.h"
#include "analysis/query/virtual_table.h"
#include "framed_input.h"

#include <cstdio>
#include <cstdlib>
#include <sqlite3.h>

using namespace cupr;

namespace {

/// The rows that a statement gives; -1: an error, which has a text.
long rowsOf(sqlite3 *database, const std::string &query) {
  sqlite3_stmt *statement = nullptr;
  if (sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return -1;
  long rows = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    ++rows;
    for (int column = 0; column < sqlite3_column_count(statement); ++column)
      sqlite3_column_text(statement, column);
  }
  if (code != SQLITE_DONE && *sqlite3_errmsg(database) == '\0')
    std::abort();
  sqlite3_finalize(statement);
  return code == SQLITE_DONE ? rows : -1;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const int kRegistered =
      sqlite3_auto_extension(reinterpret_cast<void (*)()>(sqlite3_cuprtracesqlite_init));
  test::MemoryFile file(test::mended(data, size));
  sqlite3 *database = nullptr;
  if (kRegistered != SQLITE_OK || sqlite3_open(":memory:", &database) != SQLITE_OK)
    std::abort();
  for (const analysis::QueryTable &table : analysis::queryTables()) {
    const std::string rows = analysis::moduleName(table) + "('" + file.path() + "')";
    rowsOf(database, "SELECT * FROM " + rows + " LIMIT 100");
    for (std::size_t column = 0; column < table.pushed.size(); ++column)
      if (table.pushed[column] != analysis::Pushed::Nothing) {
        const std::string name = '"' + std::string(table.kind.columns[column].name) + '"';
        const auto found = [&](const char *sign) {
          return rowsOf(database, "SELECT 1 FROM (SELECT " + std::string(sign) + name + " FROM " + rows +
                                      " WHERE " + sign + name + " = 1) LIMIT 100");
        };
        if (const long lookedUp = found(""), all = found("+");
            lookedUp != all && lookedUp != -1 && all != -1) {
          std::fprintf(stderr, "%s of %s: %ld and %ld rows\n", name.c_str(), rows.c_str(), lookedUp, all);
          std::abort();
        }
      }
  }
  sqlite3_close(database);
  return 0;
}
