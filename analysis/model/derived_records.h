/// The records of a launch whose accesses are derived: which blocks there are, and in which chunks their records come.
///
/// They are made when they are asked for (derived_block.h), chunk by chunk, so that several threads may ask at a time and nothing
/// is kept. Only blocks that leave more records than a chunk may have are run once, when they are asked for first, and kept packed in
/// a file without a name. Of blocks that are alike (block_family.h) one is run.
///
/// How many there are only a run of all blocks can say. Programs launch the same again and again: launches that have their blocks,
/// and what they say of their slice, in common are counted once.
#ifndef CUPR_ANALYSIS_DERIVED_RECORDS_H
#define CUPR_ANALYSIS_DERIVED_RECORDS_H

#include "block_pattern.h"
#include "derived_block.h"
#include "hostlib/trace/counts.h"
#include "hostlib/trace/module.h"
#include "hostlib/trace/work_limit.h"
#include "phase_records.h"
#include "reduced_blocks.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cupr::analysis {

class DerivedRecords {
public:
  /// `launch` keeps trace::brokenDerivationRule; `blocks` are those of its complete run, `variables` the shared ones that it has said
  /// places of, which stand in front of its accesses, and `snapshots` name its memory. Counts
  /// their accesses, with all processors, unless `like`, which may be null, has the same. The module must outlive this. Throws
  /// trace::TooMuch, UnknownMemory, std::runtime_error.
  DerivedRecords(trace::Launch launch, const trace::Module &module, std::vector<BegunBlock> blocks,
                 std::vector<PlacedVariable> variables, MemorySnapshots &memory,
                 std::vector<std::uint32_t> snapshots, trace::WorkLimit &limit, const DerivedRecords *like);

  const trace::SpaceCounts &counts() const { return extent_->counts; }
  std::uint64_t records() const { return extent_->records; }
  std::uint64_t words() const { return extent_->words; }
  /// Words of each chunk; they are numbered from 0.
  const std::vector<std::uint32_t> &chunkWords() const { return extent_->chunkWords; }

  /// The same for launches whose records differ at most in where their blocks ran, and which were counted once.
  const void *likeness() const { return extent_.get(); }
  /// How many began.
  std::size_t blocks() const { return blocks_.size(); }
  /// In the order in which they began.
  const BegunBlock &block(std::size_t place) const { return blocks_[place]; }
  const trace::Slice &slice() const { return module_.slices[launch_.slice]; }
  /// How many times there are blocks that are alike, or one, and come in several chunks.
  std::size_t spanning() const { return extent_->spanning.size(); }
  /// Of one of these what `filter` wants; nothing: all of it, or too much to be kept.
  std::optional<ReducedBlock> reduced(std::size_t spanning, RepeatFilter &filter) const;

  /// Runs blocks `first` to `end`, as they are counted here, of which those that are alike once. Each thread has its own. Throws as
  /// the constructor.
  class Families {
  public:
    Families(const DerivedRecords &records, std::size_t first, std::size_t end)
        : Families(records, first, end, records.slice()) {}
    /// The same of a part of their slice (partial_slice.h), which must outlive this.
    Families(const DerivedRecords &records, std::size_t first, std::size_t end, const trace::Slice &part);
    /// Begins the next blocks that are alike; false: there are no more. The ones before must be done.
    bool begin();
    /// Puts the next records of the first of them in `words`, as many as a chunk has or a few more, and in `shifts`, which may be null,
    /// what the addresses of each grow by from block to block. False: there are no more, and the blocks are done.
    bool next(std::vector<trace::Word> &words, std::vector<std::int64_t> *shifts);
    /// What comes next begins at this block, which is none of the last ones.
    void goOnAt(std::size_t block);
    /// The first of them.
    std::size_t first() const { return first_; }
    /// When they are done: how many they are.
    std::uint64_t alike() const { return run_.alike(); }

  private:
    const DerivedRecords &records_;
    DerivedBlock run_;
    std::size_t first_;
    bool isDone_ = true, hasBegun_ = false;
    const std::size_t end_;
    std::size_t rowEnd_; ///< up to here, numbers of blocks follow each other
  };

