#include "latency_figures.h"

#include "analysis/engine/program_places.h"
#include "busy_time.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace cupr::analysis {

namespace {

/// A warp of the present launch.
struct WarpTimes {
  LatencyMoments durations;
  BusyTime memory;
  std::uint64_t start = UINT64_MAX, end = 0;
  std::uint32_t sm = 0;

  void add(const LatencySample &sample) {
    durations.add(sample.duration);
    memory.add(sample.start, sample.end());
    start = std::min(start, sample.start);
    end = std::max(end, sample.end());
    sm = sample.sm;
  }
};

void add(LatencyOfAccess &to, const LatencySample &sample) {
  to.durations.add(sample.duration);
  to.threads += sample.threads;
  if (to.widthOf == LatencyWidth::None)
    return;
  to.width += sample.width;
  to.leastWidth += sample.leastWidth;
  to.shapes[{sample.leastWidth, sample.width}].add(sample.duration);
}

void add(LatencyOfAccess &to, const LatencyOfAccess &more) {
  to.durations += more.durations;
  to.widthOf = more.widthOf;
  to.width += more.width;
  to.leastWidth += more.leastWidth;
  to.threads += more.threads;
  for (const auto &[shape, moments] : more.shapes)
    to.shapes[shape] += moments;
}

/// Of what grows with its samples.
std::uint64_t bytesOf(const LatencyOfAccess &of) {
  constexpr std::uint64_t kBytesPerShape = 120;
  return of.durations.histogram.bytes() + of.shapes.size() * kBytesPerShape;
}

using Shapes = std::map<LatencyShape, LatencyMoments>;

/// Charges samples with what they take beyond those of `reference`.
class PatternCharge {
public:
  void add(const LatencyMoments &reference, Shapes::const_iterator first, Shapes::const_iterator behind,
           PatternCost::Reference kind) {
    LatencyMoments wide;
    for (auto shape = first; shape != behind; ++shape) {
      wide += shape->second;
      note(shape->second);
      variance_ += static_cast<double>(shape->second.samples) * shape->second.variance();
    }
    note(reference);
    const auto samples = static_cast<double>(wide.samples);
    cost_.samples += wide.samples;
    cost_.cycles += static_cast<double>(wide.cycles) - samples * reference.mean();
    variance_ += samples * samples * reference.variance() / static_cast<double>(reference.samples);
    cost_.reference = std::max(cost_.reference, kind);
  }
  PatternCost cost() const {
    PatternCost cost = cost_;
    if (cost.samples != 0 && fewest_ >= 2)
      cost.error = student95(fewest_) * std::sqrt(variance_);
    return cost;
  }

private:
  void note(const LatencyMoments &moments) { fewest_ = std::min(fewest_, moments.samples); }

  PatternCost cost_;
  double variance_ = 0;
  std::uint64_t fewest_ = UINT64_MAX;
};

/// `all`: of all accesses of its kind in the kernel.
PatternCost patternCost(const Shapes &own, const Shapes &all) {
  PatternCharge charge;
  for (auto first = own.begin(); first != own.end();) {
    const std::uint32_t least = first->first.leastWidth;
    const auto behind = own.upper_bound({least, UINT32_MAX});
    const auto narrowest = all.lower_bound({least, 0});
    if (const auto second = std::next(first); second != behind)
      charge.add(first->second, second, behind, PatternCost::Reference::Access);
    else if (narrowest->first.width < first->first.width)
      charge.add(narrowest->second, first, behind, PatternCost::Reference::Kernel);
    first = behind;
  }
  return charge.cost();
}

void setPatternCosts(std::map<LatencyKey, LatencyOfAccess> &accesses) {
  using Kind = std::tuple<LaunchIndex, abi::Operation, abi::MemorySpace, std::uint32_t>;
  const auto kindOf = [](const LatencyKey &key) {
    return Kind(key.access.kernel, key.access.operation, key.space, key.access.bytes);
  };
  std::map<Kind, Shapes> all;
  for (const auto &[key, of] : accesses)
    for (const auto &[shape, moments] : of.shapes)
      all[kindOf(key)][shape] += moments;
  for (auto &[key, of] : accesses)
    if (!of.shapes.empty())
      of.pattern = patternCost(of.shapes, all.at(kindOf(key)));
}

class Figures {
public:
  Figures(const Model &model, const LatencyOptions &options)
      : model_(model), options_(options), samples_(model, options.selection), kernels_(kernelsOf(model)),
        firstSites_(firstSitesOf(model)) {
    if (options.series)
      seriesBlock_ = blockNumbers(options.series->block);
    found_.launches = samples_.launches();
  }

