/// The records of one launch, one after the other, straight from the file.
#ifndef CUPR_ANALYSIS_RECORDS_H
#define CUPR_ANALYSIS_RECORDS_H

#include "derived_records.h"
#include "devicelib/abi/record.h"
#include "hostlib/trace/packed_values.h"
#include "hostlib/trace/record_values.h"
#include "model.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cupr::analysis {

/// What one warp did at one site: an access, or synchronisation where that is asked for.
struct Record {
  abi::WarpAccess access;
  const trace::Site *site = nullptr; ///< never null
  /// What it read and wrote, and when, for who asks for it; without shape where nothing was recorded.
  trace::AccessValues values;
};

/// Which records a metric wants: addresses in shared and local memory are those of one block or
/// thread, and say nothing of other ones. Blocks: only what a derived launch has recorded: that a block began (abi::kSiteBlock), and where shared variables
/// lie, which are no accesses.
/// Executions: only those that say that instructions are executed, which are no accesses either. Everything: accesses and, between them, all
/// others but those of blocks.
enum class RecordsOf { AllMemory, GlobalMemory, GlobalWrites, Blocks, Executions, Everything };
bool isWanted(const trace::Site &site, RecordsOf wanted);

/// Whether addresses at the site may be places in allocations: those in shared and local memory are offsets, textures have
/// coordinates, and what stands for the address of synchronisation is something else.
inline bool areOfAllocations(const trace::Site &site) {
  const abi::MemorySpace space = abi::spaceOf(site.space);
  return isAccess(site) && (space == abi::MemorySpace::Global || space == abi::MemorySpace::Constant);
}

/// Memory: one chunk. Throws BadTrace where a rule is broken,
/// and trace::TooMuch.
class RecordStream {
public:
  RecordStream(const Model &model, const LaunchInfo &launch, RecordsOf wanted = RecordsOf::AllMemory);
  /// Chunk `chunk` of the launch alone, with a reader of one's own: several threads may read at a time.
  RecordStream(const Model &model, const LaunchInfo &launch, RecordsOf wanted, trace::Reader &reader,
               std::size_t chunk);

  /// From now on records have their values.
  void readValues() { readsValues_ = true; }
  /// From now on records of the form Affine have the address of their lowest lane alone, from which their stride leads to the others.
  void leaveAffine() { leavesAffine_ = true; }

  /// From now on, of derived blocks that repeat others come only the records that this wants. `families` are the launch's; both outlive
  /// the stream.
  void reduceRepeats(RepeatFilter &filter, const ReducedFamilies &families) {
    filter_ = &filter;
    families_ = &families;
  }

  const LaunchInfo &launch() const { return launch_; }
  /// The next record, valid until the next call; null: there are no more.
  const Record *next();
  /// Of the record that next() gave last, as the file has them.
  std::span<const trace::Word> wordsOfRecord() const {
    return std::span(words_).subspan(at_ - recordWords_, recordWords_);
  }
  /// Whether the record that next() gave last is one of those that reduceRepeats() has kept.
  bool isReduced() const { return derived_ && derived_->areReduced(); }
  /// For what the caller does with records, in steps of trace::WorkLimit.
  void spend(std::uint64_t steps) {
    if ((pending_ += steps) > kMostPending)
      spendPending();
  }
  /// Of how many blocks reduceRepeats() has left something out so far, and accesses of threads in that. A block that comes in several chunks
  /// counts in its first one.
  std::uint64_t reduced() const { return reduced_ + (derived_ ? derived_->reduced() : 0); }
  std::uint64_t left() const { return left_ + (derived_ ? derived_->left() : 0); }
  /// 16-byte words read so far.
  std::uint64_t words() const { return wordsBefore_ + at_; }

private:
  static constexpr std::uint64_t kMostPending = 1u << 20;
  void spendPending();
  const trace::Chunk *readChunk(std::uint64_t offset);
  bool nextChunk();
  std::string place() const;
  [[noreturn]] void bad(const std::string &rule) const;

  const Model &model_;
  const LaunchInfo &launch_;
  const trace::Module *module_;
  const RecordsOf wanted_;
  trace::Reader &reader_;
  std::size_t chunk_ = 0; ///< the next one to read
  std::size_t endChunk_;
  std::vector<trace::Word> words_, valueWords_;
  trace::ValueSites valueSites_; ///< of the module, where values are read
  trace::RecordValues values_;   ///< of the chunk that is read
  bool readsValues_ = false, leavesAffine_ = false;
  RepeatFilter *filter_ = nullptr;
  const ReducedFamilies *families_ = nullptr;
  std::uint64_t reduced_ = 0, left_ = 0; ///< in the chunks before this one
  std::size_t at_ = 0;
  std::uint32_t recordWords_ = 0;
  std::uint64_t pending_ = 0;     ///< steps that are not spent yet
  std::uint64_t wordsBefore_ = 0; ///< in the chunks before this one
  Record record_;
  trace::Message message_;
  trace::Chunk phaseChunk_;
  std::optional<DerivedRecords::Reader> derived_; ///< of the chunk that is read
};

} // namespace cupr::analysis

#endif
