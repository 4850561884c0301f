/// The tables as virtual tables of SQLite (https://sqlite.org/vtab.html).
#ifndef CUPR_ANALYSIS_VIRTUAL_TABLE_H
#define CUPR_ANALYSIS_VIRTUAL_TABLE_H

#include "query_table.h"
#include "trace_registry.h"

#include <memory>
#include <string>

struct sqlite3;

namespace cupr::analysis {

/// The name of a table's module, and of the function that gives its rows: `cupr_launches`.
std::string moduleName(const QueryTable &table);

/// Makes the module of a table known. Each can be called, `FROM cupr_launches('app.cuprtrace')`, and has a hidden column `trace` for
/// that; and made a table of, `CREATE VIRTUAL TABLE launches USING cupr_launches('app.cuprtrace')`. Returns SQLite's code.
int addModule(sqlite3 *database, const QueryTable &table, std::shared_ptr<TraceRegistry> traces);

} // namespace cupr::analysis

#endif
