/// The totals of a process as a line of JSON, for programs that start it (docs/trace-format.md).
#ifndef CUPR_TRACE_SUMMARY_H
#define CUPR_TRACE_SUMMARY_H

#include "writer.h"

#include <string>

namespace cupr::trace {

/// The line, without its newline.
std::string summaryOf(const char *sink, const Process &process, const Totals &totals);

/// Appends the line to `path`, with one write, so that several processes may share the file; says on stderr
/// when that fails. Does nothing if `path` is empty.
void appendSummary(const std::string &path, const char *sink, const Process &process, const Totals &totals);

} // namespace cupr::trace

#endif
