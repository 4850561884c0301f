/// Sums of pairs and transfers.
#include "matrices.h"

#include <algorithm>
#include <map>

namespace cupr::analysis {

KernelMatrix kernelMatrix(const Model &model, const Communication &communication, std::size_t limit) {
  // Kernels in the order of their first launch, with their traffic.
  std::map<std::string, std::size_t> indexOf;
  std::vector<std::string> kernels;
  for (const LaunchInfo &launch : model.launches())
    if (indexOf.emplace(launch.kernel, kernels.size()).second)
      kernels.push_back(launch.kernel);
  const auto kernelOf = [&](Superstep step) { return indexOf.at(model.launches()[step].kernel); };
  std::vector<std::uint64_t> traffic(kernels.size(), 0);
  bool host = false;
  for (const LaunchPair &pair : communication.pairs)
    for (const Superstep step : {pair.source, pair.destination}) {
      if (step == kHost)
        host = true;
      else
        traffic[kernelOf(step)] += pair.bytes;
    }
  std::vector<std::size_t> byTraffic(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i)
    byTraffic[i] = i;
  std::sort(byTraffic.begin(), byTraffic.end(), [&](std::size_t a, std::size_t b) {
    return traffic[a] != traffic[b] ? traffic[a] > traffic[b] : a < b;
  });
  std::vector<bool> shown(kernels.size(), false);
  for (std::size_t i = 0; i < std::min(limit, kernels.size()); ++i)
    shown[byTraffic[i]] = true;

  KernelMatrix matrix;
  if (host)
    matrix.names.push_back("host");
  std::vector<std::size_t> place(kernels.size(), SIZE_MAX);
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (shown[i]) {
      place[i] = matrix.names.size();
      matrix.names.push_back(kernels[i]);
    }
  if (kernels.size() > limit) {
    std::replace(place.begin(), place.end(), SIZE_MAX, matrix.names.size());
    matrix.names.push_back("other kernels");
  }
  const std::size_t n = matrix.names.size();
  matrix.bytes.assign(n * n, 0);
  const auto placeOf = [&](Superstep step) { return step == kHost ? 0 : place[kernelOf(step)]; };
  for (const LaunchPair &pair : communication.pairs)
    matrix.bytes[placeOf(pair.source) * n + placeOf(pair.destination)] += pair.bytes;
  return matrix;
}

DensityMap densityMap(const Communication &communication, std::size_t limit) {
  DensityMap map;
  const auto counts = [](const Transfer &transfer) {
    return transfer.source != kHost && transfer.destination != kHost;
  };
  for (const Transfer &transfer : communication.transfers)
    if (counts(transfer))
      map.ctas =
          std::max<std::uint64_t>(map.ctas, std::max(transfer.sourceCta, transfer.destinationCta) + 1ull);
  if (map.ctas == 0)
    return map;
  map.ctasPerCell = (map.ctas + limit - 1) / limit;
  map.cells = static_cast<std::size_t>((map.ctas + map.ctasPerCell - 1) / map.ctasPerCell);
  map.bytes.assign(map.cells * map.cells, 0);
  for (const Transfer &transfer : communication.transfers)
    if (counts(transfer))
      map.bytes[transfer.sourceCta / map.ctasPerCell * map.cells +
                transfer.destinationCta / map.ctasPerCell] += transfer.bytes;
  return map;
}

} // namespace cupr::analysis
