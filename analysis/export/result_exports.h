/// Results in formats that other programs read. Errors of writing are thrown as std::runtime_error.
#ifndef CUPR_ANALYSIS_RESULT_EXPORTS_H
#define CUPR_ANALYSIS_RESULT_EXPORTS_H

#include "analysis/output/byte_sink.h"
#include "analysis/output/pending_file.h"
#include "analysis/tables/table.h"

#include <string>

namespace cupr::analysis {

/// Creates a database with a table for each of kResultTables.
void resultsToSqlite(const ResultSource &source, const PendingFile &file);
/// Writes a file for each of kResultTables in `folder`, which is made if it isn't there; they appear when all
/// are complete.
void resultsToCsv(const ResultSource &source, const std::string &folder);
/// The statements that make the tables and their indices; the tables in Markdown.
std::string resultSqlSchema();
std::string resultMarkdown();
/// A timeline for Perfetto: launches and the host's copies by stream, with counters, and arrows where data
/// goes from launch to launch.
void resultsToPerfetto(const ResultSource &source, ByteSink &sink);
/// Profiles for Speedscope: bytes by call path and source line.
void resultsToSpeedscope(const ResultSource &source, ByteSink &sink);

} // namespace cupr::analysis

#endif
