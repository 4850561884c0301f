/// Sums by superstep, GPU and link.
#include "cut_cost.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

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

CutCost::CutCost(const Placement &placement, std::uint32_t supersteps, const AdvisorOptions &options)
    : options_(options), placement_(placement), topology_(options.topology, placement.devices()),
      steps_(supersteps) {
  const std::size_t devices = placement_.devices();
  for (std::vector<std::uint64_t> *perDevice : {&bytes_, &accesses_})
    perDevice->resize(devices);
  for (std::vector<std::uint64_t> *perStep : {&worked_, &largest_})
    perStep->resize(devices * supersteps);
  loads_.resize(topology_.links() * supersteps);
  crossing_.resize(supersteps);
}

void CutCost::addWork(std::uint32_t superstep, const CtaInGrid &cta, const EntityVolume &volume) {
  const unsigned device = placement_.deviceOf(cta);
  worked_[at(superstep, device)] += volume.bytes;
  largest_[at(superstep, device)] = std::max(largest_[at(superstep, device)], volume.bytes);
  bytes_[device] += volume.bytes;
  accesses_[device] += volume.accesses;
}

void CutCost::add(std::uint32_t superstep, unsigned from, unsigned to, std::uint64_t bytes) {
  crossing_[superstep] += bytes;
  topology_.route(from, to, [&](std::size_t link) {
    loads_[std::size_t{superstep} * topology_.links() + link] += inPackets(bytes);
  });
}

void CutCost::addInside(LaunchIndex launch, const CtaInGrid &first, const CtaInGrid &second,
                        std::uint64_t bytes) {
  if (placement_.deviceOf(first) != placement_.deviceOf(second))
    inside_[launch] += bytes;
}

std::uint64_t CutCost::inPackets(std::uint64_t bytes) const {
  return (bytes + options_.packetBytes - 1) / options_.packetBytes * options_.packetBytes;
}

/// GPUs exchange after each superstep, all at once; links send in both directions at the same time. So the
/// busiest link's busier direction counts.
double CutCost::secondsOnLink(std::uint32_t superstep) const {
  if (crossing_[superstep] == 0)
    return 0;
  const auto first = loads_.begin() + static_cast<std::ptrdiff_t>(superstep * topology_.links());
  const std::uint64_t most = *std::max_element(first, first + static_cast<std::ptrdiff_t>(topology_.links()));
  return options_.latencySeconds + static_cast<double>(most) / options_.bytesPerSecond;
}

/// A GPU can't be done before its busiest multiprocessor is: that has at least the largest CTA, and at least
/// its share of all.
CutCost::StepWork CutCost::workOf(std::uint32_t superstep) const {
  const auto time = [&](std::uint64_t bytes, std::uint64_t largest) {
    return std::max(static_cast<double>(bytes) / options_.multiprocessors, static_cast<double>(largest));
  };
  std::uint64_t bytes = 0, largest = 0;
  StepWork work;
  for (unsigned device = 0; device < placement_.devices(); ++device) {
    const std::size_t i = at(superstep, device);
    bytes += worked_[i];
    largest = std::max(largest, largest_[i]);
    work.several = std::max(work.several, time(worked_[i], largest_[i]));
  }
  work.one = time(bytes, largest);
  return work;
}

/// Supersteps take their part of the time on one GPU, by their work.
double CutCost::speedup(double parallelism) const {
  double one = 0, exchanged = 0, overlapped = 0;
  for (std::uint32_t step = 0; step < steps_; ++step)
    one += workOf(step).one;
  for (std::uint32_t step = 0; step < steps_; ++step) {
    const double computing = one == 0 ? 0 : options_.kernelSeconds * workOf(step).several / one;
    exchanged += secondsOnLink(step);
    overlapped += std::max(computing, secondsOnLink(step));
  }
  return options_.kernelSeconds /
         (options_.overlaps && one != 0 ? overlapped : options_.kernelSeconds / parallelism + exchanged);
}

/// The one with most bytes first, and then by name.
std::vector<InsideKernel> CutCost::insideByKernel(const Model &model) const {
  std::map<std::string, std::uint64_t> sums;
  for (const auto &[launch, bytes] : inside_)
    sums[model.launches()[launch].kernel] += bytes;
  std::vector<InsideKernel> kernels;
  for (const auto &[kernel, bytes] : sums)
    kernels.push_back({kernel, bytes});
  std::ranges::sort(kernels, [](const InsideKernel &a, const InsideKernel &b) {
    return std::tie(b.bytes, a.kernel) < std::tie(a.bytes, b.kernel);
  });
  return kernels;
}

AdvisorCut CutCost::finish(const Model &model, std::uint64_t transferred) const {
  AdvisorCut cut;
  cut.kind = placement_.kind();
  cut.devices = placement_.devices();
  cut.tiles = placement_.tiles();
  cut.parts = placement_.parts();
  cut.crossing = sumOf(crossing_);
  cut.crossingShare =
      transferred == 0 ? 0 : static_cast<double>(cut.crossing) / static_cast<double>(transferred);
  cut.balance = balanceOf(bytes_);
  cut.accessBalance = balanceOf(accesses_);
  cut.inside = insideByKernel(model);
  for (const InsideKernel &kernel : cut.inside)
    cut.insideLaunches += kernel.bytes;
  double one = 0, several = 0;
  for (std::uint32_t step = 0; step < steps_; ++step) {
    const StepWork work = workOf(step);
    one += work.one;
    several += work.several;
    cut.seconds += secondsOnLink(step);
  }
  // The quotient of sums may be a rounding error more.
  cut.parallelism = several == 0 ? 1 : std::min(one / several, static_cast<double>(placement_.devices()));
  if (options_.kernelSeconds > 0)
    cut.speedup = speedup(cut.parallelism);
  cut.supersteps = crossing_;
  return cut;
}

} // namespace cupr::analysis
