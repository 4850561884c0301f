/// Most figures are sums; transfers are added up by their ends, and accesses that several shards have seen
/// count once.
#include "communication_sums.h"

#include "program_places.h"
#include "step_batches.h"

#include <algorithm>
#include <string>
#include <tbb/task_arena.h>
#include <tuple>

namespace cupr::analysis {

namespace {

std::vector<std::uint64_t> ctasOf(const Model &model) {
  std::vector<std::uint64_t> ctas;
  for (const LaunchInfo &launch : model.launches())
    ctas.push_back(std::uint64_t{launch.launch.grid.x} * launch.launch.grid.y * launch.launch.grid.z);
  return ctas;
}

std::vector<bool> shapesOfLast(const Model &model) {
  std::vector<bool> same;
  const trace::Launch *last = nullptr;
  for (const LaunchInfo &launch : model.launches()) {
    same.push_back(last && launch.launch.grid == last->grid && launch.launch.block == last->block);
    last = &launch.launch;
  }
  return same;
}

/// Stores and exchanges; of what other atomics leave, what was there before is a part.
std::vector<bool> replacingSites(const std::vector<SiteVolume> &sites) {
  std::vector<bool> replaces;
  for (const SiteVolume &site : sites)
    replaces.push_back(abi::operationClass(site.site->operation) == abi::OperationClass::Store ||
                       site.site->operation == abi::Operation::AtomicExch);
  return replaces;
}

/// Managed memory and mapped memory of the host; and of what is no known allocation nobody can tell.
std::vector<bool> openToHost(const Model &model) {
  std::vector<bool> open;
  for (const AllocationInfo &info : model.allocations())
    open.push_back(info.allocation.kind == trace::MemoryKind::Managed ||
                   info.allocation.kind == trace::MemoryKind::Host);
  open.push_back(true);
  return open;
}

/// By act. A damaged trace may name what is no copy, or a later one.
std::unordered_map<Act, Act> sameCopiesOf(const Model &model, const Ordering &ordering) {
  std::unordered_map<std::uint64_t, Act> byOrder;
  std::unordered_map<Act, Act> same;
  for (std::size_t event = 0; event < model.events().size(); ++event)
    if (const auto *copied = std::get_if<CopyEvent>(&model.events()[event])) {
      const trace::Copy &copy = model.copies()[copied->index];
      if (copy.kind != trace::CopyKind::HostToDevice)
        continue;
      const Act act = ordering.actOf(event);
      if (const auto earlier = byOrder.find(copy.sameAs); copy.sameAs != 0 && earlier != byOrder.end())
        same.emplace(act, earlier->second);
      byOrder.emplace(copy.order, act);
    }
  return same;
}

/// Element by element.
template <typename Sum> void add(std::vector<Sum> &sums, const std::vector<Sum> &more) {
  sums.resize(std::max(sums.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i)
    sums[i] += more[i];
}

Communication emptyResult(const Model &model, std::uint64_t memory, bool ctaStrides) {
  Communication result;
  result.ordering.emplace(model);
  result.launches.resize(model.launches().size());
  result.allocations.resize(model.allocations().size() + 1);
  result.transfers = std::make_shared<TransferSum>(memory / 8);
  result.ctas = std::make_shared<SortedSum<EntityVolume>>(memory / 16);
  result.sms = std::make_shared<SortedSum<EntityVolume>>(memory / 16);
  if (ctaStrides)
    result.ctaStrides = std::make_shared<SortedSum<CtaStride>>(memory / 16);
  for (const trace::Module &module : model.modules())
    for (const trace::Site &site : module.sites) {
      SiteVolume &volume = result.sites.emplace_back();
      volume.module = &module;
      volume.site = &site;
    }
  for (const LaunchInfo &launch : model.launches()) {
    result.counts += launch.totals.counts.global;
    result.incompleteLaunches += launch.phase == 0 && isUnseen(launch);
  }
  return result;
}

} // namespace

CommunicationSums::CommunicationSums(const Model &model, std::uint64_t memory, unsigned threads,
                                     const AnalysisOptions &options, CutSums *cuts)
    : model_(model), result_(emptyResult(model, memory, options.ctaStrides)),
      firstSites_(firstSitesOf(model)), kernels_(kernelsOf(model)), ctas_(ctasOf(model)),
      hasShapeOfLast_(shapesOfLast(model)), replaces_(replacingSites(result_.sites)),
      isOpenToHost_(openToHost(model)), sameCopies_(sameCopiesOf(model, *result_.ordering)),
      accesses_(sourceAccessesOf(model)), deal_(movesOf(model, options.copies), model.limit()),
      unseen_(model, *result_.ordering), takeEarly_([this](ShardFindings &found) { takeEarly(found); }),
      context_{*result_.ordering, shapes_,     shapeFlows_,      deal_,
               kernels_,          ctas_,       hasShapeOfLast_,  replaces_,
               isOpenToHost_,     sameCopies_, unseen_,          model.limit(),
               takeEarly_,        cuts,        options.accesses, options.ctaStrides},
      threadSums_([memory, threads] {
        return ThreadSums{TransferSum(memory / 8 / threads), SortedSum<EntityVolume>(memory / 16 / threads)};
      }),
      crossings_(memory / 16) {}

void CommunicationSums::addFindings(const ShardFindings &found) {
  for (const auto &[launch, volume] : found.launches)
    result_.launches[launch] += volume;
  for (const auto &[key, pair] : found.pairs) {
    const auto [entry, isNew] = pairs_.try_emplace(key);
    if (isNew)
      keepMore();
    LaunchPair &sum = entry->second;
    sum.bytes += pair.bytes;
    sum.sameIndex += pair.sameIndex;
    sum.otherIndex += pair.otherIndex;
    sum.overwritten += pair.overwritten;
  }
  for (const auto &[dependence, volume] : found.dependences) {
    const auto [entry, isNew] = result_.dependences.try_emplace(
        {dependence.dependence, accessOf(dependence.first), accessOf(dependence.second)});
    if (isNew)
      keepMore();
    DependenceVolume &sum = entry->second;
    sum.bytes += volume.bytes;
    sum.sameIndex += volume.sameIndex;
    sum.otherIndex += volume.otherIndex;
  }
  for (const auto &[copy, volume] : found.copies) {
    const auto [entry, isNew] = result_.copies.try_emplace(copy);
    if (isNew)
      keepMore();
    entry->second.read += volume.read;
    entry->second.again += volume.again;
    entry->second.unchanged += volume.unchanged;
  }
  for (const auto &[place, volume] : found.overwrittenUnread) {
    const auto [entry, isNew] = result_.overwrittenUnread.try_emplace(accessOf(place));
    if (isNew)
      keepMore();
    entry->second += volume;
  }
  for (const auto &[accesses, bytes] : found.loadedAgain) {
    const auto [entry, isNew] =
        result_.loadedAgain.try_emplace({accessOf(accesses.first), accessOf(accesses.second)});
    if (isNew)
      keepMore();
    entry->second += bytes;
  }
  for (const auto &[index, volume] : found.allocations) {
    AllocationVolume &sum = result_.allocations[index];
    sum.uniqueRead += volume.uniqueRead;
    sum.uniqueWritten += volume.uniqueWritten;
    sum.copied += volume.copied;
    sum.communicated += volume.communicated;
  }
  result_.sameIndex += found.sameIndex;
  result_.otherIndex += found.otherIndex;
  result_.concurrent += found.concurrent;
  result_.hostRead += found.hostRead;
  result_.hostReadOverwritten += found.hostReadOverwritten;
  result_.ofLastProducer += found.ofLastProducer;
}

void CommunicationSums::takeEarly(ShardFindings &found) {
  // Sums may be sorted by several threads: while this one waits for them, it must not begin with another shard,
  // which wants the same sums, or the lock.
  tbb::this_task_arena::isolate([&] {
    ThreadSums &sums = threadSums_.local();
    for (const Transfer &transfer : found.transfers)
      sums.transfers.add(transfer);
    found.stored.forEach([&](const StoredVolume &stored) {
      EntityVolume volume;
      volume.launch = stored.launch;
      volume.index = stored.cta;
      volume.stored = stored.bytes;
      sums.ctas.add(volume);
    });
    if (found.crossings.empty() && found.ctaStrides.empty())
      return;
    std::lock_guard lock(earlyMutex_);
    for (const Crossing &crossing : found.crossings)
      crossings_.add(crossing);
    for (const CtaStride &stride : found.ctaStrides)
      result_.ctaStrides->add(stride);
  });
  found.transfers.clear();
  found.stored.clear();
  found.crossings.clear();
  found.ctaStrides.clear();
}

/// For a pair of launches or of accesses, here and where they become results.
void CommunicationSums::keepMore() {
  constexpr std::uint64_t kBytesPerPair = 320;
  model_.limit().keep(kBytesPerPair, [] { return std::string("who depends on whom"); });
}

/// Places are accesses of the source.
KernelSite CommunicationSums::accessOf(const KernelSite &place) const {
  return place.launch == kHost ? place : KernelSite{place.launch, accesses_[place.site]};
}

void CommunicationSums::addEntities(const ChunkRuns &runs) {
  for (const EntityVolume &volume : runs.ctas)
    result_.ctas->add(volume);
  for (const EntityVolume &volume : runs.sms)
    result_.sms->add(volume);
}

void CommunicationSums::addFigures(const RunDispatcher &dispatcher) {
  for (std::size_t i = 0; i < dispatcher.sites().size(); ++i) {
    const RunDispatcher::SiteFigures &figures = dispatcher.sites()[i];
    SiteVolume &site = result_.sites[i];
    site.counts += figures.counts;
    site.requests += figures.made.requests;
    site.sectors += figures.made.sectors;
    site.leastSectors += figures.made.leastSectors;
  }
  for (std::size_t i = 0; i < dispatcher.allocations().size(); ++i)
    result_.allocations[i].counts += dispatcher.allocations()[i];
  add(bytesByShape_, dispatcher.bytesByShape());
}

void CommunicationSums::collect() {
  for (ThreadSums &sums : threadSums_) {
    result_.transfers->take(sums.transfers);
    result_.ctas->take(sums.ctas);
  }
  threadSums_.clear();
  for (const ShapeFlows &flows : shapeFlows_) {
    add(flowsByShape_.reads, flows.reads);
    add(flowsByShape_.writes, flows.writes);
  }
  shapeFlows_.clear();
}

Communication CommunicationSums::finish(Peers &peers, std::uint64_t writtenByHost) {
  collect();
  gather(peers);
  result_.writtenByHost = writtenByHost;
  for (const LaunchVolume &volume : result_.launches) {
    result_.uniqueRead += volume.uniqueRead;
    result_.uniqueWritten += volume.uniqueWritten;
    result_.copied += volume.copied;
    result_.communicated += volume.readByLaunches;
    result_.readByHost += volume.readByHost;
    result_.handedOn += volume.handedOn;
    result_.overwritten += volume.overwritten;
    result_.readByHostOverwritten += volume.readByHostOverwritten;
  }
  finishStrides();
  finishTransfers();
  return std::move(result_);
}

void CommunicationSums::finishTransfers() {
  crossings_.forEach([&](const Crossing &crossing) {
    result_.transfers->add({crossing.source, crossing.destination, crossing.sourceCta,
                            crossing.destinationCta, 0, crossing.threads, crossing.dependence});
  });
  LaunchPair *pair = nullptr; // those of two launches come one behind the other
  static_assert(kCommunication.number() == 0, "they come first");
  result_.transfers->forEachWhile([&](const Transfer &transfer) {
    if (transfer.dependence != kCommunication)
      return false;
    if (!pair || pair->destination != transfer.destination || pair->source != transfer.source) {
      pair = &pairs_[{transfer.destination, transfer.source}];
      pair->destination = transfer.destination;
      pair->source = transfer.source;
    }
    pair->operations += transfer.operations;
    ++pair->ctaPairs;
    if (transfer.destination == kHost)
      pair->bytes = result_.launches[transfer.source].readByHost;
    return true;
  });
  for (auto &[key, volume] : pairs_) {
    std::tie(volume.destination, volume.source) = key;
    result_.pairs.push_back(volume);
  }
}

void CommunicationSums::finishStrides() {
  for (std::uint32_t shape = 0; shape < bytesByShape_.size(); ++shape)
    addStrides(result_.sites[shapes_[shape].site].strides, shapes_[shape],
               spreadBytes(shapes_[shape], bytesByShape_[shape])); // runs are whole, so this is exact
  for (std::uint32_t shape = 0; shape < flowsByShape_.reads.size(); ++shape) {
    const ShapeFlow &reads = flowsByShape_.reads[shape];
    addStrides(result_.loadStrides, shapes_[shape], reads.communicated);
    addStrides(result_.handedOnLoadStrides, shapes_[shape], reads.handedOn);
    result_.sites[shapes_[shape].site].readCommunicated += reads.communicated.all;
  }
  for (std::uint32_t shape = 0; shape < flowsByShape_.writes.size(); ++shape) {
    const ShapeFlow &writes = flowsByShape_.writes[shape];
    addWrittenStrides(result_.storeStrides, shapes_[shape], writes.communicated);
    addWrittenStrides(result_.handedOnStoreStrides, shapes_[shape], writes.handedOn);
    result_.sites[shapes_[shape].site].communicated += writes.communicated.all;
  }
}

} // namespace cupr::analysis
