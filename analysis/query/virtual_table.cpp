/// What SQLite calls, in the order in which it does. Nothing is thrown through SQLite: errors become its codes, and a bad trace
/// SQLITE_CORRUPT_VTAB.
///
/// A plan is told from xBestIndex to xFilter by a text: the bits of the columns that are asked for, and for each argument its column and
/// its operator, `7f 3= 5<`.
#include "virtual_table.h"

#include "analysis/export/schema.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <new>
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

namespace cupr::analysis {

namespace {

struct Module {
  const QueryTable &table;
  std::shared_ptr<TraceRegistry> traces;
};

struct VirtualTable : sqlite3_vtab {
  explicit VirtualTable(const Module &of) : sqlite3_vtab{}, module(of) {}
  const Module &module;
  std::optional<std::string> path; ///< none: each query names the trace
};

struct Cursor : sqlite3_vtab_cursor {
  Cursor() : sqlite3_vtab_cursor{} {}
  std::shared_ptr<OpenTrace> trace;
  std::unique_ptr<TableCursor> rows;
  std::string path;
  sqlite3_int64 row = 0;
  bool atEnd = true;
};

int setError(sqlite3_vtab &table, const char *message, int code) {
  sqlite3_free(table.zErrMsg);
  table.zErrMsg = sqlite3_mprintf("%s", message);
  return code;
}

/// What a function throws, as a code of SQLite's.
template <typename Body> int guarded(sqlite3_vtab &table, Body body) {
  try {
    return body();
  } catch (const BadTrace &error) {
    return setError(table, error.what(), SQLITE_CORRUPT_VTAB);
  } catch (const trace::TooMuch &error) {
    return setError(table, error.what(), SQLITE_CORRUPT_VTAB);
  } catch (const std::bad_alloc &) {
    return SQLITE_NOMEM;
  } catch (const std::exception &error) {
    return setError(table, error.what(), SQLITE_ERROR);
  }
}

/// An argument of CREATE VIRTUAL TABLE, without its quotes.
std::string unquoted(std::string_view text) {
  const char quote = text.empty() ? '\0' : text.front();
  if (text.size() < 2 || (quote != '\'' && quote != '"') || text.back() != quote)
    return std::string(text);
  std::string result;
  text = text.substr(1, text.size() - 2);
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    at += text[at] == quote && at + 1 < text.size() && text[at + 1] == quote;
  }
  return result;
}

std::string declaration(const RowKind &kind) {
  std::string text = "CREATE TABLE x(";
  for (const Column &column : kind.columns)
    text += fmt::format("\"{}\" {}, ", column.name, sqlType(column.type));
  return text + "trace TEXT HIDDEN)";
}

int traceColumn(const VirtualTable &table) { return static_cast<int>(table.module.table.pushed.size()); }

int connect(sqlite3 *database, void *module, int count, const char *const *words, sqlite3_vtab **out,
            char **error) {
  try {
    auto table = std::make_unique<VirtualTable>(*static_cast<const Module *>(module));
    if (count > 4) {
      *error = sqlite3_mprintf("%s takes one argument, the path of a trace", words[0]);
      return SQLITE_ERROR;
    }
    if (count == 4)
      table->path = unquoted(words[3]);
    const int code = sqlite3_declare_vtab(database, declaration(table->module.table.kind).c_str());
    if (code == SQLITE_OK)
      *out = table.release();
    return code;
  } catch (const std::bad_alloc &) {
    return SQLITE_NOMEM;
  }
}

int disconnect(sqlite3_vtab *table) {
  delete static_cast<VirtualTable *>(table);
  return SQLITE_OK;
}

// Plans.

/// '\0': it is of no use here.
char letterOf(unsigned char constraint) {
  switch (constraint) {
  case SQLITE_INDEX_CONSTRAINT_EQ:
    return '=';
  case SQLITE_INDEX_CONSTRAINT_GT:
  case SQLITE_INDEX_CONSTRAINT_GE:
    return '>';
  case SQLITE_INDEX_CONSTRAINT_LT:
  case SQLITE_INDEX_CONSTRAINT_LE:
    return '<';
  default:
    return '\0';
  }
}

/// Of rows, how many a constraint leaves, as a guess.
double shareOf(Pushed pushed, char letter) {
  if (letter != '=')
    return 0.25;
  switch (pushed) {
  case Pushed::Key:
    return 1e-4;
  case Pushed::Kernel:
    return 0.2;
  case Pushed::Launch:
  case Pushed::Site:
    return 0.02;
  case Pushed::Cta:
    return 1e-3;
  case Pushed::Address:
    return 1e-6;
  case Pushed::Nothing:
    break;
  }
  return 1;
}

int bestIndex(sqlite3_vtab *base, sqlite3_index_info *info) {
  const auto &table = *static_cast<VirtualTable *>(base);
  return guarded(*base, [&] {
    std::string plan = fmt::format("{:x}", info->colUsed);
    double rows = table.module.table.rows;
    int arguments = 0;
    bool namesTrace = false;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto &constraint = info->aConstraint[i];
      const char letter = letterOf(constraint.op);
      if (constraint.iColumn < 0 || letter == '\0')
        continue;
      const bool isTrace = constraint.iColumn == traceColumn(table);
      if (isTrace && letter == '=' && !constraint.usable)
        return SQLITE_CONSTRAINT; // another order of the tables may have it
      const Pushed pushed =
          isTrace ? Pushed::Nothing : table.module.table.pushed[static_cast<std::size_t>(constraint.iColumn)];
      if (!constraint.usable || (isTrace ? letter != '=' : pushed == Pushed::Nothing) ||
          (pushed == Pushed::Kernel && letter != '='))
        continue;
      info->aConstraintUsage[i].argvIndex = ++arguments;
      plan += fmt::format(" {}{}", constraint.iColumn, letter);
      if (isTrace)
        namesTrace = info->aConstraintUsage[i].omit = true;
      else
        rows *= shareOf(pushed, letter);
    }
    if (!namesTrace && !table.path)
      return setError(*base,
                      fmt::format("which trace? {}('app.cuprtrace')", moduleName(table.module.table)).c_str(),
                      SQLITE_ERROR);
    info->estimatedRows = static_cast<sqlite3_int64>(std::max(1.0, rows));
    info->estimatedCost = std::max(1.0, rows);
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    info->needToFreeIdxStr = 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
  });
}