  /// Gives one chunk's records, piece by piece. Each thread has its own.
  class Reader {
  public:
    Reader(const DerivedRecords &records, std::size_t chunk);
    /// Puts the next records in `words`, instead of what is there; none: the chunk is at its end.
    void next(std::vector<trace::Word> &words);
    /// From now on, of blocks that do what another one did only what this wants is put there. Both outlive this.
    void reduce(RepeatFilter &filter, const ReducedFamilies &families) {
      filter_ = &filter;
      reducedFamilies_ = &families;
    }
    /// Whether that is so of these.
    bool areReduced() const { return areReduced_; }
    /// Of how many blocks something was left out so far, and accesses of threads in that.
    std::uint64_t reduced() const { return reducedBlocks_; }
    std::uint64_t left() const { return left_; }

  private:
    bool goOn();
    void derive();
    void addFirst(std::vector<trace::Word> &words);
    void addRepeats(std::vector<trace::Word> &words);
    void readPiece(std::vector<trace::Word> &words);
    void sayVariables(std::vector<trace::Word> &words) const;

    const DerivedRecords &records_;
    std::size_t part_;
    bool hasSaid_ = false;    ///< where the launch's shared variables lie
    std::size_t block_, end_; ///< in DerivedRecords::blocks_
    std::unique_ptr<Families> families_;
    // Of the last block that was run, the records and their shifts; how many are like it, and which of these comes next.
    std::vector<trace::Word> first_, words_;
    std::vector<std::int64_t> shifts_, pieceShifts_;
    std::uint64_t alike_ = 0, next_ = 0;
    bool isFirstWhole_ = true; ///< or that is like another one, and not run
    bool areReduced_ = false;
    RepeatFilter *filter_ = nullptr;
    const ReducedFamilies *reducedFamilies_ = nullptr;
    const ReducedBlock *reduced_ = nullptr; ///< of those that are like it; null: they come whole
    ReducedBlock ofChunk_;                  ///< if they all come in this chunk
    std::uint64_t reducedBlocks_ = 0, left_ = 0;
  };

private:
  /// Blocks that are alike.
  struct Family {
    std::size_t first;
    std::uint64_t alike;
    std::size_t end() const { return first + static_cast<std::size_t>(alike); }
  };
  /// The same, of blocks that leave too many records for one chunk.
  struct LargeBlocks {
    std::size_t firstBlock;
    std::uint64_t alike;
    std::vector<std::uint32_t> pieceWords;
  };
  /// The first one's pieces: where they lie, and the shifts of their records, which one block alone has not.
  struct PackedBlock {
    std::once_flag once;
    std::vector<std::uint64_t> places;
    std::vector<std::vector<std::int64_t>> shifts;
  };
  /// Blocks, or a piece of a large one.
  struct Part {
    static constexpr std::size_t kNone = SIZE_MAX;
    std::size_t firstBlock = 0, endBlock = 0;
    std::size_t large = kNone, piece = 0;
  };
  /// How much there is, and where chunks begin and end.
  struct Extent {
    trace::SpaceCounts counts;
    std::uint64_t records = 0, words = 0;
    std::vector<std::uint32_t> chunkWords;
    std::vector<Part> parts; ///< one for each chunk
    std::vector<LargeBlocks> large;
    std::vector<Family> spanning; ///< those that come in several chunks
    // Filled when they are asked for.
    mutable std::vector<PackedBlock> packed; ///< one for each of `large`
    mutable std::mutex fileMutex;
    mutable std::unique_ptr<PhaseRecords> file;
  };
  /// Whether the records differ at most in where their blocks ran.
  bool isLike(const DerivedRecords &other) const;
  std::vector<std::uint64_t> count(Extent &extent, std::vector<Family> &families) const;
  void divide(const std::vector<std::uint64_t> &wordsOfBlocks, Extent &extent) const;
  static void span(const std::vector<Family> &families, Extent &extent);
  std::size_t spanningAt(std::size_t block) const;
  const PackedBlock &packed(std::size_t large) const;
  void pack(const LargeBlocks &large, PackedBlock &packed) const;
  void spend(std::uint64_t steps) const;

  const trace::Launch launch_;
  const trace::Module &module_;
  const std::vector<BegunBlock> blocks_;
  const std::vector<PlacedVariable> variables_;
  const std::vector<std::uint32_t> snapshots_;
  std::shared_ptr<const LaunchMemory> memory_;
  trace::WorkLimit &limit_;
  std::shared_ptr<const Extent> extent_;
};

} // namespace cupr::analysis

#endif
