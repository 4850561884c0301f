/// Makes the cuts, has them followed, lets the CTAs' volumes pass by, and chooses.
#include "advisor.h"

#include "analysis/engine/kept_cuts.h"
#include "cta_graph.h"
#include "cut_cost.h"
#include "device_figures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <tuple>

namespace cupr::analysis {

namespace {

/// The most of some memory that is allocated at a time.
class AllocatedPeak {
public:
  explicit AllocatedPeak(const Model &model)
      : model_(model), bytes_(model.allocations().size() + 1), isMade_(bytes_.size()) {
    for (const Event &event : model.events())
      if (const auto *made = std::get_if<AllocationEvent>(&event))
        isMade_[made->index] = true;
  }
  /// `allocation`: as Communication::allocations.
  void add(std::uint32_t allocation, std::uint64_t bytes) { bytes_[allocation] += bytes; }
  /// Starts anew.
  std::uint64_t take() {
    std::uint64_t now = 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      now += isMade_[i] ? 0 : bytes_[i]; // there all the time
    std::uint64_t most = now;
    for (const Event &event : model_.events())
      if (const auto *made = std::get_if<AllocationEvent>(&event))
        most = std::max(most, now += bytes_[made->index]);
      else if (const auto *freed = std::get_if<FreeEvent>(&event))
        now -= bytes_[freed->allocation];
    bytes_.assign(bytes_.size(), 0);
    return most;
  }

private:
  const Model &model_;
  std::vector<std::uint64_t> bytes_; ///< by allocation
  std::vector<bool> isMade_;
};

/// What all cuts need to know.
class Evaluation {
public:
  Evaluation(const Model &model, const Communication &communication, const AdvisorOptions &options,
             const AnalysisOptions &analysis)
      : model_(model), limit_(model.limit()), communication_(communication), options_(options),
        analysis_(analysis), grids_(model) {
    communication.ctas->forEach([&](const EntityVolume &cta) { severalCtas_ |= cta.index != 0; });
  }

  bool severalCtas() const { return severalCtas_; }

  Advisor run() {
    const CtaGraph graph(grids_, communication_, limit_);
    Advisor advisor;
    advisor.options = options_;
    advisor.assumptions = assumptions();
    if (!graph.absence().empty())
      advisor.notes.push_back(graph.absence());
    advisor.atomics = sharedAtomics();
    const std::vector<AdvisorCut> all = costsOf(placements(graph, advisor.notes));
    for (auto first = all.begin(); first != all.end();) {
      const auto last = std::find_if(first, all.end(),
                                     [&](const AdvisorCut &cut) { return cut.devices != first->devices; });
      const std::vector<AdvisorCut> cuts = oneOfEachKind({first, last});
      advisor.best.push_back(advisor.cuts.size() + bestOf(cuts));
      advisor.cuts.insert(advisor.cuts.end(), cuts.begin(), cuts.end());
      first = last;
    }
    return advisor;
  }

private:
  /// By number of GPUs.
  std::vector<Placement> placements(const CtaGraph &graph, std::vector<std::string> &notes) const {
    std::vector<Placement> all;
    for (const unsigned devices : options_.devices) {
      std::ranges::move(placementsFor(grids_, devices), std::back_inserter(all));
      if (!graph.absence().empty())
        continue;
      if (std::vector<std::uint16_t> parts = graph.parts(devices); !parts.empty())
        all.push_back(Placement::graph(devices, std::move(parts)));
      else
        notes.push_back(fmt::format("The graph of CTAs can't be parted for {} GPUs: it has too few "
                                    "CTAs, or there is too little memory.",
                                    devices));
    }
    return all;
  }

