/// Drives the shards of memory through the trace.
///
/// The trace is cut in batches of a few dozen chunks. The chunks of a batch are decoded by all threads at
/// once; then every shard that is in memory goes through the whole batch, in its order, all shards at once.
/// So there is one point where threads meet for each batch, however many small launches are in it. Peers meet
/// there, too: each has its part of the chunks and of the shards.
#include "communication.h"

#include "act_script.h"
#include "analysis/export/progress.h"
#include "communication_sums.h"
#include "peer_failure.h"
#include "peers.h"
#include "resident_shards.h"
#include "run_dispatcher.h"
#include "shared_decoding.h"

#include <algorithm>
#include <exception>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tuple>
#include <unistd.h>

namespace cupr::analysis {

LaunchVolume &LaunchVolume::operator+=(const LaunchVolume &other) {
  uniqueRead += other.uniqueRead;
  uniqueWritten += other.uniqueWritten;
  readFromLaunches += other.readFromLaunches;
  readFromHost += other.readFromHost;
  readByLaunches += other.readByLaunches;
  readByHost += other.readByHost;
  return *this;
}

ProgramVolume &ProgramVolume::operator+=(const ProgramVolume &other) {
  counts += other.counts;
  uniqueRead += other.uniqueRead;
  uniqueWritten += other.uniqueWritten;
  writtenByHost += other.writtenByHost;
  communicated += other.communicated;
  sameIndex += other.sameIndex;
  otherIndex += other.otherIndex;
  handedOn += other.handedOn;
  concurrent += other.concurrent;
  readByHost += other.readByHost;
  hostRead += other.hostRead;
  incompleteLaunches += other.incompleteLaunches;
  return *this;
}

bool Transfer::before(const Transfer &other) const {
  return std::tuple(dependence, destination, source, destinationCta, sourceCta) <
         std::tuple(other.dependence, other.destination, other.source, other.destinationCta, other.sourceCta);
}

namespace {

std::uint64_t halfOfTheMachine() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
}

class Analyser {
public:
  Analyser(const Model &model, const AnalysisOptions &options)
      : model_(model), peers_(options.peers ? *options.peers : alone_),
        memory_(peers_.least(options.memory ? options.memory : halfOfTheMachine() / peers_.onThisMachine())),
        threads_(options.threads ? options.threads : static_cast<unsigned>(tbb::info::default_concurrency())),
        control_(tbb::global_control::max_allowed_parallelism, threads_), arena_(static_cast<int>(threads_)),
        progress_("comm", stderr, ::isatty(STDERR_FILENO) != 0), quiet_(options.quiet || !peers_.isFirst()),
        sums_(model, memory_), decoding_(peers_, sums_.shapes()),
        shards_(sums_.context(), decoding_.shards(), memory_) {}

  Communication run() {
    if (!quiet_)
      progress_.start(recordCount());
    for (bool first = true; takeShards(); first = false)
      pass(first);
    agree(peers_, failure_);
    progress_.finish();
    return sums_.finish(peers_, writtenByHost_);
  }

private:
  std::uint64_t recordCount() const {
    std::uint64_t sum = 0;
    for (const LaunchInfo &launch : model_.launches())
      sum += launch.totals.records;
    return sum;
  }

  /// False: all are done, those of the peers, too.
  bool takeShards() {
    bool any = false;
    attempt([&] { any = shards_.take(); });
    return peers_.least(any ? 0 : 1) == 0;
  }

  /// What fails is told to the peers when they are met next, and ends the analysis there.
  template <typename Work> void attempt(Work work) {
    if (!failure_)
      failure_ = failureOf(work);
  }

  /// Room for decoded chunks: one of scattered accesses makes up to 2 MiB of runs.
  std::size_t chunksPerBatch() const {
    return std::clamp<std::size_t>(static_cast<std::size_t>(memory_ / 8 >> 21), 2, 64);
  }

