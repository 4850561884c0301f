/// A trace of one launch whose accesses the device has counted beside recording them.
#ifndef CUPR_TEST_COUNTED_TRACE_H
#define CUPR_TEST_COUNTED_TRACE_H

#include "small_trace.h"

#include <optional>

namespace cupr::test {

/// The launch records 32 accesses at site 0 and 16 at site 1, and ends like this. Incomplete: if there is a
/// reason.
inline void writeCountedTrace(const std::string &path,
                              std::optional<std::vector<trace::SiteCount>> counts = {{{0, 32}, {1, 16}}},
                              std::uint64_t dropped = 0, const std::string &reason = "") {
  TraceBuilder trace(path);
  trace.table(smallTable());
  trace::LaunchEnd end;
  end.id = trace.launch("k()", {1, 1, 1}, {32, 1, 1});
  Words words;
  words.strided(0, 0, 0, 0x10000, 4);
  words.strided(1, 0, 0, 0x20000, 8, 0x0000ffffu);
  trace.records(end.id, words);
  end.complete = reason.empty();
  end.reason = reason;
  end.recordWords = trace.writer->recordWords(end.id);
  end.dropped = dropped;
  end.siteCounts = std::move(counts);
  trace.writer->launchEnd(end);
  trace.writer->finish();
}

} // namespace cupr::test

#endif