  /// Those that CTAs of one launch share, with one another or with other accesses.
  std::vector<SharedAtomic> sharedAtomics() const {
    std::map<KernelSite, std::uint64_t> bytes;
    const auto add = [&](const KernelSite &place, std::uint64_t more) {
      if (more != 0 && isAtomic(place))
        bytes[place] += more;
    };
    for (const auto &[dependence, volume] : communication_.dependences)
      if (dependence.dependence.order == DependenceOrder::InsideLaunch) {
        add(dependence.first, volume.otherIndex);
        if (dependence.second != dependence.first)
          add(dependence.second, volume.otherIndex);
      }
    std::vector<SharedAtomic> atomics;
    for (const auto &[place, sum] : bytes) {
      const SiteVolume &site = communication_.sites[place.site];
      atomics.push_back({model_.launches()[place.launch].kernel, site.module->strings[site.site->file],
                         site.site->line, site.site->column, sum});
    }
    std::ranges::sort(atomics, [](const SharedAtomic &a, const SharedAtomic &b) {
      return std::tie(b.bytes, a.kernel, a.file, a.line, a.column) <
             std::tie(a.bytes, b.kernel, b.file, b.line, b.column);
    });
    return atomics;
  }
  bool isAtomic(const KernelSite &place) const {
    return place.launch != kHost && abi::operationClass(communication_.sites[place.site].site->operation) ==
                                        abi::OperationClass::Atomic;
  }

  /// Peak of the memory that is allocated at a time.
  std::uint64_t allocatedBytes() const {
    AllocatedPeak peak(model_);
    for (std::uint32_t i = 0; i < model_.allocations().size(); ++i)
      peak.add(i, model_.allocations()[i].allocation.bytes);
    return peak.take();
  }

  std::vector<std::string> assumptions() const {
    static constexpr const char *kTopologies[] = {
        "Each GPU has a link to a switch that never blocks.",
        "Two GPUs share a switch, and all switches meet at one root; links are equally fast.",
        "GPUs are connected in a ring, and data goes the shorter way."};
    std::vector<std::string> said{
        kTopologies[static_cast<std::size_t>(options_.topology)],
        fmt::format("Links carry {:g} GB/s in each direction, in packets of {} bytes, after {:g} us.",
                    options_.bytesPerSecond / 1e9, options_.packetBytes, options_.latencySeconds * 1e6),
        options_.overlaps ? "What crosses goes while the GPUs compute the same superstep."
                          : "GPUs exchange after each superstep, all at once, and compute nothing meanwhile.",
        "Time goes with the bytes that CTAs access; a multiprocessor has one CTA at a time.",
        "Data stays on the GPU that wrote it last; what another one reads for a launch it fetches again for "
        "the "
        "next. \"if kept\" is what would cross if it kept it until it is written again.",
        "What the host wrote is brought to each GPU that reads it, once, and does not cross.",
        fmt::format(
            "Of what the program allocates, {} bytes at a time, a GPU needs the memory that its CTAs access.",
            allocatedBytes())};
    if (communication_.incompleteLaunches != 0)
      said.push_back(fmt::format("{} launches that are not traced or not complete move nothing.",
                                 communication_.incompleteLaunches));
    return said;
  }

  std::uint32_t stepOf(LaunchIndex launch) const { return communication_.ordering->superstepOf(launch); }

  std::vector<AdvisorCut> costsOf(std::vector<Placement> placements) const {
    constexpr std::uint64_t kSumMemory = std::uint64_t{64} << 20;
    CutSums sums(model_, std::move(placements), kSumMemory);
    keptCuts(model_, sums, analysis_);
    std::vector<CutCost> costs;
    for (const Placement &placement : sums.cuts.placements())
      costs.emplace_back(placement, communication_.ordering->supersteps(), options_);
    communication_.ctas->forEach([&](const EntityVolume &cta) {
      const CtaInGrid place = grids_.ctaOf(cta.launch, cta.index);
      for (CutCost &cost : costs)
        cost.addWork(stepOf(cta.launch), place, cta);
    });
    const std::uint64_t transferred = addTransfers(costs);
    sums.flows.forEach([&](const CutFlow &flow) {
      costs[flow.cut].add(stepOf(flow.destination), flow.from, flow.to, flow.bytes);
    });
    const std::vector<std::uint64_t> memory = mostMemory(sums);
    std::vector<AdvisorCut> cuts;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      AdvisorCut &cut = cuts.emplace_back(costs[i].finish(model_, transferred));
      cut.crossingOnce = sums.fetchedOnce[i];
      cut.readFromHost = sums.hostFetchedOnce[i];
      cut.memory = memory[i];
    }
    return cuts;
  }

