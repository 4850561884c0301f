/// A database with a table for each kind of rows.
#ifndef CUPR_ANALYSIS_SQLITE_TABLES_H
#define CUPR_ANALYSIS_SQLITE_TABLES_H

#include "analysis/output/pending_file.h"
#include "analysis/tables/column.h"

#include <span>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace cupr::analysis {

/// Rows go in by prepared statements, in transactions of many rows. Errors are thrown as std::runtime_error.
class SqliteTables {
public:
  /// Creates the database. `schema`: the statements that make the tables of `kinds`, which outlive this.
  SqliteTables(const PendingFile &file, std::span<const RowKind> kinds, const std::string &schema);
  ~SqliteTables();
  SqliteTables(const SqliteTables &) = delete;
  SqliteTables &operator=(const SqliteTables &) = delete;

  /// `kind`: index in the kinds.
  void row(std::size_t kind, std::span<const Value> values);
  /// After all rows. `indices`: statements that make them: several times faster than to keep them as rows
  /// come.
  void finish(const std::string &indices);

private:
  [[noreturn]] void fail() const;
  void run(const std::string &statements);
  sqlite3_stmt *insertion(std::size_t kind);

  const std::string name_;
  const std::span<const RowKind> kinds_;
  sqlite3 *database_ = nullptr;
  std::vector<sqlite3_stmt *> statements_; ///< by kind
  std::uint64_t rows_ = 0;
};

} // namespace cupr::analysis

#endif
