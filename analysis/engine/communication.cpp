/// Drives the shards of memory through the trace.
///
/// The trace is cut in batches of a few dozen chunks. Every shard that is in memory goes through a whole
/// batch, in its order, all shards at once, while the chunks of the next batch are decoded: so a shard that
/// has most of the work keeps only one thread from the decoding. Threads meet once for each batch, however
/// many small launches are in it. Peers meet there, too: each has its part of the chunks and of the shards.
#include "communication.h"

#include "analysis/output/progress.h"
#include "communication_sums.h"
#include "decoded_batch.h"
#include "kept_work.h"
#include "peer_failure.h"
#include "peers.h"
#include "resident_shards.h"
#include "shared_decoding.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <malloc.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <unistd.h>
#include <utility>

namespace cupr::analysis {

LaunchVolume &LaunchVolume::operator+=(const LaunchVolume &other) {
  uniqueRead += other.uniqueRead;
  uniqueWritten += other.uniqueWritten;
  readFromLaunches += other.readFromLaunches;
  readFromHost += other.readFromHost;
  readByLaunches += other.readByLaunches;
  readByHost += other.readByHost;
  mayBeRead += other.mayBeRead;
  readHandedOn += other.readHandedOn;
  handedOn += other.handedOn;
  readByThreads += other.readByThreads;
  readOverwritten += other.readOverwritten;
  overwritten += other.overwritten;
  readByHostOverwritten += other.readByHostOverwritten;
  copied += other.copied;
  writtenAfresh += other.writtenAfresh;
  return *this;
}

ProgramVolume &ProgramVolume::operator+=(const ProgramVolume &other) {
  counts += other.counts;
  uniqueRead += other.uniqueRead;
  uniqueWritten += other.uniqueWritten;
  copied += other.copied;
  writtenByHost += other.writtenByHost;
  communicated += other.communicated;
  sameIndex += other.sameIndex;
  otherIndex += other.otherIndex;
  handedOn += other.handedOn;
  concurrent += other.concurrent;
  readByHost += other.readByHost;
  hostRead += other.hostRead;
  overwritten += other.overwritten;
  readByHostOverwritten += other.readByHostOverwritten;
  hostReadOverwritten += other.hostReadOverwritten;
  ofLastProducer += other.ofLastProducer;
  incompleteLaunches += other.incompleteLaunches;
  return *this;
}

namespace {

/// A part of what the machine has, and no more than goes with the file's size: so much for each four bytes of it.
std::uint64_t memoryFor(const Model &model, unsigned processes, std::uint64_t perFourBytes) {
  constexpr std::uint64_t kForAnyFile = std::uint64_t{384} << 20;
  const std::uint64_t half = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                             static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 2;
  return std::min(half / processes, std::max(kForAnyFile, perFourBytes * model.reader().fileBytes() / 4));
}
/// What doesn't fit in it goes to disk. So 100 M scattered accesses, with a transfer for each, take 1 GiB with all that is beside it; half as much
/// again would make them a tenth faster.
constexpr std::uint64_t kKeptPerFourBytes = 15;
/// Threads are for what takes time, so they go with more of it. What each has in hand is beside what is kept: 64 MiB of runs, if a chunk
/// is as large and scattered as can be.
constexpr std::uint64_t kThreadsPerFourBytes = 200, kForThread = std::uint64_t{160} << 20;

unsigned threadsFor(std::uint64_t memory) {
  const auto processors = static_cast<std::uint64_t>(tbb::info::default_concurrency());
  return static_cast<unsigned>(std::min(processors, std::max<std::uint64_t>(2, memory / kForThread)));
}

class Analyser {
public:
  Analyser(const Model &model, const AnalysisOptions &options, CutSums *cuts)
      : model_(model), peers_(options.peers ? *options.peers : alone_),
        memory_(memoryOf(options, kKeptPerFourBytes, cuts)),
        threads_(options.threads ? options.threads
                                 : threadsFor(memoryOf(options, kThreadsPerFourBytes, cuts))),
        control_(tbb::global_control::max_allowed_parallelism, threads_), arena_(static_cast<int>(threads_)),
        progress_(cuts ? "advise" : "comm", stderr, ::isatty(STDERR_FILENO) != 0),
        quiet_(options.quiet || !peers_.isFirst()), copies_(options.copies),
        sums_(model, memory_, threads_, options, cuts), decoding_(peers_, sums_.shapes()),
        shards_(sums_.context(), decoding_.shards(), memory_) {}

