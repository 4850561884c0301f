/// Sums and their bounds.
#include "cut_cost.h"

#include <algorithm>
#include <numeric>

namespace cupr::analysis {

namespace {

std::uint64_t sumOf(const std::vector<std::uint64_t> &values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

double balanceOf(const std::vector<std::uint64_t> &values) {
  const std::uint64_t sum = sumOf(values);
  return sum == 0 ? 1
                  : static_cast<double>(*std::max_element(values.begin(), values.end())) *
                        static_cast<double>(values.size()) / static_cast<double>(sum);
}

} // namespace

CutCost::CutCost(Placement placement, std::uint32_t supersteps)
    : placement_(std::move(placement)), steps_(supersteps) {
  const std::size_t devices = placement_.devices();
  for (std::vector<std::uint64_t> *perDevice : {&hostPair_, &incoming_, &bytes_, &accesses_})
    perDevice->resize(devices);
  for (std::vector<std::uint64_t> *perStep : {&sent_, &received_, &worked_, &largest_})
    perStep->resize(devices * supersteps);
  crossing_.resize(supersteps);
}

void CutCost::addWork(std::uint32_t superstep, const CtaPlace &cta, const EntityVolume &volume) {
  const unsigned device = placement_.deviceOf(cta);
  worked_[at(superstep, device)] += volume.bytes;
  largest_[at(superstep, device)] = std::max(largest_[at(superstep, device)], volume.bytes);
  bytes_[device] += volume.bytes;
  accesses_[device] += volume.accesses;
}

void CutCost::add(const CtaPlace &source, const CtaPlace &destination, std::uint64_t bytes) {
  const std::uint64_t from = placement_.deviceOf(source), to = placement_.deviceOf(destination);
  if (from == to)
    return;
  Reads &reads = pair_[std::uint64_t{source.linear} << 32 | from << 16 | to];
  reads.sum += bytes;
  reads.largest = std::max(reads.largest, bytes);
}

void CutCost::addFromHost(const CtaPlace &destination, std::uint64_t bytes) {
  hostPair_[placement_.deviceOf(destination)] += bytes;
}

void CutCost::endPair(std::uint32_t superstep, std::uint64_t pairBytes, std::uint64_t mostStored) {
  for (const auto &[key, reads] : pair_) {
    const std::uint64_t most = std::min(reads.sum, mostStored);
    leastCrossing_ += reads.largest;
    links_[static_cast<std::uint32_t>(key)] += most;
    incoming_[key & 0xffff] += most;
  }
  pair_.clear();
  // No GPU gets more of the pair than there is, so none sends more to it, either.
  for (const auto &[link, bytes] : links_)
    sent_[at(superstep, link >> 16)] += std::min(bytes, pairBytes);
  links_.clear();
  for (unsigned device = 0; device < placement_.devices(); ++device) {
    const std::uint64_t bytes = std::min(incoming_[device], pairBytes);
    received_[at(superstep, device)] += bytes;
    crossing_[superstep] += bytes;
    incoming_[device] = 0;
  }
}

void CutCost::endHostPair(std::uint64_t pairBytes) {
  for (std::uint64_t &bytes : hostPair_) {
    readFromHost_ += std::min(bytes, pairBytes);
    bytes = 0;
  }
}

/// GPUs exchange after each superstep, all at once; each has one link to a switch, which sends and receives
/// at the same time. So the busiest link's busier direction counts.
double CutCost::secondsOnLink(const AdvisorOptions &options) const {
  double seconds = 0;
  for (std::uint32_t step = 0; step < steps_; ++step) {
    if (crossing_[step] == 0)
      continue;
    std::uint64_t most = 0;
    for (unsigned device = 0; device < placement_.devices(); ++device)
      most = std::max({most, sent_[at(step, device)], received_[at(step, device)]});
    seconds += options.latencySeconds + static_cast<double>(most) / options.bytesPerSecond;
  }
  return seconds;
}

/// A GPU can't be done before its busiest multiprocessor is: that has at least the largest CTA, and at least
/// its share of all.
double CutCost::parallelism(unsigned multiprocessors) const {
  const auto time = [&](std::uint64_t bytes, std::uint64_t largest) {
    return std::max(static_cast<double>(bytes) / multiprocessors, static_cast<double>(largest));
  };
  double one = 0, several = 0;
  for (std::uint32_t step = 0; step < steps_; ++step) {
    std::uint64_t bytes = 0, largest = 0;
    double slowest = 0;
    for (unsigned device = 0; device < placement_.devices(); ++device) {
      const std::size_t i = at(step, device);
      bytes += worked_[i];
      largest = std::max(largest, largest_[i]);
      slowest = std::max(slowest, time(worked_[i], largest_[i]));
    }
    one += time(bytes, largest);
    several += slowest;
  }
  // The quotient of sums may be a rounding error more.
  return several == 0 ? 1 : std::min(one / several, static_cast<double>(placement_.devices()));
}

AdvisorCut CutCost::finish(const AdvisorOptions &options, std::uint64_t transferred) const {
  AdvisorCut cut;
  cut.kind = placement_.kind();
  cut.devices = placement_.devices();
  cut.tiles = placement_.tiles();
  cut.crossing = sumOf(crossing_);
  cut.leastCrossing = leastCrossing_;
  cut.crossingShare =
      transferred == 0 ? 0 : static_cast<double>(cut.crossing) / static_cast<double>(transferred);
  cut.readFromHost = readFromHost_;
  cut.balance = balanceOf(bytes_);
  cut.accessBalance = balanceOf(accesses_);
  cut.parallelism = parallelism(options.multiprocessors);
  cut.seconds = secondsOnLink(options);
  if (options.kernelSeconds > 0)
    cut.speedup = options.kernelSeconds / (options.kernelSeconds / cut.parallelism + cut.seconds);
  cut.supersteps = crossing_;
  return cut;
}

} // namespace cupr::analysis