  /// Bytes of all transfers between launches; those inside go to the cuts.
  std::uint64_t addTransfers(std::vector<CutCost> &costs) const {
    constexpr std::uint64_t kStepsPerTransfer = 20, kStepsPerCut = 40;
    std::uint64_t transferred = 0, count = 0;
    communication_.transfers->forEach([&](const Transfer &transfer) {
      if (++count % 1024 == 0)
        limit_.spend(1024 * kStepsPerTransfer, [] { return std::string("advice on its transfers"); });
      if (transfer.dependence == kCommunication && transfer.source != kHost && transfer.destination != kHost)
        transferred += transfer.bytes;
      if (transfer.dependence.order != DependenceOrder::InsideLaunch)
        return;
      limit_.spend(kStepsPerCut * costs.size(), [] { return std::string("advice on its transfers"); });
      const CtaInGrid first = grids_.ctaOf(transfer.source, transfer.sourceCta);
      const CtaInGrid second = grids_.ctaOf(transfer.destination, transfer.destinationCta);
      for (CutCost &cost : costs)
        cost.addInside(transfer.destination, first, second, transfer.bytes);
    });
    return transferred;
  }

  /// By cut: of the GPU that needs most.
  std::vector<std::uint64_t> mostMemory(CutSums &sums) const {
    std::vector<std::uint64_t> most(sums.cuts.placements().size());
    AllocatedPeak peak(model_);
    std::uint32_t cut = 0, device = 0;
    const auto endDevice = [&] {
      limit_.spend(4 * model_.events().size(), [] { return std::string("the memory that GPUs need"); });
      most[cut] = std::max(most[cut], peak.take());
    };
    sums.memories.forEach([&](const CutMemory &memory) {
      if (memory.cut != cut || memory.device != device)
        endDevice();
      cut = memory.cut;
      device = memory.device;
      peak.add(memory.allocation, memory.bytes);
    });
    if (!most.empty())
      endDevice();
    return most;
  }

  /// There are several ways to make blocks: the best stands for them.
  static std::vector<AdvisorCut> oneOfEachKind(const std::vector<AdvisorCut> &cuts) {
    std::vector<AdvisorCut> result;
    for (auto first = cuts.begin(); first != cuts.end();) {
      const auto last =
          std::find_if(first, cuts.end(), [&](const AdvisorCut &cut) { return cut.kind != first->kind; });
      const std::vector<AdvisorCut> same(first, last);
      result.push_back(same[bestOf(same)]);
      first = last;
    }
    return result;
  }

  const Model &model_;
  trace::WorkLimit &limit_;
  const Communication &communication_;
  const AdvisorOptions &options_;
  const AnalysisOptions &analysis_;
  const Grids grids_;
  bool severalCtas_ = false;
};

} // namespace

AdvisorOptions optionsFor(std::string_view deviceName) {
  const DeviceFigures figures = figuresOf(deviceName);
  AdvisorOptions options;
  options.latencySeconds = 5e-6;
  options.packetBytes = 32;
  options.multiprocessors = figures.multiprocessors;
  options.bytesPerSecond = figures.linkBytesPerSecond;
  return options;
}

std::size_t bestOf(const std::vector<AdvisorCut> &cuts) {
  double parallelism = 0;
  for (const AdvisorCut &cut : cuts)
    parallelism = std::max(parallelism, cut.parallelism);
  const auto key = [&](const AdvisorCut &cut) {
    // Sums in another order differ in their last digits: that is no difference.
    return std::tuple(-std::round(cut.speedup.value_or(0) * 1e12),
                      !cut.speedup && cut.parallelism < 0.9 * parallelism, std::round(cut.seconds * 1e15),
                      cut.crossing);
  };
  return static_cast<std::size_t>(
      std::min_element(cuts.begin(), cuts.end(),
                       [&](const AdvisorCut &a, const AdvisorCut &b) { return key(a) < key(b); }) -
      cuts.begin());
}

std::optional<Advisor> advise(const Model &model, const Communication &communication,
                              const AdvisorOptions &options, const AnalysisOptions &analysis) {
  Evaluation evaluation(model, communication, options, analysis);
  if (!evaluation.severalCtas())
    return std::nullopt;
  return evaluation.run();
}

} // namespace cupr::analysis