// Rows.

int open(sqlite3_vtab *, sqlite3_vtab_cursor **out) {
  *out = new (std::nothrow) Cursor;
  return *out ? SQLITE_OK : SQLITE_NOMEM;
}

int close(sqlite3_vtab_cursor *cursor) {
  delete static_cast<Cursor *>(cursor);
  return SQLITE_OK;
}

std::string textOf(sqlite3_value *value) {
  const auto *text = reinterpret_cast<const char *>(sqlite3_value_text(value));
  return text ? std::string(text, static_cast<std::size_t>(sqlite3_value_bytes(value))) : std::string();
}

/// Narrows bounds to a number; what is none narrows nothing, since SQLite looks again.
void narrow(Bounds &bounds, char letter, sqlite3_value *value) {
  sqlite3_int64 least, most;
  if (sqlite3_value_type(value) == SQLITE_INTEGER) {
    least = most = sqlite3_value_int64(value);
  } else if (const double real = sqlite3_value_double(value);
             sqlite3_value_type(value) == SQLITE_FLOAT && std::fabs(real) < 9e18) {
    least = static_cast<sqlite3_int64>(std::ceil(real));
    most = static_cast<sqlite3_int64>(std::floor(real));
  } else {
    return;
  }
  if (letter != '<')
    bounds.least = std::max<std::int64_t>(bounds.least, letter == '=' ? least : std::min(least, most));
  if (letter != '>')
    bounds.most = std::min<std::int64_t>(bounds.most, letter == '=' ? most : std::max(least, most));
}

Bounds *boundsOf(RowFilter &filter, Pushed pushed) {
  switch (pushed) {
  case Pushed::Key:
    return &filter.key;
  case Pushed::Launch:
    return &filter.launch;
  case Pushed::Site:
    return &filter.site;
  case Pushed::Cta:
    return &filter.cta;
  case Pushed::Address:
    return &filter.address;
  case Pushed::Kernel:
  case Pushed::Nothing:
    break;
  }
  return nullptr;
}

