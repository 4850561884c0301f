#include "derived_records.h"

#include "devicelib/abi/record.h"
#include "hostlib/trace/record_counts.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace cupr::analysis {

namespace {

/// What a step of a slice, and a record that comes of it, take, in steps of WorkLimit.
constexpr std::uint64_t kCostOfStep = 12, kCostOfRecord = 30;
/// Blocks that a thread takes at a time.
constexpr std::size_t kBlocksAtOnce = 16;

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
                               std::vector<BegunBlock> blocks, MemorySnapshots &memory,
                               std::vector<std::uint32_t> snapshots, trace::WorkLimit &limit,
                               const DerivedRecords *like)
    : launch_(std::move(launch)), module_(module), blocks_(std::move(blocks)),
      snapshots_(std::move(snapshots)), limit_(limit) {
  if (like && isLike(*like)) {
    memory_ = like->memory_;
    extent_ = like->extent_;
    return;
  }
  memory_ = std::make_shared<const LaunchMemory>(memory.memoryOf(snapshots_, limit_));
  auto extent = std::make_shared<Extent>();
  divide(count(*extent), *extent);
  extent_ = std::move(extent);
}

bool DerivedRecords::isLike(const DerivedRecords &other) const {
  return launch_.module == other.launch_.module && launch_.slice == other.launch_.slice &&
         launch_.sliceValues == other.launch_.sliceValues && launch_.grid == other.launch_.grid &&
         launch_.block == other.launch_.block && snapshots_ == other.snapshots_ && !other.packed_ &&
         std::equal(blocks_.begin(), blocks_.end(), other.blocks_.begin(), other.blocks_.end(),
                    [](const BegunBlock &a, const BegunBlock &b) { return a.cta == b.cta; });
}

void DerivedRecords::spend(std::uint64_t steps, std::size_t records) const {
  limit_.spend(kCostOfStep * steps + kCostOfRecord * records, [&] {
    return "launch " + std::to_string(static_cast<std::uint64_t>(launch_.id)) + ": deriving its accesses";
  });
}

/// Runs all blocks. Returns the words of each one's records.
std::vector<std::uint64_t> DerivedRecords::count(Extent &extent) const {
  std::vector<std::uint64_t> wordsOfBlocks(blocks_.size());
  const trace::SiteWeights weights = trace::weightsOf(module_);
  std::atomic<std::size_t> nextBlock{0}; // relaxed: who takes which blocks is all that threads settle by it
  std::mutex mutex;                      // of what follows
  trace::RecordCounts all;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      trace::RecordCounts mine;
      DerivedBlock run(slice(), module_.sites, launch_, *memory_);
      std::vector<trace::Word> words;
      for (std::size_t from;
           (from = nextBlock.fetch_add(kBlocksAtOnce, std::memory_order_relaxed)) < blocks_.size();) {
        trace::RunCount sum(&weights);
        for (std::size_t block = from; block < std::min(from + kBlocksAtOnce, blocks_.size()); ++block) {
          run.begin(blocks_[block].cta, blocks_[block].sm);
          for (bool isDone = false; !isDone;) {
            words.clear();
            const DerivedBlock::Progress progress = run.runFor(words, trace::kChunkWords);
            isDone = progress.isDone;
            sum.scan(words.data(), words.size(), 0,
                     [](const abi::RecordHead &, const trace::Word *, std::size_t) {});
            wordsOfBlocks[block] += words.size();
            spend(progress.steps, words.size() / abi::kHeadWords);
          }
        }
        sum.addTo(mine);
      }
      const std::scoped_lock lock(mutex);
      all += mine;
    } catch (...) {
      nextBlock = blocks_.size();
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const std::size_t most = std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()),
                                                 blocks_.size() / (4 * kBlocksAtOnce) + 1);
  for (std::size_t i = 1; i < most; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
  if (failure)
    std::rethrow_exception(failure);
  extent.counts = all.counts;
  extent.records = all.total().records;
  extent.words = all.total().words;
  return wordsOfBlocks;
}

void DerivedRecords::divide(const std::vector<std::uint64_t> &wordsOfBlocks, Extent &extent) {
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
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (wordsOfBlocks[block] > trace::kMaxChunkWords) {
      add(block);
      pack(block, extent);
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
  limit_.keep(extent.parts.size() * (sizeof(Part) + sizeof(std::uint32_t)), [&] {
    return "launch " + std::to_string(static_cast<std::uint64_t>(launch_.id)) + ": its chunks";
  });
  if (packed_)
    packed_->finish();
}

/// Keeps the records of a block that leaves too many for one chunk.
void DerivedRecords::pack(std::size_t block, Extent &extent) {
  if (!packed_)
    packed_ = std::make_unique<PhaseRecords>();
  const trace::Dim3 &grid = launch_.grid;
  DerivedBlock run(slice(), module_.sites, launch_, *memory_);
  run.begin(blocks_[block].cta, blocks_[block].sm);
  std::vector<trace::Word> words;
  for (bool isDone = false; !isDone;) {
    const DerivedBlock::Progress progress = run.runFor(words, trace::kChunkWords);
    isDone = progress.isDone;
    spend(progress.steps, words.size() / abi::kHeadWords);
    if (words.empty() || (!isDone && words.size() < trace::kChunkWords))
      continue;
    Part part;
    part.place = packed_->add(words, recordsIn(words), grid.y * grid.z > 1 ? grid.x : 0);
    part.isPacked = true;
    extent.parts.push_back(part);
    extent.chunkWords.push_back(static_cast<std::uint32_t>(words.size()));
    words.clear();
  }
}

DerivedRecords::Reader::Reader(const DerivedRecords &records, std::size_t chunk)
    : records_(records), block_(records.extent_->parts[chunk].firstBlock),
      end_(records.extent_->parts[chunk].endBlock),
      packed_(records.extent_->parts[chunk].isPacked ? &records.extent_->parts[chunk].place : nullptr) {}

void DerivedRecords::Reader::next(std::vector<trace::Word> &words) {
  words.clear();
  if (packed_) {
    trace::Chunk chunk;
    records_.packed_->read(*std::exchange(packed_, nullptr), chunk);
    if (const std::string rule = trace::unpackChunk(chunk, words); !rule.empty())
      throw std::runtime_error("records of a launch that were put aside can't be read: " + rule);
    return;
  }
  if (!run_ && block_ != end_)
    run_ = std::make_unique<DerivedBlock>(records_.slice(), records_.module_.sites, records_.launch_,
                                          *records_.memory_);
  while (words.size() < trace::kChunkWords && (isRunning_ || block_ != end_)) {
    if (!isRunning_) {
      run_->begin(records_.blocks_[block_].cta, records_.blocks_[block_].sm);
      ++block_;
    }
    const DerivedBlock::Progress progress = run_->runFor(words, trace::kChunkWords);
    isRunning_ = !progress.isDone;
    records_.spend(progress.steps, 0);
  }
}

} // namespace cupr::analysis
