/// The records of phases (phases.h), packed as in a trace, in a file without a name.
#ifndef CUPR_ANALYSIS_PHASE_RECORDS_H
#define CUPR_ANALYSIS_PHASE_RECORDS_H

#include "hostlib/trace/chunk.h"
#include "unnamed_file.h"

#include <cstdint>
#include <span>

namespace cupr::analysis {

class PhaseRecords {
public:
  /// Adds `records` whole records. Returns where they lie. `row` is trace::packWords's. Throws std::runtime_error.
  std::uint64_t add(std::span<const trace::Word> words, std::uint32_t records, std::uint32_t row);
  /// When all are added.
  void finish();
  /// The chunk at `place`. Several threads may read at a time. Throws std::runtime_error.
  void read(std::uint64_t place, trace::Chunk &chunk) const;

private:
  UnnamedFile file_ = unnamedFile();
  std::uint64_t end_ = 0;
};

} // namespace cupr::analysis

#endif