int next(sqlite3_vtab_cursor *base) {
  auto &cursor = *static_cast<Cursor *>(base);
  return guarded(*base->pVtab, [&] {
    cursor.atEnd = !cursor.rows->next();
    ++cursor.row;
    return SQLITE_OK;
  });
}

int filter(sqlite3_vtab_cursor *base, int, const char *plan, int count, sqlite3_value **arguments) {
  auto &cursor = *static_cast<Cursor *>(base);
  const auto &table = *static_cast<VirtualTable *>(base->pVtab);
  return guarded(*base->pVtab, [&] {
    RowFilter wanted;
    cursor.path = table.path.value_or("");
    const std::string_view text = plan;
    const char *at = std::from_chars(text.begin(), text.end(), wanted.columns, 16).ptr;
    for (int i = 0; i < count; ++i) {
      int column = 0;
      at = std::from_chars(at + 1, text.end(), column).ptr;
      const char letter = *at++;
      const Pushed pushed = column == traceColumn(table)
                                ? Pushed::Nothing
                                : table.module.table.pushed[static_cast<std::size_t>(column)];
      if (pushed == Pushed::Nothing)
        cursor.path = textOf(arguments[i]);
      else if (Bounds *bounds = boundsOf(wanted, pushed))
        narrow(*bounds, letter, arguments[i]);
      else if (sqlite3_value_type(arguments[i]) == SQLITE_TEXT)
        wanted.kernel = textOf(arguments[i]);
    }
    cursor.rows.reset();
    cursor.trace = table.module.traces->open(cursor.path);
    cursor.trace->model().limit().renewSteps();
    cursor.rows = table.module.table.open(table.module.table, *cursor.trace, wanted);
    cursor.row = 0;
    return next(base);
  });
}

int isAtEnd(sqlite3_vtab_cursor *cursor) { return static_cast<Cursor *>(cursor)->atEnd; }

void give(sqlite3_context *context, std::monostate) { sqlite3_result_null(context); }
void give(sqlite3_context *context, std::uint64_t number) {
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(number));
}
void give(sqlite3_context *context, double number) { sqlite3_result_double(context, number); }
void give(sqlite3_context *context, bool flag) { sqlite3_result_int(context, flag); }
void give(sqlite3_context *context, std::string_view text) {
  sqlite3_result_text64(context, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
template <typename T> void give(sqlite3_context *context, std::span<const T> list) {
  give(context, std::string_view(fmt::format("{}", fmt::join(list, " "))));
}

int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number) {
  auto &cursor = *static_cast<Cursor *>(base);
  return guarded(*base->pVtab, [&] {
    if (number == traceColumn(*static_cast<VirtualTable *>(base->pVtab)))
      give(context, std::string_view(cursor.path));
    else
      std::visit([&](const auto &value) { give(context, value); },
                 cursor.rows->value(static_cast<std::size_t>(number)));
    return SQLITE_OK;
  });
}

int rowId(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row) {
  *row = static_cast<Cursor *>(cursor)->row;
  return SQLITE_OK;
}

constexpr sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.iVersion = 1;
  // One function for both: the module is a table of its own name, too.
  module.xCreate = module.xConnect = connect;
  module.xBestIndex = bestIndex;
  module.xDisconnect = module.xDestroy = disconnect;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = isAtEnd;
  module.xColumn = column;
  module.xRowid = rowId;
  return module;
}();

} // namespace

std::string moduleName(const QueryTable &table) { return fmt::format("cupr_{}", table.kind.table); }

int addModule(sqlite3 *database, const QueryTable &table, std::shared_ptr<TraceRegistry> traces) {
  auto module = std::make_unique<Module>(Module{table, std::move(traces)});
  // SQLite gives it back, whatever becomes of it.
  return sqlite3_create_module_v2(database, moduleName(table).c_str(), &kModule, module.release(),
                                  [](void *of) { delete static_cast<Module *>(of); });
}

} // namespace cupr::analysis