  LatencyFigures run() {
    samples_.forEachChunk(
        [&](const LaunchInfo &launch, std::size_t index, const LatencySamplesOfChunk &chunk) {
          if (!launch_ || launch_->number != launch.number)
            begin(launch, static_cast<LaunchIndex>(index));
          if (&launch != part_)
            sites_.assign(model_.moduleOf(launch)->sites.size(), nullptr);
          part_ = &launch;
          add(chunk);
        },
        options_.progress);
    endLaunch();
    for (const auto &[place, of] : ofSites_) {
      const auto &[kernel, site] = place;
      const PlacedSite &at = placed_[site];
      AccessKey key = accessKeyOf(model_, kernel, *at.module, *at.site);
      found_.cycles += of.durations.moments.cycles;
      found_.lines[{kernel, key.file, key.line}] += of.durations;
      const auto access = found_.accesses.try_emplace({std::move(key), abi::spaceOf(at.site->space)}).first;
      analysis::add(access->second, of);
      keys_[place] = &access->first;
    }
    setPatternCosts(found_.accesses);
    numberExcerpts();
    return std::move(found_);
  }

private:
  static constexpr std::uint64_t kBytesPerWarp = sizeof(WarpTimes) + 48,
                                 kBytesPerSample = 2 * sizeof(LatencyOfSeries);

  /// Sites, accesses and lines have figures of their own.
  static constexpr std::uint64_t kCopiesOfSites = 3;

  std::string place() const { return launch_->kernel + ": how long its accesses took"; }

  void begin(const LaunchInfo &launch, LaunchIndex index) {
    endLaunch();
    launch_ = &launch;
    index_ = index;
    LatencyOfKernel &kernel = found_.kernels[kernels_[index]];
    kernel.scheme = launch.launch.timed;
    if (options_.excerpts && kernel.launches == 0 && found_.excerpts.size() < kMostExcerpts)
      excerpt_.emplace(index);
    ++kernel.launches;
  }

  void add(const LatencySamplesOfChunk &chunk) {
    found_.kernels[kernels_[index_]].untimed += chunk.untimed;
    std::uint64_t grown = 0;
    for (const LatencySample &sample : chunk.samples) {
      LatencyOfAccess *&site = sites_[sample.site];
      if (!site)
        site = &ofSite(sample.site);
      const std::uint64_t before = bytesOf(*site);
      analysis::add(*site, sample);
      grown += bytesOf(*site) - before;
      const std::uint64_t warp = sample.cta << abi::kWarpBits | sample.warp;
      if (!warp_ || warp != number_) {
        number_ = warp;
        warp_ = &warps_[warp];
      }
      warp_->add(sample);
      if (excerpt_)
        excerpt_->add(sample, numberOf(sample.site));
      if (isOfSeries(sample))
        found_.series.push_back({index_, found_.series.size(), model_.moduleOf(*part_), sample});
    }
    model_.limit().keep(kCopiesOfSites * grown, [&] { return place(); });
    keep(warps_.size() * kBytesPerWarp + (found_.series.size() - seriesBefore_) * kBytesPerSample);
  }

  LatencyOfAccess &ofSite(std::uint32_t site) {
    const std::uint32_t number = numberOf(site);
    LatencyOfAccess &of = ofSites_[{kernels_[index_], number}];
    of.widthOf = latencyWidthOf(*placed_[number].site);
    return of;
  }

  std::uint32_t numberOf(std::uint32_t site) const {
    return firstSites_[static_cast<std::size_t>(part_->launch.module)] + site;
  }

  /// From sites to places in the list of accesses.
  void numberExcerpts() {
    std::map<const LatencyKey *, std::uint32_t> numbers;
    for (const auto &[key, of] : found_.accesses)
      numbers.emplace(&key, static_cast<std::uint32_t>(numbers.size()));
    for (LatencyExcerpt &excerpt : found_.excerpts)
      for (LatencyExcerpt::Track &track : excerpt.tracks)
        for (LatencyExcerpt::Slice &slice : track.slices)
          slice.access = numbers.at(keys_.at({kernels_[excerpt.launch], slice.access}));
  }

