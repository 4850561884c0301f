/// Names, files, lines and loops of places in the program's code, for people who read call paths.
///
/// The problem: this is asked for as the process ends, when little can be relied on. Files may have changed, other threads may be stuck with
/// locks, debug information may be gigabytes long or nonsense; and the program must end as it would have, soon, and say nothing. So
///
/// - the work is done by a thread of its own, and what it has found is taken when its time is over, finished or not. It may then be waiting
///   for the loader, or be in the middle of a large file: the end of the process ends it. What it uses is its own.
/// - names from the ELF files' symbol tables come first, for all places, quickly; then debug information, unit by unit.
/// - a file that is another one than was loaded says nothing. Its build ID tells; without one, that nothing about it has changed since.
/// - of descriptors, those of one object are open at a time: of its file, and of the one with its debug information.
///
/// Where debug information was split off (Debian's packages have it in .../debug/.build-id), it is looked for there, never over a network.
#ifndef CUPR_RUNTIME_HOST_SYMBOLS_H
#define CUPR_RUNTIME_HOST_SYMBOLS_H

#include "hostlib/trace/host_batch.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace cupr::host {

struct SymbolSearch {
  /// For debug information. All of it, and the symbol tables, get as much again, then the rest stays without names.
  std::chrono::milliseconds budget{1500};
  /// Nanoseconds since the epoch: since when files without a build ID must not have changed.
  std::uint64_t since = UINT64_MAX;
};

/// Fills in the frames of places, and returns the loops around them. Where nothing is known there are none. `objects`: what `places` name
/// by index.
std::vector<trace::HostLoop> findSymbols(const std::vector<trace::HostObject> &objects,
                                         std::vector<trace::HostPlace> &places,
                                         const SymbolSearch &search = {});

} // namespace cupr::host

#endif
