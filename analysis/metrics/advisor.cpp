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
      : limit_(model.limit()), communication_(communication), options_(options), grids_(model),
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
    return advisor;
  }

private:
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
      costs.emplace_back(std::move(placement), communication_.ordering->supersteps());
    communication_.ctas->forEach([&](const EntityVolume &cta) {
      const CtaPlace place = grids_.placeOf(cta.launch, cta.index);
      for (CutCost &cost : costs)
        cost.addWork(stepOf(cta.launch), place, cta);
    });
    const std::uint64_t transferred = addTransfers(costs);
    std::vector<AdvisorCut> cuts;
    for (const CutCost &cost : costs)
      cuts.push_back(cost.finish(options_, transferred));
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

  trace::WorkLimit &limit_;
  const Communication &communication_;
  const AdvisorOptions &options_;
  const Grids grids_;
  std::vector<std::uint64_t> mostStored_; ///< by launch: by one of its CTAs
  bool severalCtas_ = false;
};

} // namespace

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
