#include "derived_records.h"

#include "devicelib/abi/record.h"
#include "hostlib/trace/record_counts.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace cupr::analysis {

namespace {

/// What a step of a slice, and a record that comes of it, take, in steps of WorkLimit.
constexpr std::uint64_t kCostOfStep = 12, kCostOfRecord = 30;
/// Blocks that a thread takes at a time: the least, and the most, which bounds what the last one is waited for.
constexpr std::size_t kFewestAtOnce = 16, kMostAtOnce = 4096;
/// Up to so many blocks that are alike, to ask what is wanted of them costs as much as it saves.
constexpr std::uint64_t kFewAlike = 2;

/// How many of `blocks`, from the first one on, have numbers that follow each other.
std::uint64_t inRow(std::span<const BegunBlock> blocks) {
  std::size_t count = 1;
  while (count < blocks.size() && blocks[count].cta == blocks[0].cta + count)
    ++count;
  return count;
}

/// The records in `words`.
std::uint32_t recordsIn(std::span<const trace::Word> words) {
  std::uint32_t records = 0;
  for (std::size_t at = 0; at < words.size(); ++records) {
    abi::FirstWord first;
    std::memcpy(&first, &words[at], sizeof first);
    at += abi::recordWords(abi::formOf(first.siteAndForm), abi::activeLanes(first.lanes));
  }
  return records;
}

} // namespace

DerivedRecords::DerivedRecords(trace::Launch launch, const trace::Module &module,
                               std::vector<BegunBlock> blocks, std::vector<PlacedVariable> variables,
                               MemorySnapshots &memory, std::vector<std::uint32_t> snapshots,
                               trace::WorkLimit &limit, const DerivedRecords *like)
    : launch_(std::move(launch)), module_(module), blocks_(std::move(blocks)),
      variables_(std::move(variables)), snapshots_(std::move(snapshots)), limit_(limit) {
  for (const abi::SliceInput &input : slice().inputs)
    if (static_cast<abi::SliceSource>(input.source) == abi::SliceSource::Shared &&
        std::ranges::find(variables_, input.index, &PlacedVariable::site) == variables_.end())
      throw UnknownMemory("the launch does not say where a shared variable lies");
  if (like && isLike(*like)) {
    memory_ = like->memory_;
    extent_ = like->extent_;
    return;
  }
  memory_ = std::make_shared<const LaunchMemory>(memory.memoryOf(snapshots_, limit_));
  auto extent = std::make_shared<Extent>();
  std::vector<Family> families;
  divide(count(*extent, families), *extent);
  span(families, *extent);
  limit_.keep(extent->spanning.size() * sizeof(Family), [&] {
    return "launch " + std::to_string(static_cast<std::uint64_t>(launch_.id)) + ": its blocks that are alike";
  });
  if (!extent->parts.empty()) {
    const auto said = static_cast<std::uint32_t>(variables_.size());
    extent->records += said;
    extent->words += std::uint64_t{said} * abi::kHeadWords;
    extent->chunkWords.front() += said * static_cast<std::uint32_t>(abi::kHeadWords);
  }
  extent_ = std::move(extent);
}

bool DerivedRecords::isLike(const DerivedRecords &other) const {
  return launch_.module == other.launch_.module && launch_.slice == other.launch_.slice &&
         launch_.sliceValues == other.launch_.sliceValues && launch_.grid == other.launch_.grid &&
         launch_.block == other.launch_.block && snapshots_ == other.snapshots_ &&
         std::ranges::equal(
             variables_, other.variables_, {},
             [](const PlacedVariable &one) { return std::pair(one.site, one.offset); },
             [](const PlacedVariable &one) { return std::pair(one.site, one.offset); }) &&
         std::equal(blocks_.begin(), blocks_.end(), other.blocks_.begin(), other.blocks_.end(),
                    [](const BegunBlock &a, const BegunBlock &b) { return a.cta == b.cta; });
}

void DerivedRecords::spend(std::uint64_t steps) const {
  limit_.spend(steps, [&] {
    return "launch " + std::to_string(static_cast<std::uint64_t>(launch_.id)) + ": deriving its accesses";
  });
}

DerivedRecords::Families::Families(const DerivedRecords &records, std::size_t first, std::size_t end,
                                   const trace::Slice &part)
    : records_(records),
      run_(part, records.module_.sites, records.launch_, *records.memory_, records.variables_), first_(first),
      end_(end), rowEnd_(first) {}