  void pass(bool first) {
    ActScript script(model_, sums_.ordering(), chunksPerBatch());
    ScriptBatch batch;
    std::vector<ChunkRuns> runs(chunksPerBatch());
    const std::uint64_t from = peers_.least(shards_.firstBatch());
    for (std::uint64_t number = 0; script.next(batch); ++number) {
      if (number < from)
        continue;
      attempt([&] { arena_.execute([&] { decode(batch, runs); }); });
      decoding_.share({runs.data(), batch.chunks.size()}, failure_);
      attempt([&] {
        arena_.execute([&] { work(batch, number, runs); });
        if (first)
          countEntities(batch, runs);
        for (ResidentShards::Resident &resident : shards_.all())
          sums_.addFindings(resident.shard->takeFindings());
        shards_.putAside();
      });
    }
    writtenByHost_ = script.writtenByHost();
    for (const ResidentShards::Resident &done : shards_.all())
      sums_.addShapes(*done.shard);
    shards_.drop();
    if (first)
      for (const RunDispatcher &dispatcher : dispatchers_)
        sums_.addFigures(dispatcher);
    dispatchers_.clear();
  }

  void decode(const ScriptBatch &batch, std::vector<ChunkRuns> &runs) {
    tbb::parallel_for(std::size_t{0}, batch.chunks.size(), [&](std::size_t i) {
      if (!decoding_.isMine(i))
        return;
      const ScriptChunk &chunk = batch.chunks[i];
      dispatchers_.local().dispatch(chunk.launch, chunk.chunk, chunk.number, *chunk.allocations, runs[i]);
    });
  }

  void work(const ScriptBatch &batch, std::uint64_t number, const std::vector<ChunkRuns> &runs) {
    tbb::parallel_for(std::size_t{0}, shards_.all().size(), [&](std::size_t i) {
      ResidentShards::Resident &resident = shards_.all()[i];
      if (resident.batch != number)
        return;
      ++resident.batch;
      for (const ScriptStep &step : batch.steps)
        take(*resident.shard, step, runs);
    });
  }

  static void take(AddressShard &shard, const ScriptStep &step, const std::vector<ChunkRuns> &runs) {
    switch (step.kind) {
    case ScriptStep::Begin:
      return shard.begin(step.act, step.launch, step.allocations);
    case ScriptStep::Runs:
      return shard.add(runs[step.chunk].of(shard.number()));
    case ScriptStep::End:
      return shard.end();
    case ScriptStep::HostReads:
      return shard.hostReads(step.act, step.range);
    case ScriptStep::HostWrites:
      return shard.hostWrites(step.act, step.range);
    case ScriptStep::HostDone:
      return shard.hostDone();
    case ScriptStep::Forget:
      return shard.forget(step.range);
    }
  }

  void countEntities(const ScriptBatch &batch, const std::vector<ChunkRuns> &runs) {
    for (std::size_t i = 0; i < batch.chunks.size(); ++i) {
      sums_.addEntities(runs[i]);
      records_ += runs[i].records;
    }
    if (!quiet_)
      progress_.look(records_ * peers_.count()); // the peers are about as far
  }

  const Model &model_;
  NoPeers alone_;
  Peers &peers_;
  const std::uint64_t memory_;
  const unsigned threads_;
  tbb::global_control control_; ///< more than there are processors only if asked for
  tbb::task_arena arena_;
  Progress progress_;
  const bool quiet_;
  std::uint64_t records_ = 0, writtenByHost_ = 0;
  CommunicationSums sums_;
  SharedDecoding decoding_;
  ResidentShards shards_;
  std::exception_ptr failure_;
  tbb::enumerable_thread_specific<RunDispatcher> dispatchers_{[this] { return sums_.dispatcher(); }};
};

} // namespace

LargestTransfers largestTransfers(const Communication &communication, std::size_t count) {
  LargestTransfers result;
  std::vector<Transfer> &best = result.largest;
  const auto larger = [](const Transfer &a, const Transfer &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.before(b);
  };
  communication.transfers->forEach([&](const Transfer &transfer) {
    if (transfer.dependence != kCommunication || transfer.source == kHost || transfer.destination == kHost)
      return;
    ++result.all;
    best.push_back(transfer); // a heap with the smallest in front
    std::push_heap(best.begin(), best.end(), larger);
    if (best.size() > count) {
      std::pop_heap(best.begin(), best.end(), larger);
      best.pop_back();
    }
  });
  std::sort_heap(best.begin(), best.end(), larger);
  return result;
}

Communication communication(const Model &model, const AnalysisOptions &options) {
  return Analyser(model, options).run();
}

} // namespace cupr::analysis
