/// What SQLite calls when it loads lib/cuprtrace_sqlite.so.
#ifndef CUPR_ANALYSIS_EXTENSION_H
#define CUPR_ANALYSIS_EXTENSION_H

struct sqlite3;
struct sqlite3_api_routines; // NOLINT(readability-identifier-naming): SQLite's

/// Adds a module for each of queryTables(), and the functions
/// - cupr_open(path [, prefix]): makes temporary tables of all modules over a trace, with the plain names of the tables, the prefix in
///   front. Returns how many launches it has.
/// - cupr_any_size(): traces that are opened from now on may ask for any work (trace::WorkLimit).
///
/// May also be given to sqlite3_auto_extension.
extern "C" __attribute__((visibility("default"))) int
// NOLINTNEXTLINE(readability-identifier-naming): SQLite makes it of the file's name
sqlite3_cuprtracesqlite_init(sqlite3 *database, char **error, const sqlite3_api_routines *api);

#endif