  bool isOfSeries(const LatencySample &sample) const {
    return options_.series && sample.warp == options_.series->warp &&
           isBlock(seriesBlock_, launch_->launch.grid, sample.cta);
  }

  void keep(std::uint64_t bytes) {
    if (bytes > kept_) {
      model_.limit().keep(bytes - kept_, [&] { return place(); });
      kept_ = bytes;
    }
  }

  void endLaunch() {
    if (!launch_)
      return;
    std::vector<LatencyOfWarp> warps;
    warps.reserve(warps_.size());
    for (const auto &[number, of] : warps_)
      warps.push_back({index_, number >> abi::kWarpBits, static_cast<std::uint32_t>(number & abi::kWarpMask),
                       of.sm, of.durations, of.start, of.end, of.memory.cycles()});
    std::ranges::sort(warps, {}, [](const LatencyOfWarp &of) { return std::tuple(of.sm, of.cta, of.warp); });
    for (const LatencyOfWarp &of : warps)
      addWarp(of);
    if (excerpt_)
      found_.excerpts.push_back(excerpt_->finish(warps.size()));
    excerpt_.reset();
    if (options_.listWarps)
      found_.warps.insert(found_.warps.end(), warps.begin(), warps.end());
    else
      model_.limit().release(std::exchange(kept_, 0));
    kept_ = 0;
    const auto series = std::ranges::subrange(
        found_.series.begin() + static_cast<std::ptrdiff_t>(seriesBefore_), found_.series.end());
    std::ranges::sort(series, {},
                      [](const LatencyOfSeries &of) { return std::tuple(of.sample.start, of.number); });
    for (std::uint64_t number = 0; LatencyOfSeries &of : series)
      of.number = number++;
    seriesBefore_ = found_.series.size();
    warps_.clear();
    warp_ = nullptr;
  }

  void addWarp(const LatencyOfWarp &of) {
    LatencyOfWarps one;
    one.durations = of.durations;
    one.warps = 1;
    one.memoryCycles = of.memoryCycles;
    one.spanCycles = of.end - of.start;
    if (one.spanCycles != 0) {
      one.spans = 1;
      one.shares = static_cast<double>(one.memoryCycles) / static_cast<double>(one.spanCycles);
    }
    const LaunchIndex kernel = kernels_[index_];
    found_.kernels[kernel].add(one);
    found_.multiprocessors[{kernel, of.sm}].add(one);
  }

  const Model &model_;
  const LatencyOptions &options_;
  const LatencySamples samples_;
  const std::vector<LaunchIndex> kernels_;
  const std::vector<std::uint32_t> firstSites_;
  const std::vector<PlacedSite> placed_ = placedSitesOf(model_);
  std::vector<std::uint64_t> seriesBlock_;

  LatencyFigures found_;
  std::map<std::pair<LaunchIndex, std::uint32_t>, LatencyOfAccess> ofSites_; ///< by kernel and site

  std::map<std::pair<LaunchIndex, std::uint32_t>, const LatencyKey *> keys_; ///< likewise, when all are read
  std::optional<ExcerptTaker> excerpt_;                                      ///< of the present launch

  const LaunchInfo *launch_ = nullptr; ///< the present one, or its first part
  const LaunchInfo *part_ = nullptr;
  LaunchIndex index_ = 0;
  std::vector<LatencyOfAccess *> sites_; ///< of the part's module
  std::unordered_map<std::uint64_t, WarpTimes> warps_;
  WarpTimes *warp_ = nullptr;    ///< the last one
  std::uint64_t number_ = 0;     ///< its
  std::size_t seriesBefore_ = 0; ///< of the launches before
  std::uint64_t kept_ = 0;
};

} // namespace

void LatencyOfWarps::add(const LatencyOfWarps &other) {
  durations += other.durations;
  warps += other.warps;
  memoryCycles += other.memoryCycles;
  spanCycles += other.spanCycles;
  shares += other.shares;
  spans += other.spans;
}

LatencyFigures latencyFiguresIfTimed(const Model &model, const LatencyOptions &options) {
  return isAnyTimed(model, options.selection.launches) ? latencyFigures(model, options) : LatencyFigures();
}

LatencyFigures latencyFigures(const Model &model, const LatencyOptions &options) {
  return Figures(model, options).run();
}

} // namespace cupr::analysis