bool DerivedRecords::Families::begin() {
  assert(isDone_ && "one family after the other");
  if (hasBegun_)
    first_ += run_.alike();
  if (first_ == end_)
    return false;
  if (first_ == rowEnd_)
    rowEnd_ += inRow(std::span(records_.blocks_).subspan(first_, end_ - first_));
  const BegunBlock &block = records_.blocks_[first_];
  run_.begin(block.cta, static_cast<std::uint32_t>(block.sm), rowEnd_ - first_);
  hasBegun_ = true;
  isDone_ = false;
  return true;
}

bool DerivedRecords::Families::next(std::vector<trace::Word> &words, std::vector<std::int64_t> *shifts) {
  words.clear();
  if (shifts)
    shifts->clear();
  while (!isDone_ && words.size() < trace::kChunkWords) {
    const DerivedBlock::Progress progress = run_.runFor(words, trace::kChunkWords, shifts);
    isDone_ = progress.isDone;
    records_.spend(kCostOfStep * progress.steps);
  }
  return !words.empty();
}

void DerivedRecords::Families::goOnAt(std::size_t block) {
  assert(isDone_ && "one family after the other");
  first_ = block;
  rowEnd_ = std::max(rowEnd_, block);
  hasBegun_ = false;
}

/// Runs all blocks, one for those that are alike, which it adds to `families`. Returns the words of each one's records.
std::vector<std::uint64_t> DerivedRecords::count(Extent &extent, std::vector<Family> &families) const {
  std::vector<std::uint64_t> wordsOfBlocks(blocks_.size());
  const trace::SiteWeights weights = trace::weightsOf(module_);
  std::atomic<std::size_t> nextBlock{0}; // relaxed: who takes which blocks is all that threads settle by it
  std::mutex mutex;                      // of what follows, and of extent.large
  trace::RecordCounts all;
  std::exception_ptr failure;
  const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t atOnce = std::clamp(blocks_.size() / (8 * processors), kFewestAtOnce, kMostAtOnce);
  const auto work = [&] {
    try {
      trace::RecordCounts mine;
      std::vector<Family> myFamilies;
      std::vector<trace::Word> words;
      for (std::size_t from;
           (from = nextBlock.fetch_add(atOnce, std::memory_order_relaxed)) < blocks_.size();) {
        Families runs(*this, from, std::min(from + atOnce, blocks_.size()));
        while (runs.begin()) {
          const std::size_t block = runs.first();
          trace::RunCount sum(&weights);
          LargeBlocks blocks{block, 1, {}};
          while (runs.next(words, nullptr)) {
            spend(kCostOfRecord * (words.size() / abi::kHeadWords));
            sum.scan(words.data(), words.size(), 0,
                     [](const abi::RecordHead &, const trace::Word *, std::size_t) {});
            wordsOfBlocks[block] += words.size();
            blocks.pieceWords.push_back(static_cast<std::uint32_t>(words.size()));
          }
          blocks.alike = runs.alike();
          if (wordsOfBlocks[block] > (blocks.alike > 1 ? 0 : trace::kMaxChunkWords))
            myFamilies.push_back({block, blocks.alike});
          sum.addTo(mine, blocks.alike);
          std::fill_n(wordsOfBlocks.begin() + static_cast<std::ptrdiff_t>(block), blocks.alike,
                      wordsOfBlocks[block]);
          if (wordsOfBlocks[block] <= trace::kMaxChunkWords)
            continue;
          const std::scoped_lock lock(mutex);
          extent.large.push_back(std::move(blocks));
        }
      }
      const std::scoped_lock lock(mutex);
      all += mine;
      families.insert(families.end(), myFamilies.begin(), myFamilies.end());
    } catch (...) {
      nextBlock = blocks_.size();
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const std::size_t most = std::min(processors, blocks_.size() / (4 * kFewestAtOnce) + 1);
  for (std::size_t i = 1; i < most; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
  if (failure)
    std::rethrow_exception(failure);
  std::ranges::sort(extent.large, {}, &LargeBlocks::firstBlock);
  std::ranges::sort(families, {}, &Family::first);
  extent.counts = all.counts;
  extent.records = all.total().records;
  extent.words = all.total().words;
  return wordsOfBlocks;
}

void DerivedRecords::divide(const std::vector<std::uint64_t> &wordsOfBlocks, Extent &extent) const {
  std::uint64_t words = 0;
  std::size_t first = 0;
  const auto add = [&](std::size_t end) {
    if (words != 0) {
      extent.parts.push_back({first, end});
      extent.chunkWords.push_back(static_cast<std::uint32_t>(words));
    }
    first = end;
    words = 0;
  };
  auto large = extent.large.begin();
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (wordsOfBlocks[block] > trace::kMaxChunkWords) {
      add(block);
      while (block >= large->firstBlock + large->alike)
        ++large;
      for (std::size_t piece = 0; piece < large->pieceWords.size(); ++piece) {
        extent.parts.push_back(
            {block, block + 1, static_cast<std::size_t>(large - extent.large.begin()), piece});
        extent.chunkWords.push_back(large->pieceWords[piece]);
      }
      first = block + 1;
      continue;
    }
    if (words + wordsOfBlocks[block] > trace::kMaxChunkWords)
      add(block);
    words += wordsOfBlocks[block];
    if (words >= trace::kChunkWords)
      add(block + 1);
  }
  add(blocks_.size());
  extent.packed = std::vector<PackedBlock>(extent.large.size());
  limit_.keep(extent.parts.size() * (sizeof(Part) + sizeof(std::uint32_t)), [&] {
    return "launch " + std::to_string(static_cast<std::uint64_t>(launch_.id)) + ": its chunks";
  });
}

/// Which of them don't come in one chunk; of those that are one block it is known.
void DerivedRecords::span(const std::vector<Family> &families, Extent &extent) {
  auto part = extent.parts.begin();
  for (const Family &family : families) {
    while (part->endBlock <= family.first)
      ++part;
    if (part->endBlock < family.end() || family.alike == 1)
      extent.spanning.push_back(family);
  }
}

/// The one that this block is of; SIZE_MAX: none.
std::size_t DerivedRecords::spanningAt(std::size_t block) const {
  const std::vector<Family> &spanning = extent_->spanning;
  const auto next = std::ranges::upper_bound(spanning, block, {}, &Family::first);
  if (next == spanning.begin() || next[-1].end() <= block)
    return SIZE_MAX;
  return static_cast<std::size_t>(next - spanning.begin()) - 1;
}

const DerivedRecords::PackedBlock &DerivedRecords::packed(std::size_t large) const {
  PackedBlock &packed = extent_->packed[large];
  std::call_once(packed.once, [&] { pack(extent_->large[large], packed); });
  return packed;
}

void DerivedRecords::pack(const LargeBlocks &large, PackedBlock &packed) const {
  Families families(*this, large.firstBlock, large.firstBlock + large.alike);
  std::vector<trace::Word> words;
  std::vector<std::int64_t> shifts;
  std::uint64_t kept = 0;
  PackedBlock made;
  families.begin();
  while (families.next(words, large.alike > 1 ? &shifts : nullptr)) {
    const trace::Dim3 &grid = launch_.grid;
    const std::scoped_lock lock(extent_->fileMutex);
    if (!extent_->file)
      extent_->file = std::make_unique<PhaseRecords>();
    made.places.push_back(extent_->file->add(words, recordsIn(words), grid.y * grid.z > 1 ? grid.x : 0));
    made.shifts.push_back(shifts);
    kept += shifts.size() * sizeof(std::int64_t);
  }
  assert(families.alike() == large.alike && "what a block does is the same each time that it is run");
  limit_.keep(kept, [&] {
    return "launch " + std::to_string(static_cast<std::uint64_t>(launch_.id)) +
           ": what its blocks have in common";
  });
  const std::scoped_lock lock(extent_->fileMutex);
  extent_->file->finish();
  packed.places = std::move(made.places);
  packed.shifts = std::move(made.shifts);
}

std::optional<ReducedBlock> DerivedRecords::reduced(std::size_t spanning, RepeatFilter &filter) const {
  constexpr std::size_t kMostWords = 65536;
  const Family &its = extent_->spanning[spanning];
  Families run(*this, its.first, its.end());
  run.begin();
  ReducedBlock reduced;
  std::vector<trace::Word> words;
  std::vector<std::int64_t> shifts;
  std::uint64_t whole = 0;
  filter.begin(its.alike - 1);
  while (run.next(words, &shifts)) {
    whole += words.size();
    if (!filter.add(words, shifts, reduced) || reduced.words.size() > kMostWords)
      return {};
  }
  if (!filter.end(reduced) || reduced.words.size() > whole / 2)
    return {};
  reduced.words.shrink_to_fit();
  reduced.shifts.shrink_to_fit();
  return reduced;
}

DerivedRecords::Reader::Reader(const DerivedRecords &records, std::size_t chunk)
    : records_(records), part_(chunk), block_(records.extent_->parts[chunk].firstBlock),
      end_(records.extent_->parts[chunk].endBlock) {}

void DerivedRecords::Reader::next(std::vector<trace::Word> &words) {
  words.clear();
  if (part_ == 0 && !std::exchange(hasSaid_, true))
    sayVariables(words);
  if (records_.extent_->parts[part_].large != Part::kNone)
    return readPiece(words);
  while (block_ != end_) { // some blocks have no records
    if (next_ == alike_ && !goOn())
      derive();
    const bool isWhole = next_ == 0 && isFirstWhole_;
    areReduced_ = !isWhole && reduced_;
    if (isWhole)
      addFirst(words);
    else
      addRepeats(words);
    if (!words.empty())
      return;
  }
}

/// What the block that was run has, as it is.
void DerivedRecords::Reader::addFirst(std::vector<trace::Word> &words) {
  if (alike_ == 1 && words.empty())
    words.swap(first_);
  else
    words.insert(words.end(), first_.begin(), first_.end());
  ++next_, ++block_;
}

void DerivedRecords::Reader::addRepeats(std::vector<trace::Word> &words) {
  const std::vector<trace::Word> &its = reduced_ ? reduced_->words : first_;
  const std::vector<std::int64_t> &shifts = reduced_ ? reduced_->shifts : shifts_;
  for (; words.size() < trace::kChunkWords && block_ != end_ && next_ != alike_; ++next_, ++block_) {
    addLike(its, next_, records_.blocks_[block_], [&](std::size_t record) { return shifts[record]; }, words);
    if (reduced_)
      ++reducedBlocks_, left_ += reduced_->left;
  }
}

void DerivedRecords::Reader::sayVariables(std::vector<trace::Word> &words) const {
  for (const PlacedVariable &variable : records_.variables_) {
    const abi::RecordHead record{abi::packSite(variable.site, abi::RecordForm::Affine),
                                 1u,
                                 variable.saidBy.cta,
                                 variable.offset,
                                 0,
                                 abi::packWhere(0, static_cast<std::uint32_t>(variable.saidBy.sm), 0)};
    words.resize(words.size() + abi::kHeadWords);
    std::memcpy(static_cast<void *>(&words[words.size() - abi::kHeadWords]), &record, sizeof record);
  }
}

/// Whether the next blocks are like one of an earlier chunk, or of an earlier family, and what of them is wanted is known: then they have begun.
bool DerivedRecords::Reader::goOn() {
  const std::size_t family = filter_ ? records_.spanningAt(block_) : SIZE_MAX;
  if (family == SIZE_MAX)
    return false;
  reduced_ = reducedFamilies_->of(family);
  if (!reduced_ || (records_.extent_->spanning[family].first == block_ && !reducedFamilies_->repeats(family)))
    return false;
  isFirstWhole_ = false;
  next_ = block_ - records_.extent_->spanning[family].first;
  alike_ = std::min<std::uint64_t>(records_.extent_->spanning[family].alike, next_ + (end_ - block_));
  if (families_)
    families_->goOnAt(block_ + static_cast<std::size_t>(alike_ - next_));
  return true;
}

/// The records of the next block, and how many are like it.
void DerivedRecords::Reader::derive() {
  if (!families_)
    families_ = std::make_unique<Families>(records_, block_, end_);
  families_->begin();
  first_.clear();
  shifts_.clear();
  while (families_->next(words_, &pieceShifts_)) {
    first_.insert(first_.end(), words_.begin(), words_.end());
    shifts_.insert(shifts_.end(), pieceShifts_.begin(), pieceShifts_.end());
  }
  next_ = 0;
  isFirstWhole_ = true;
  alike_ = families_->alike();
  reduced_ = nullptr;
  if (!filter_)
    return;
  if (const std::size_t family = records_.spanningAt(block_); family != SIZE_MAX) {
    reduced_ = reducedFamilies_->of(family);
  } else if (alike_ > kFewAlike) {
    ofChunk_ = {};
    filter_->begin(alike_ - 1);
    if (filter_->add(first_, shifts_, ofChunk_) && filter_->end(ofChunk_))
      reduced_ = &ofChunk_;
  }
}

/// All of it at once.
void DerivedRecords::Reader::readPiece(std::vector<trace::Word> &words) {
  if (block_ == end_)
    return;
  if (filter_ && goOn()) {
    areReduced_ = true;
    if (records_.extent_->parts[part_].piece == 0)
      addRepeats(words);
    else
      ++block_;
    return;
  }
  const Part &part = records_.extent_->parts[part_];
  const LargeBlocks &large = records_.extent_->large[part.large];
  const PackedBlock &packed = records_.packed(part.large);
  trace::Chunk chunk;
  records_.extent_->file->read(packed.places[part.piece], chunk);
  if (const std::string rule = trace::unpackChunk(chunk, first_); !rule.empty())
    throw std::runtime_error("records of a launch that were put aside can't be read: " + rule);
  const std::vector<std::int64_t> &shifts = packed.shifts[part.piece];
  areReduced_ = false;
  addLike(
      first_, block_ - large.firstBlock, records_.blocks_[block_],
      [&](std::size_t record) { return shifts.empty() ? 0 : shifts[record]; }, words);
  ++block_;
}

} // namespace cupr::analysis
