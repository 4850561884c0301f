#include "kernels.h"

#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cupr::analysis {

namespace {

void add(KernelVolume &sum, const LaunchInfo &info, const LaunchVolume &volume) {
  sum.time += info.deviceTime().value_or(0);
  sum.counts += info.totals.counts.global;
  sum.volume += volume;
}

} // namespace

std::vector<KernelVolume> kernelVolumes(const Model &model, const Communication &communication,
                                        const ShownPart &shown) {
  std::vector<KernelVolume> sums;
  std::unordered_map<std::string, std::size_t> places;
  for (LaunchIndex launch = 0; launch < communication.launches.size(); ++launch) {
    if (!shown.has(launch))
      continue;
    const LaunchInfo &info = model.launches()[launch];
    const auto [place, isNew] = places.emplace(info.kernel, sums.size());
    if (isNew)
      sums.emplace_back().kernel = info.kernel;
    KernelVolume &sum = sums[place->second];
    sum.launches += info.phase == 0;
    add(sum, info, communication.launches[launch]);
  }
  return sums;
}

std::vector<KernelVolume> kernelStepVolumes(const Model &model, const Communication &communication,
                                            const ShownPart &shown) {
  std::map<std::pair<std::string, std::uint32_t>, KernelVolume> sums;
  for (LaunchIndex launch = 0; launch < communication.launches.size(); ++launch) {
    if (!shown.has(launch))
      continue;
    const LaunchInfo &info = model.launches()[launch];
    KernelVolume &sum = sums[{info.kernel, communication.ordering->superstepOf(launch)}];
    ++sum.launches;
    add(sum, info, communication.launches[launch]);
  }
  std::vector<KernelVolume> volumes;
  for (auto &[key, sum] : sums) {
    std::tie(sum.kernel, sum.superstep) = key;
    volumes.push_back(std::move(sum));
  }
  return volumes;
}

KernelMatrix kernelMatrix(const Model &model, const Communication &communication, const ShownPart &shown) {
  KernelMatrix matrix;
  std::set<std::string_view> kernels; // that take part
  for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch)
    if (shown.has(launch))
      kernels.insert(model.launches()[launch].kernel);
  bool hasHost = false;
  std::vector<const LaunchPair *> pairs;
  for (const LaunchPair &pair : communication.pairs) {
    if (!shown.has(pair.source) && !shown.has(pair.destination))
      continue;
    pairs.push_back(&pair);
    for (const LaunchIndex end : {pair.source, pair.destination})
      if (end == kHost)
        hasHost = true;
      else
        kernels.insert(model.launches()[end].kernel);
  }
  if (hasHost)
    matrix.names.push_back("host");
  std::unordered_map<std::string, std::size_t> places;
  for (const LaunchInfo &info : model.launches())
    if (kernels.contains(info.kernel) && places.emplace(info.kernel, matrix.names.size()).second)
      matrix.names.push_back(info.kernel);
  const auto placeOf = [&](LaunchIndex launch) {
    return launch == kHost ? 0 : places.at(model.launches()[launch].kernel);
  };
  for (const LaunchPair *pair : pairs) {
    KernelMatrix::Cell &cell = matrix.cells[{placeOf(pair->source), placeOf(pair->destination)}];
    cell.bytes += pair->bytes;
    cell.operations += pair->operations;
    if (pair->destination != kHost)
      cell.supersteps[communication.ordering->superstepOf(pair->destination)] += pair->bytes;
  }
  return matrix;
}

} // namespace cupr::analysis
