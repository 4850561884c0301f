/// Lets the transfers and the CTAs' volumes pass by all cuts, and chooses.
#include "advisor.h"

#include "cta_graph.h"
#include "cut_cost.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace cupr::analysis {

namespace {

/// For each cut.
constexpr std::uint64_t kStepsPerTransfer = 100;

/// What all cuts need to know.
class Evaluation {
public:
  Evaluation(const Model &model, const Communication &communication, const AdvisorOptions &options)
      : model_(model), limit_(model.limit()), communication_(communication), options_(options), grids_(model),
        mostStored_(model.launches().size()) {
    communication.ctas->forEach([&](const EntityVolume &cta) {
      mostStored_[cta.launch] = std::max(mostStored_[cta.launch], cta.storeBytes);
      severalCtas_ |= cta.index != 0;
    });
  }

  bool severalCtas() const { return severalCtas_; }

  Advisor run() {
    const CtaGraph graph(grids_, communication_, limit_);
    Advisor advisor;
    advisor.options = options_;
    advisor.assumptions = assumptions();
    if (!graph.absence().empty())
      advisor.notes.push_back(graph.absence());
    for (const unsigned devices : options_.devices) {
      std::vector<Placement> placements = placementsFor(grids_, devices);
      if (graph.absence().empty()) {
        if (std::vector<std::uint16_t> parts = graph.parts(devices); !parts.empty())
          placements.push_back(Placement::graph(devices, std::move(parts)));
        else
          advisor.notes.push_back(fmt::format("The graph of CTAs can't be parted for {} GPUs: it has too few "
                                              "CTAs, or there is too little memory.",
                                              devices));
      }
      const std::vector<AdvisorCut> cuts = oneOfEachKind(costsOf(std::move(placements)));
      advisor.best.push_back(advisor.cuts.size() + bestOf(cuts));
      advisor.cuts.insert(advisor.cuts.end(), cuts.begin(), cuts.end());
    }
    if (std::ranges::any_of(advisor.cuts,
                            [](const AdvisorCut &cut) { return cut.leastCrossing != cut.crossing; }))
      advisor.assumptions.push_back(
          "Which bytes the CTAs of a GPU read in common is not known: where they may be the same or not, times are "
          "of the most that can cross.");
    return advisor;
  }

private:
  /// Peak of the memory that is allocated at a time.
  std::uint64_t allocatedBytes() const {
    std::uint64_t now = 0, most = 0;
    for (const Event &event : model_.events())
      if (const auto *made = std::get_if<AllocationEvent>(&event))
        most = std::max(most, now += model_.allocations()[made->index].allocation.bytes);
      else if (const auto *freed = std::get_if<FreeEvent>(&event))
        now -= model_.allocations()[freed->allocation].allocation.bytes;
    return most;
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
        "Data stays on the GPU that wrote it last; nothing is kept of what was read for an earlier launch.",
        "What the host wrote is where it is read, and does not cross.",
        fmt::format("Each GPU has room for all that the program allocates: {} bytes at a time.",
                    allocatedBytes())};
    if (communication_.incompleteLaunches != 0)
      said.push_back(fmt::format("{} launches that are not traced or not complete move nothing.",
                                 communication_.incompleteLaunches));
    return said;
  }

  std::uint32_t stepOf(LaunchIndex launch) const { return communication_.ordering->superstepOf(launch); }

  std::uint64_t pairBytes(LaunchIndex destination, LaunchIndex source) const {
    const auto pair = std::lower_bound(
        communication_.pairs.begin(), communication_.pairs.end(), std::tuple(destination, source),
        [](const LaunchPair &a, const auto &key) { return std::tuple(a.destination, a.source) < key; });
    return pair->bytes;
  }

  std::vector<AdvisorCut> costsOf(std::vector<Placement> placements) const {
    std::vector<CutCost> costs;
    for (Placement &placement : placements)
      costs.emplace_back(std::move(placement), communication_.ordering->supersteps(), options_);
    communication_.ctas->forEach([&](const EntityVolume &cta) {
      const CtaPlace place = grids_.placeOf(cta.launch, cta.index);
      for (CutCost &cost : costs)
        cost.addWork(stepOf(cta.launch), place, cta);
    });
    const std::uint64_t transferred = addTransfers(costs);
    std::vector<AdvisorCut> cuts;
    for (const CutCost &cost : costs)
      cuts.push_back(cost.finish(transferred));
    return cuts;
  }

