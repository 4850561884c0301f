/// One pass over the transfers. What is kept of them is bounded: sizes and cells of the maps are joined
/// beyond a limit, numbers of partners are summed outside of memory.
#include "transfer_metrics.h"

#include "analysis/engine/key_hash.h"
#include "analysis/engine/sum_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cupr::analysis {

namespace {

/// Partners of one CTA of one launch.
struct Partners {
  LaunchIndex launch;
  std::uint32_t cta;
  std::uint64_t all, other, handedOn;
  bool before(const Partners &than) const {
    return launch != than.launch ? launch < than.launch : cta < than.cta;
  }
  void add(const Partners &more) {
    all += more.all;
    other += more.other;
    handedOn += more.handedOn;
  }
};

/// Adds up for a Spread.
struct Moments {
  std::uint64_t count = 0;
  double sum = 0, squares = 0;
  void add(std::uint64_t value) {
    ++count;
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  Spread spread() const {
    if (count == 0)
      return {};
    const double n = static_cast<double>(count), mean = sum / n;
    return {count, mean, std::sqrt(std::max(0.0, squares / n - mean * mean))};
  }
};

/// The largest number with the same six leading bits: 64 classes for each power of two.
std::uint64_t sizeClass(std::uint64_t bytes) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(bytes)) - 7);
  return bytes | ((std::uint64_t{1} << shift) - 1);
}

void addSize(TransferSizes &sizes, std::uint64_t bytes) {
  ++sizes.transfers;
  sizes.bytes += bytes;
  ++sizes.sizes[sizes.exact ? bytes : sizeClass(bytes)];
  if (!sizes.exact || sizes.sizes.size() <= kMostTransferSizes)
    return;
  sizes.exact = false;
  std::map<std::uint64_t, std::uint64_t> joined;
  for (const auto &[size, count] : sizes.sizes)
    joined[sizeClass(size)] += count;
  sizes.sizes = std::move(joined);
}

/// Cells of a map, of the finest size of which there are not too many. That size doesn't depend on the order
/// of what is added: a part of the transfers never fills more cells than all of them.
class Density {
public:
  void add(std::uint32_t source, std::uint32_t destination, std::uint64_t bytes) {
    cells_.add({pairOf(source >> shift_, destination >> shift_), bytes, 1});
    if (cells_.size() > kMostDensityCells)
      coarsen();
  }

  std::vector<DensityLevel> levels(std::uint64_t ctas) {
    std::vector<DensityLevel> result;
    while (cellCount() > kMostDensityCells)
      coarsen();
    for (;; coarsen()) {
      DensityLevel &level = result.emplace_back();
      level.ctasPerCell = std::uint64_t{1} << shift_;
      level.cells = (ctas + level.ctasPerCell - 1) >> shift_;
      cells_.forEach([&](const Cell &cell) {
        level.filled.push_back({static_cast<std::uint32_t>(cell.place >> 32),
                                static_cast<std::uint32_t>(cell.place), cell.bytes, cell.transfers});
      });
      std::sort(level.filled.begin(), level.filled.end(),
                [](const DensityLevel::Cell &a, const DensityLevel::Cell &b) {
                  return pairOf(a.source, a.destination) < pairOf(b.source, b.destination);
                });
      if (level.cells <= kCoarsestDensity)
        return result;
    }
  }

private:
  struct Cell {
    std::uint64_t place = 0; ///< (source, destination), in cells
    std::uint64_t bytes = 0, transfers = 0;
    bool isNone() const { return transfers == 0; }
    bool sameKey(const Cell &other) const { return place == other.place; }
    std::uint64_t hash() const { return keyHash(place, 0); }
    void add(const Cell &more) {
      bytes += more.bytes;
      transfers += more.transfers;
    }
  };
  /// Those on their way are in.
  std::size_t cellCount() {
    cells_.forEach([](const Cell &) {});
    return cells_.size();
  }
  void coarsen() {
    ++shift_;
    SumTable<Cell> joined;
    cells_.forEach([&](const Cell &cell) {
      joined.add(
          {pairOf(static_cast<std::uint32_t>(cell.place >> 33), static_cast<std::uint32_t>(cell.place) >> 1),
           cell.bytes, cell.transfers});
    });
    cells_ = std::move(joined);
  }

  unsigned shift_ = 0;
  SumTable<Cell> cells_;
};

