#include "extension.h"

#include "virtual_table.h"

#include <new>
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

using namespace cupr;
using namespace cupr::analysis;

namespace {

using Traces = std::shared_ptr<TraceRegistry>;

const char *textOf(sqlite3_value *value) {
  const auto *text = reinterpret_cast<const char *>(sqlite3_value_text(value));
  return text ? text : "";
}

void fail(sqlite3_context *context, const char *message, int code) {
  sqlite3_result_error(context, message, -1);
  sqlite3_result_error_code(context, code);
}

/// The statement that makes one table; null: there is no memory for it.
char *creation(const QueryTable &table, const char *path, const char *prefix) {
  const std::string_view name = table.kind.table;
  return sqlite3_mprintf("CREATE VIRTUAL TABLE temp.\"%w%.*s\" USING %s(%Q)", prefix,
                         static_cast<int>(name.size()), name.data(), moduleName(table).c_str(), path);
}

void openTrace(sqlite3_context *context, int count, sqlite3_value **arguments) {
  const char *const path = textOf(arguments[0]);
  const char *const prefix = count > 1 ? textOf(arguments[1]) : "";
  sqlite3 *const database = sqlite3_context_db_handle(context);
  try {
    const auto trace = (*static_cast<const Traces *>(sqlite3_user_data(context)))->open(path);
    for (const QueryTable &table : queryTables()) {
      char *const statement = creation(table, path, prefix);
      if (!statement)
        return sqlite3_result_error_nomem(context);
      char *error = nullptr;
      const int code = sqlite3_exec(database, statement, nullptr, nullptr, &error);
      sqlite3_free(statement);
      if (code != SQLITE_OK) {
        fail(context, error ? error : sqlite3_errstr(code), code);
        return sqlite3_free(error);
      }
    }
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(trace->model().calls()));
  } catch (const BadTrace &error) {
    fail(context, error.what(), SQLITE_CORRUPT_VTAB);
  } catch (const trace::TooMuch &error) {
    fail(context, error.what(), SQLITE_CORRUPT_VTAB);
  } catch (const std::bad_alloc &) {
    sqlite3_result_error_nomem(context);
  } catch (const std::exception &error) {
    fail(context, error.what(), SQLITE_ERROR);
  }
}

void allowAnySize(sqlite3_context *, int, sqlite3_value **) { trace::WorkLimit::allowAnySize(); }

} // namespace

int sqlite3_cuprtracesqlite_init(sqlite3 *database, char **, const sqlite3_api_routines *api) {
  SQLITE_EXTENSION_INIT2(api);
  try {
    const auto traces = std::make_shared<TraceRegistry>();
    for (const QueryTable &table : queryTables())
      if (const int code = addModule(database, table, traces); code != SQLITE_OK)
        return code;
    // Not for what a database of somebody else says in its views and triggers.
    constexpr int kFlags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    for (const int arguments : {1, 2})
      if (const int code = sqlite3_create_function_v2(database, "cupr_open", arguments, kFlags,
                                                      new Traces(traces), openTrace, nullptr, nullptr,
                                                      [](void *of) { delete static_cast<Traces *>(of); });
          code != SQLITE_OK)
        return code;
    return sqlite3_create_function_v2(database, "cupr_any_size", 0, kFlags, nullptr, allowAnySize, nullptr,
                                      nullptr, nullptr);
  } catch (const std::bad_alloc &) {
    return SQLITE_NOMEM;
  }
}