  std::uint64_t addTransfers(std::vector<CutCost> &costs) const {
    std::uint64_t transferred = 0;
    LaunchIndex source = kHost, destination = kHost; // of the pair that is open; never host to host
    const auto endPair = [&] {
      if (destination == kHost)
        return;
      const std::uint64_t bytes = pairBytes(destination, source);
      for (CutCost &cost : costs)
        source == kHost ? cost.endHostPair(bytes)
                        : cost.endPair(stepOf(destination), bytes, mostStored_[source]);
    };
    std::uint64_t count = 0;
    communication_.transfers->forEach([&](const Transfer &transfer) {
      if (++count % 1024 == 0)
        limit_.spend(1024 * kStepsPerTransfer * costs.size(), [] { return std::string("advice on its transfers"); });
      if (transfer.dependence.order == DependenceOrder::InsideLaunch) {
        const CtaPlace first = grids_.placeOf(transfer.source, transfer.sourceCta);
        const CtaPlace second = grids_.placeOf(transfer.destination, transfer.destinationCta);
        for (CutCost &cost : costs)
          cost.addInside(first, second, transfer.bytes);
      }
      if (transfer.dependence != kCommunication || transfer.destination == kHost)
        return;
      if (transfer.source != source || transfer.destination != destination) {
        endPair();
        source = transfer.source;
        destination = transfer.destination;
      }
      const CtaPlace to = grids_.placeOf(destination, transfer.destinationCta);
      if (source == kHost) {
        for (CutCost &cost : costs)
          cost.addFromHost(to, transfer.bytes);
        return;
      }
      transferred += transfer.bytes;
      const CtaPlace from = grids_.placeOf(source, transfer.sourceCta);
      for (CutCost &cost : costs)
        cost.add(from, to, transfer.bytes);
    });
    endPair();
    return transferred;
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
  const Grids grids_;
  std::vector<std::uint64_t> mostStored_; ///< by launch: by one of its CTAs
  bool severalCtas_ = false;
};

} // namespace

AdvisorOptions optionsFor(std::string_view deviceName) {
  struct Known {
    std::string_view name; ///< a part of what CUDA calls it
    unsigned multiprocessors;
    double bytesPerSecond; ///< of all its NVLinks, in one direction
  };
  static constexpr Known kKnown[] = {{"H100 PCIe", 114, 300e9}, {"H100", 132, 450e9}, {"H200", 132, 450e9},
                                     {"H800", 132, 200e9},      {"B200", 148, 900e9}, {"A100", 108, 300e9},
                                     {"A800", 108, 200e9},      {"V100", 80, 150e9}};
  AdvisorOptions options;
  options.latencySeconds = 5e-6;
  options.packetBytes = 32;
  for (const Known &known : kKnown)
    if (deviceName.find(known.name) != deviceName.npos) {
      options.multiprocessors = known.multiprocessors;
      options.bytesPerSecond = known.bytesPerSecond;
      break;
    }
  return options;
}

std::size_t bestOf(const std::vector<AdvisorCut> &cuts) {
  double parallelism = 0;
  for (const AdvisorCut &cut : cuts)
    parallelism = std::max(parallelism, cut.parallelism);
  const auto key = [&](const AdvisorCut &cut) {
    return std::tuple(-cut.speedup.value_or(0), !cut.speedup && cut.parallelism < 0.9 * parallelism,
                      cut.seconds, cut.crossing);
  };
  return static_cast<std::size_t>(
      std::min_element(cuts.begin(), cuts.end(),
                       [&](const AdvisorCut &a, const AdvisorCut &b) { return key(a) < key(b); }) -
      cuts.begin());
}

std::optional<Advisor> advise(const Model &model, const Communication &communication,
                              const AdvisorOptions &options) {
  Evaluation evaluation(model, communication, options);
  if (!evaluation.severalCtas())
    return std::nullopt;
  return evaluation.run();
}

} // namespace cupr::analysis
