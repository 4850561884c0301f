/// What shards and dispatchers find, added up to the results of communication.
#ifndef CUPR_ANALYSIS_COMMUNICATION_SUMS_H
#define CUPR_ANALYSIS_COMMUNICATION_SUMS_H

#include "address_shard.h"
#include "communication.h"
#include "peers.h"
#include "run_dispatcher.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <tbb/enumerable_thread_specific.h>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Not for several threads at once.
class CommunicationSums {
public:
  /// `memory`: of the analysis; the sums take a part of it, and the disk for the rest. `threads`: that find
  /// something at a time. `cuts`: what follows them is told to it; else null.
  CommunicationSums(const Model &model, std::uint64_t memory, unsigned threads,
                    const AnalysisOptions &options, CutSums *cuts);

  const Ordering &ordering() const { return *result_.ordering; }
  const ShardContext &context() const { return context_; }
  AccessShapes &shapes() { return shapes_; }
  /// For the calling thread.
  RunDispatcher dispatcher() { return RunDispatcher(model_, firstSites_, shapes_, deal_, context_.accesses); }

  void addFindings(const ShardFindings &found);
  /// The CTAs and SMs of a chunk.
  void addEntities(const ChunkRuns &runs);
  /// Once for each dispatcher, when it has seen all.
  void addFigures(const RunDispatcher &dispatcher);
  /// The results, when all is added, by this process and by its peers; only the first has them.
  /// `writtenByHost`: bytes of copies and sets.
  Communication finish(Peers &peers, std::uint64_t writtenByHost);

  /// When all is added: what takes it to be kept, and to be added to sums of the same model and options that have nothing yet. Of what is kept
  /// lengths are not trusted; throws std::runtime_error.
  void keep(std::FILE *file);
  void restore(std::FILE *file) { addSaved(file); }

private:
  KernelSite accessOf(const KernelSite &place) const;
  void takeEarly(ShardFindings &found);
  void keepMore();
  /// What threads have for themselves, once there are no more.
  void collect();
  void gather(Peers &peers);
  void save(std::FILE *file);
  void addSaved(std::FILE *file);
  void finishTransfers();
  void finishStrides();

  const Model &model_;
  Communication result_;
  std::vector<std::uint32_t> firstSites_; ///< by module
  const std::vector<LaunchIndex> kernels_;
  const std::vector<std::uint64_t> ctas_; ///< by launch: how many
  const std::vector<bool> hasShapeOfLast_;
  const std::vector<bool> replaces_;     ///< by site
  const std::vector<bool> isOpenToHost_; ///< by allocation, and for all else
  const std::unordered_map<Act, Act> sameCopies_;
  const std::vector<std::uint32_t> accesses_; ///< by site: the first one of the same access of the source
  AccessShapes shapes_;
  tbb::enumerable_thread_specific<ShapeFlows> shapeFlows_;
  const PageDeal deal_;
  const UnseenLaunches unseen_;
  const std::function<void(ShardFindings &)> takeEarly_;
  const ShardContext context_;
  std::map<std::pair<LaunchIndex, LaunchIndex>, LaunchPair> pairs_; ///< (destination, source)
  /// On their way to result_: an all-to-all program has more of them than of all else, so each thread sorts
  /// what its shards find.
  struct ThreadSums {
    TransferSum transfers;
    SortedSum<EntityVolume> ctas;
  };
  tbb::enumerable_thread_specific<ThreadSums> threadSums_;
  SortedSum<Crossing> crossings_;
  std::vector<std::uint64_t> bytesByShape_;
  ShapeFlows flowsByShape_; ///< of all threads, in the end
  std::mutex earlyMutex_;   ///< for what takeEarly adds and no thread has for itself
};

} // namespace cupr::analysis

#endif