  /// `kept`: gets what was found; may be null.
  Communication run(const KeptWork *kept = nullptr) {
    if (!quiet_)
      progress_.start(recordCount());
    for (bool first = true; takeShards(); first = false)
      pass(first);
    agree(peers_, failure_);
    progress_.finish();
    if (kept)
      kept->write([&](std::FILE *file) {
        writeAll(file, &writtenByHost_, sizeof writtenByHost_);
        sums_.keep(file);
      });
    Communication result = sums_.finish(peers_, writtenByHost_);
    ::malloc_trim(0); // what shards needed, what comes next may not find
    return result;
  }

  /// In place of run(): from what was kept.
  Communication restored(std::FILE *kept) {
    readAll(kept, &writtenByHost_, sizeof writtenByHost_);
    sums_.restore(kept);
    return sums_.finish(peers_, writtenByHost_);
  }

private:
  /// What was asked for, or goes with the file. The cuts are followed while the results of the first reading are still in memory.
  std::uint64_t memoryOf(const AnalysisOptions &options, std::uint64_t perFourBytes, const CutSums *cuts) {
    return peers_.least(options.memory ? options.memory
                                       : memoryFor(model_, peers_.onThisMachine(), perFourBytes)) /
           (cuts ? 2 : 1);
  }

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

  /// Room for decoded chunks of two batches: one of scattered accesses makes a few MiB of runs. A chunk that
  /// makes more than its part of the room is taken apart; so are none that are shared with other processes.
  static constexpr std::uint64_t kRunBytes = std::uint64_t{8} << 20;
  /// Of a chunk that is decoded alone, as the rest of one: the larger the part, the seldomer the chunk is begun anew, and the
  /// more accesses meet in each place of memory. A little less than a dispatcher keeps room for.
  static constexpr std::uint64_t kMostRunBytes = std::uint64_t{15} << 20;
  std::size_t chunksPerBatch() const {
    return std::clamp<std::size_t>(static_cast<std::size_t>(memory_ / 4 / kRunBytes), 2, 32);
  }
  std::size_t runsPerChunk(bool isAlone) const {
    const std::uint64_t part = std::max(memory_ / 8 / chunksPerBatch(), kRunBytes),
                        whole = std::max(part, std::min(memory_ / 24, kMostRunBytes));
    return peers_.count() != 1 ? SIZE_MAX
                               : static_cast<std::size_t>((isAlone ? whole : part) / sizeof(ShardRun));
  }

  void pass(bool first) {
    StepBatches batches(model_, sums_.ordering(), copies_, chunksPerBatch());
    DecodedBatch present(chunksPerBatch()), coming(chunksPerBatch());
    std::uint64_t time = 0;
    const auto next = [&](DecodedBatch &into) {
      into.restart(time++);
      return batches.next(into.batch);
    };
    const std::uint64_t from = peers_.least(shards_.firstBatch());
    bool any = next(present);
    while (any && DecodedBatch::isBefore(time - 1, from))
      any = next(present);
    if (any) {
      attempt([&] { arena_.execute([&] { decode(present); }); });
      share(present);
    }
    while (any) {
      any = present.split(coming) || next(coming);
      attempt([&] {
        arena_.execute([&] {
          tbb::parallel_invoke([&] { follow(present, first); },
                               [&] {
                                 if (any)
                                   decode(coming);
                               });
        });
      });
      if (any)
        share(coming);
      std::swap(present, coming);
    }
    writtenByHost_ = batches.writtenByHost();
    for (const ResidentShards::Resident &done : shards_.all())
      done.shard->finish();
    shards_.drop();
    if (first)
      for (const RunDispatcher &dispatcher : dispatchers_)
        sums_.addFigures(dispatcher);
    dispatchers_.clear();
  }

  void decode(DecodedBatch &into) {
    const std::size_t mostRuns = runsPerChunk(into.missing() == 1);
    tbb::parallel_for(std::size_t{0}, into.missing(), [&](std::size_t i) {
      if (decoding_.isMine(i))
        dispatchers_.local().dispatch(into.batch.chunks[i], mostRuns, into.runs[i]);
    });
  }

  void share(DecodedBatch &decoded) {
    decoding_.share({decoded.runs.data(), decoded.batch.chunks.size()}, failure_);
  }

