/// Sums on their way from a process to the first of its peers, or to the next question. A file, since transfers can be more than
/// memory holds.
#include "communication_sums.h"
#include "peer_failure.h"
#include "saved_sum.h"
#include "sum_at.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace cupr::analysis {

namespace {

/// Of what a file says.
void check(bool isRight) {
  if (!isRight)
    throw std::runtime_error("sums of another trace");
}

template <typename Map> void saveMap(std::FILE *file, const Map &map) {
  saveOne(file, std::uint64_t{map.size()});
  for (const auto &[key, value] : map) {
    saveOne(file, key);
    saveOne(file, value);
  }
}
/// Calls `add(key, value)`.
template <typename Key, typename Value, typename Add> void loadMap(std::FILE *file, Add add) {
  for (auto left = loadOne<std::uint64_t>(file); left != 0; --left) {
    const Key key = loadOne<Key>(file);
    add(key, loadOne<Value>(file));
  }
}

/// Runs of one shape. Strides are made of them at the end, since that rounds.
struct ShapeSums {
  AccessShape shape;
  std::uint64_t bytes;
  ShapeFlow reads, writes;
};

template <typename Sum> Sum at(const std::vector<Sum> &sums, std::size_t index) {
  return index < sums.size() ? sums[index] : Sum{};
}

} // namespace

void CommunicationSums::gather(Peers &peers) {
  if (peers.count() == 1)
    return;
  UnnamedFile mine;
  agree(peers, failureOf([&] {
          if (!peers.isFirst()) {
            mine = unnamedFile();
            save(mine.get());
          }
        }));
  for (const UnnamedFile &file : peers.gather(mine.get()))
    if (file)
      addSaved(file.get());
}

void CommunicationSums::keep(std::FILE *file) {
  collect();
  save(file);
}

void CommunicationSums::save(std::FILE *file) {
  saveVector(file, result_.launches);
  saveOne(file, std::uint64_t{pairs_.size()});
  for (auto &[key, pair] : pairs_) {
    std::tie(pair.destination, pair.source) = key;
    saveOne(file, pair);
  }
  saveMap(file, result_.dependences);
  saveMap(file, result_.copies);
  saveMap(file, result_.overwrittenUnread);
  saveMap(file, result_.loadedAgain);
  saveVector(file, result_.allocations);
  for (const std::uint64_t sum : {result_.sameIndex, result_.otherIndex, result_.concurrent, result_.hostRead,
                                  result_.hostReadOverwritten, result_.ofLastProducer})
    saveOne(file, sum);
  for (const SiteVolume &site : result_.sites) {
    saveOne(file, site.counts);
    for (const std::uint64_t sum : {site.requests, site.sectors, site.leastSectors})
      saveOne(file, sum);
  }
  saveOne(file, std::uint64_t{shapes_.size()});
  for (std::uint32_t shape = 0; shape < shapes_.size(); ++shape)
    saveOne(file, ShapeSums{shapes_[shape], at(bytesByShape_, shape), at(flowsByShape_.reads, shape),
                            at(flowsByShape_.writes, shape)});
  saveSum(file, *result_.transfers);
  saveSum(file, crossings_);
  saveSum(file, *result_.ctas);
  saveSum(file, *result_.sms);
  if (result_.ctaStrides)
    saveSum(file, *result_.ctaStrides);
}

void CommunicationSums::addSaved(std::FILE *file) {
  ShardFindings found;
  std::vector<LaunchVolume> launches;
  loadVector(file, launches);
  check(launches.size() == result_.launches.size());
  for (std::size_t launch = 0; launch < launches.size(); ++launch)
    found.launches[static_cast<LaunchIndex>(launch)] = launches[launch];
  for (auto left = loadOne<std::uint64_t>(file); left != 0; --left) {
    const auto pair = loadOne<LaunchPair>(file);
    found.pairs[{pair.destination, pair.source}] = pair;
  }
  loadMap<Dependence, DependenceVolume>(
      file, [&](const Dependence &key, const DependenceVolume &volume) { found.dependences[key] = volume; });
  loadMap<Act, CopyVolume>(file, [&](Act copy, const CopyVolume &volume) { found.copies[copy] = volume; });
  loadMap<KernelSite, OverwrittenVolume>(file, [&](const KernelSite &place, const OverwrittenVolume &volume) {
    found.overwrittenUnread[place] = volume;
  });
  loadMap<LoadedAgain, std::uint64_t>(
      file, [&](const LoadedAgain &accesses, std::uint64_t bytes) { found.loadedAgain[accesses] = bytes; });
  std::vector<AllocationVolume> allocations;
  loadVector(file, allocations);
  check(allocations.size() == result_.allocations.size());
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    found.allocations[static_cast<std::uint32_t>(i)] = allocations[i];
    result_.allocations[i].counts += allocations[i].counts;
  }
  for (std::uint64_t *sum : {&found.sameIndex, &found.otherIndex, &found.concurrent, &found.hostRead,
                             &found.hostReadOverwritten, &found.ofLastProducer})
    *sum = loadOne<std::uint64_t>(file);
  addFindings(found);
  for (SiteVolume &site : result_.sites) {
    site.counts += loadOne<trace::Counts>(file);
    for (std::uint64_t *sum : {&site.requests, &site.sectors, &site.leastSectors})
      *sum += loadOne<std::uint64_t>(file);
  }
  for (auto left = loadOne<std::uint64_t>(file); left != 0; --left) {
    const auto sums = loadOne<ShapeSums>(file);
    check(sums.shape.site < result_.sites.size());
    const std::uint32_t shape = shapes_.add(sums.shape);
    sumAt(bytesByShape_, shape) += sums.bytes;
    sumAt(flowsByShape_.reads, shape) += sums.reads;
    sumAt(flowsByShape_.writes, shape) += sums.writes;
  }
  addSum(file, *result_.transfers);
  addSum(file, crossings_);
  addSum(file, *result_.ctas);
  addSum(file, *result_.sms);
  if (result_.ctaStrides)
    addSum(file, *result_.ctaStrides);
}

} // namespace cupr::analysis
