/// The viewer: one HTML page that opens traces in a browser, with the reader compiled to WebAssembly in it (viewer/).
#ifndef CUPR_ANALYSIS_VIEWER_H
#define CUPR_ANALYSIS_VIEWER_H

#include "analysis/output/byte_sink.h"

#include <cstdint>
#include <string>

namespace cupr::analysis {

/// The largest trace that a page may have in it, in bytes: what is larger is quicker opened from disk.
inline constexpr std::uint64_t kMostEmbeddedBytes = 4u << 20;

/// Writes the page to `sink`, which is the caller's to finish. `trace`: the file that stands in it, and opens with it; empty: none.
/// Throws std::runtime_error.
void writeViewer(const std::string &trace, ByteSink &sink);

} // namespace cupr::analysis

#endif