  /// The shards that the batch is for, those with most runs first: one that has most of the work must not be
  /// the last to start.
  std::vector<ResidentShards::Resident *> byWork(const DecodedBatch &decoded) {
    std::vector<std::pair<std::size_t, ResidentShards::Resident *>> work;
    for (ResidentShards::Resident &resident : shards_.all())
      if (resident.batch == decoded.number()) {
        std::size_t runs = 0;
        for (std::size_t i = 0; i < decoded.batch.chunks.size(); ++i)
          runs += decoded.runs[i].of(resident.shard->number()).size();
        work.emplace_back(runs, &resident);
      }
    std::ranges::sort(work, std::greater());
    std::vector<ResidentShards::Resident *> order;
    for (const auto &[runs, resident] : work)
      order.push_back(resident);
    return order;
  }

  void follow(const DecodedBatch &decoded, bool first) {
    const std::vector<ResidentShards::Resident *> order = byWork(decoded);
    std::atomic<std::size_t> next = 0;
    tbb::parallel_for(0u, threads_, [&](unsigned) {
      RunsByPage runs;
      for (std::size_t i; (i = next++) < order.size();) {
        order[i]->batch = decoded.next();
        follow(*order[i]->shard, decoded, runs);
        order[i]->shard->tellTransfers();
      }
    });
    if (first)
      countEntities(decoded);
    for (ResidentShards::Resident &resident : shards_.all())
      sums_.addFindings(resident.shard->takeFindings());
    shards_.putAside();
  }

  static void follow(AddressShard &shard, const DecodedBatch &decoded, RunsByPage &order) {
    std::vector<std::span<const ShardRun>> runs; // of a launch, so far
    for (const MemoryStep &step : decoded.batch.steps) {
      if (step.kind == MemoryStep::Runs) {
        runs.push_back(decoded.runs[step.chunk].of(shard.number()));
        continue;
      }
      shard.add(runs, order);
      runs.clear();
      take(shard, step);
    }
    shard.add(runs, order);
  }

  static void take(AddressShard &shard, const MemoryStep &step) {
    switch (step.kind) {
    case MemoryStep::Begin:
      return shard.begin(step.act, step.launch, step.allocations);
    case MemoryStep::Runs:
      break; // several at a time
    case MemoryStep::End:
      return shard.end();
    case MemoryStep::HostAccess:
    case MemoryStep::Waited:
      break;
    case MemoryStep::HostReads:
      return shard.hostReads(step.act, step.range, step.allocations);
    case MemoryStep::HostWrites:
      return shard.hostWrites(step.act, step.range, step.allocations);
    case MemoryStep::HandOn:
      return shard.handOn(step.act, {step.range, step.destination}, step.allocations);
    case MemoryStep::HostDone:
      return shard.hostDone();
    case MemoryStep::Forget:
      return shard.forget(step.range);
    }
  }

  void countEntities(const DecodedBatch &decoded) {
    for (std::size_t i = 0; i < decoded.batch.chunks.size(); ++i) {
      sums_.addEntities(decoded.runs[i]);
      records_ += decoded.runs[i].records;
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
  const DeviceCopies copies_;
  std::uint64_t records_ = 0, writtenByHost_ = 0;
  CommunicationSums sums_;
  SharedDecoding decoding_;
  ResidentShards shards_;
  std::exception_ptr failure_;
  tbb::enumerable_thread_specific<RunDispatcher> dispatchers_{[this] { return sums_.dispatcher(); }};
};

} // namespace

LargestTransfers
largestTransfers(const Communication &communication, std::size_t count,
                 const std::function<bool(LaunchIndex source, LaunchIndex destination)> &wants) {
  LargestTransfers result;
  std::vector<Transfer> &best = result.largest;
  const auto larger = [](const Transfer &a, const Transfer &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.before(b);
  };
  communication.transfers->forEach([&](const Transfer &transfer) {
    if (transfer.dependence != kCommunication || transfer.source == kHost || transfer.destination == kHost ||
        !wants(transfer.source, transfer.destination))
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
  if ((options.peers && options.peers->count() != 1) ||
      options.accesses) // a part, or told to somebody on the way
    return Analyser(model, options, nullptr).run();
  const KeptWork kept(model, fmt::format("communication, copies {}, strides of CTAs {}",
                                         static_cast<int>(options.copies), options.ctaStrides));
  std::optional<Communication> known;
  if (kept.read([&](std::FILE *file) { known = Analyser(model, options, nullptr).restored(file); }))
    return std::move(*known);
  return Analyser(model, options, nullptr).run(&kept);
}

void followCuts(const Model &model, CutSums &cuts, AnalysisOptions options) {
  options.peers = nullptr;
  options.accesses = nullptr;
  options.ctaStrides = false;
  Analyser(model, options, &cuts).run();
}

} // namespace cupr::analysis
