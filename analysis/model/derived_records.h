/// The records of a launch whose accesses are derived: which blocks there are, and in which chunks their records come.
///
/// They are made when they are asked for (derived_block.h), chunk by chunk, so that several threads may ask at a time and nothing
/// is kept. Only blocks that leave more records than a chunk may have are run once, and kept packed in a file without a name.
///
/// How many there are only a run of all blocks can say. Programs launch the same again and again: launches that have their blocks,
/// and what they say of their slice, in common are counted once.
#ifndef CUPR_ANALYSIS_DERIVED_RECORDS_H
#define CUPR_ANALYSIS_DERIVED_RECORDS_H

#include "derived_block.h"
#include "hostlib/trace/counts.h"
#include "hostlib/trace/module.h"
#include "hostlib/trace/work_limit.h"
#include "phase_records.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cupr::analysis {

/// A block of a launch that began.
struct BegunBlock {
  std::uint64_t cta;
  std::uint32_t sm;
};

class DerivedRecords {
public:
  /// `launch` keeps trace::brokenDerivationRule; `blocks` are those of its complete run, and `snapshots` name its memory. Counts
  /// their accesses, with all processors, unless `like`, which may be null, has the same. The module must outlive this. Throws
  /// trace::TooMuch, UnknownMemory, std::runtime_error.
  DerivedRecords(trace::Launch launch, const trace::Module &module, std::vector<BegunBlock> blocks,
                 MemorySnapshots &memory, std::vector<std::uint32_t> snapshots, trace::WorkLimit &limit,
                 const DerivedRecords *like);

  const trace::SpaceCounts &counts() const { return extent_->counts; }
  std::uint64_t records() const { return extent_->records; }
  std::uint64_t words() const { return extent_->words; }
  /// Words of each chunk; they are numbered from 0.
  const std::vector<std::uint32_t> &chunkWords() const { return extent_->chunkWords; }

  /// Gives one chunk's records, piece by piece. Each thread has its own.
  class Reader {
  public:
    Reader(const DerivedRecords &records, std::size_t chunk);
    /// Puts the next records in `words`, instead of what is there; none: the chunk is at its end.
    void next(std::vector<trace::Word> &words);

  private:
    const DerivedRecords &records_;
    std::size_t block_, end_; ///< in DerivedRecords::blocks_
    const std::uint64_t *packed_ = nullptr;
    std::unique_ptr<DerivedBlock> run_;
    bool isRunning_ = false;
  };

private:
  /// Blocks, or where one piece of a block lies.
  struct Part {
    std::size_t firstBlock = 0, endBlock = 0;
    std::uint64_t place = 0;
    bool isPacked = false;
  };
  /// How much there is, and where chunks begin and end.
  struct Extent {
    trace::SpaceCounts counts;
    std::uint64_t records = 0, words = 0;
    std::vector<std::uint32_t> chunkWords;
    std::vector<Part> parts; ///< one for each chunk
  };
  /// Whether the records differ at most in where their blocks ran.
  bool isLike(const DerivedRecords &other) const;
  const trace::Slice &slice() const { return module_.slices[launch_.slice]; }
  std::vector<std::uint64_t> count(Extent &extent) const;
  void divide(const std::vector<std::uint64_t> &wordsOfBlocks, Extent &extent);
  void pack(std::size_t block, Extent &extent);
  void spend(std::uint64_t steps, std::size_t records) const;

  const trace::Launch launch_;
  const trace::Module &module_;
  const std::vector<BegunBlock> blocks_;
  const std::vector<std::uint32_t> snapshots_;
  std::shared_ptr<const LaunchMemory> memory_;
  trace::WorkLimit &limit_;
  std::shared_ptr<const Extent> extent_;
  std::unique_ptr<PhaseRecords> packed_;
};

} // namespace cupr::analysis

#endif