class Collector {
public:
  Collector(const Model &model, const Communication &communication)
      : model_(model), communication_(communication) {
    result_.supersteps.resize(communication.ordering->supersteps());
    for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch) {
      SuperstepFigures &step = result_.supersteps[stepOf(launch)];
      step.launches.push_back(launch);
      step.loadBytes += communication.launches[launch].readFromLaunches;
      step.storeBytes += communication.launches[launch].readByLaunches;
      step.volume += communication.launches[launch];
    }
  }

  TransferMetrics run() {
    std::uint64_t count = 0;
    communication_.transfers->forEach([&](const Transfer &transfer) {
      if (++count % 1024 == 0)
        model_.limit().spend(1024 * kStepsPerTransfer, [] { return std::string("its transfers"); });
      if (transfer.source == kHost || transfer.destination == kHost || transfer.bytes == 0)
        return;
      addToDensity(transfer);
      if (transfer.dependence == kCommunication)
        add(transfer);
    });
    for (auto &[dependence, density] : densities_)
      result_.density.maps[dependence] = density.levels(result_.density.ctas);
    finishDegrees(in_, result_.in, result_.otherIn, result_.handedOnIn, &SuperstepFigures::in);
    finishDegrees(out_, result_.out, result_.otherOut, result_.handedOnOut, &SuperstepFigures::out);
    finishBisection();
    for (const LaunchPair &pair : communication_.pairs)
      if (pair.source != kHost && pair.destination != kHost) {
        DistanceVolume &volume = result_.distances[stepOf(pair.destination) - stepOf(pair.source) - 1];
        volume.bytes += pair.bytes;
        volume.operations += pair.operations;
      }
    return std::move(result_);
  }

private:
  std::uint32_t stepOf(LaunchIndex launch) const { return communication_.ordering->superstepOf(launch); }
  const trace::Dim3 &gridOf(LaunchIndex launch) const { return model_.launches()[launch].launch.grid; }

  void addToDensity(const Transfer &transfer) {
    result_.density.ctas = std::max<std::uint64_t>(
        result_.density.ctas, std::max(transfer.sourceCta, transfer.destinationCta) + std::uint64_t{1});
    densities_[transfer.dependence].add(transfer.sourceCta, transfer.destinationCta, transfer.bytes);
  }

  void add(const Transfer &transfer) {
    addSize(result_.sizes, transfer.bytes);
    result_.supersteps[stepOf(transfer.destination)].transferBytes += transfer.bytes;
    const std::uint64_t other = transfer.sourceCta != transfer.destinationCta;
    const std::uint64_t handedOn = other != 0 || model_.launches()[transfer.source].kernel !=
                                                     model_.launches()[transfer.destination].kernel;
    in_.add({transfer.destination, transfer.destinationCta, 1, other, handedOn});
    out_.add({transfer.source, transfer.sourceCta, 1, other, handedOn});
    const std::array<bool, 3> from = upperHalves(transfer.source, transfer.sourceCta),
                              to = upperHalves(transfer.destination, transfer.destinationCta);
    for (unsigned dimension = 0; dimension < 3; ++dimension)
      crossing_[dimension] += from[dimension] != to[dimension] ? transfer.bytes : 0;
  }

  /// For each dimension, whether the CTA lies in the grid's second half.
  std::array<bool, 3> upperHalves(LaunchIndex launch, std::uint32_t cta) const {
    const trace::Dim3 &grid = gridOf(launch), place = placeInGrid(grid, cta);
    const auto isUpper = [](std::uint64_t at, std::uint32_t size) { return 2 * at >= size && size > 1; };
    return {isUpper(place.x, grid.x), isUpper(place.y, grid.y), isUpper(place.z, grid.z)};
  }

  void finishBisection() {
    std::array<bool, 3> cuttable{};
    for (const LaunchInfo &info : model_.launches()) {
      const trace::Dim3 &grid = info.launch.grid;
      cuttable = {cuttable[0] || grid.x > 1, cuttable[1] || grid.y > 1, cuttable[2] || grid.z > 1};
    }
    for (unsigned dimension = 0; dimension < 3; ++dimension)
      if (cuttable[dimension])
        result_.bisection[dimension] = {
            crossing_[dimension], result_.sizes.bytes == 0 ? 0
                                                           : static_cast<double>(crossing_[dimension]) /
                                                                 static_cast<double>(result_.sizes.bytes)};
  }

  void finishDegrees(SortedSum<Partners> &sum, Degrees &all, Degrees &other, Degrees &handedOn,
                     Spread SuperstepFigures::*spread) {
    std::vector<Moments> moments(result_.supersteps.size());
    sum.forEach([&](const Partners &partners) {
      ++all[partners.all];
      if (partners.other != 0)
        ++other[partners.other];
      if (partners.handedOn != 0)
        ++handedOn[partners.handedOn];
      moments[stepOf(partners.launch)].add(partners.all);
    });
    for (std::size_t step = 0; step < moments.size(); ++step)
      result_.supersteps[step].*spread = moments[step].spread();
  }

  static constexpr std::uint64_t kStepsPerTransfer = 400;
  static constexpr std::uint64_t kSumMemory = std::uint64_t{64} << 20;
  const Model &model_;
  const Communication &communication_;
  TransferMetrics result_;
  SortedSum<Partners> in_{kSumMemory}, out_{kSumMemory};
  std::array<std::uint64_t, 3> crossing_{};
  std::map<DependenceClass, Density> densities_;
};

} // namespace

TransferMetrics transferMetrics(const Model &model, const Communication &communication) {
  return Collector(model, communication).run();
}

} // namespace cupr::analysis
