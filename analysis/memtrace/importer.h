/// Makes a trace of a trace file of cuda-memtrace (layout.h).
///
/// What the file says is kept: kernels in their order, and every access with its kind, size, address, SM and
/// CTA. What it doesn't say is made up, as little as a trace allows:
/// - A kernel has a site for each kind and size, without a place in the source.
/// - Warps and lanes: up to 32 accesses that stand one behind the other, with the same kind, size, SM and
/// CTA,
///   become one record of lanes 0, 1 ... of warp 0. Blocks have 32 threads.
/// - The grid is as large as the largest CTA index asks for.
/// - An atomic operation of versions 2 and 3 is an atomic add.
/// - Allocations, copies and times are not there. `complete` is what the file claims by its end.
#ifndef CUPR_ANALYSIS_MEMTRACE_IMPORTER_H
#define CUPR_ANALYSIS_MEMTRACE_IMPORTER_H

#include <cstdint>
#include <stdexcept>
#include <string>

namespace cupr::analysis {

struct Imported {
  unsigned version = 0;
  std::uint64_t kernels = 0;
  std::uint64_t accesses = 0;
};

/// Whether the file's first bytes are those of such a file.
bool isMemtrace(const std::string &path);

/// Reads the file `from` and writes the trace `to`. Throws BadTrace if `from` is not such a file or is cut
/// off, std::runtime_error if `to` can't be written. Memory: a chunk, and the sites of the kernels.
Imported importMemtrace(const std::string &from, const std::string &to);

} // namespace cupr::analysis

#endif
