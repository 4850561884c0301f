/// One function for each table, or a few that belong together. They only hand on: every figure comes from a
/// metric.
#include "result_rows.h"

#include "analysis/metrics/entity_volumes.h"
#include "analysis/output/kind_names.h"
#include "analysis/render/results/advice.h"
#include "analysis/render/results/place_text.h"
#include "row_values.h"

#include <algorithm>
#include <array>
#include <map>

namespace cupr::analysis {

namespace {

class Rows {
public:
  Rows(const ResultSource &source, const RowVisitor &visit)
      : model_(source.model), results_(source.results), c_(source.results.communication),
        history_(source.history), threadStrides_(source.threadStrides), parts_(source.parts), visit_(visit) {}

  void run() {
    program();
    kernelVolumes();
    launches();
    supersteps();
    entities();
    transfers();
    transferFigures();
    dependences();
    allocations();
    lines();
    findings();
    advisor();
    parts();
    history();
    threadStrides();
    ctaStrides();
  }

private:
  std::uint64_t idOf(LaunchIndex launch) const {
    return static_cast<std::uint64_t>(model_.launches()[launch].launch.id);
  }
  Value launchOrHost(LaunchIndex launch) const { return launch == kHost ? Value() : Value(idOf(launch)); }

  /// Temporary texts among the arguments live until this returns.
  template <typename... Cells> void send(ResultKindId kind, const Cells &...cells) {
    values_.clear();
    (add(cells), ...);
    // What has an index in SQLite takes twice the time.
    const bool isIndexed = kind == ResultKindId::Transfer || kind == ResultKindId::AddressAccess;
    const std::uint64_t stepsPerRow = (isIndexed ? 2500 : 1000) + 100 * values_.size();
    constexpr std::uint64_t kStepsPerCharacter = 5;
    std::uint64_t characters = 0;
    for (const Value &value : values_)
      if (const auto *text = std::get_if<std::string_view>(&value))
        characters += text->size();
    model_.limit().spend(stepsPerRow + kStepsPerCharacter * characters,
                         [] { return std::string("writing results"); });
    visit_(kind, values_);
  }
  template <typename Cell> void add(const Cell &cell) { values_.push_back(valueOf(cell)); }
  void add(const trace::Counts &counts) {
    for (const std::uint64_t number : {counts.loads, counts.stores, counts.atomics, counts.loadBytes,
                                       counts.storeBytes, counts.atomicBytes})
      values_.push_back(number);
  }
  void add(const trace::Dim3 &dim) {
    for (const std::uint64_t number : {dim.x, dim.y, dim.z})
      values_.push_back(number);
  }

  void program() {
    const trace::Process &process = model_.header().process;
    send(ResultKindId::Program, process.program, std::span<const std::string>(process.arguments),
         process.deviceKind, process.deviceName,
         model_.truncation().empty() ? Value() : Value(model_.truncation()), c_.incompleteLaunches, c_.counts,
         c_.uniqueRead, c_.uniqueWritten, c_.writtenByHost, c_.communicated, c_.share(), c_.sameIndex,
         c_.otherIndex, c_.handedOn, c_.concurrent, c_.readByHost, c_.hostRead, c_.handedOnShare(),
         c_.overwritten, c_.readByHostOverwritten, c_.hostReadOverwritten, c_.copied, c_.ofLastProducer);
  }

  void kernelVolumes() {
    struct Sum {
      std::uint64_t launches = 0;
      trace::Counts counts;
      LaunchVolume volume;
    };
    std::map<std::pair<std::string, std::uint32_t>, Sum> sums;
    for (LaunchIndex launch = 0; launch < c_.launches.size(); ++launch) {
      Sum &sum = sums[{model_.launches()[launch].kernel, c_.ordering->superstepOf(launch)}];
      ++sum.launches;
      sum.counts += model_.launches()[launch].totals.counts.global;
      sum.volume += c_.launches[launch];
    }
    for (const auto &[key, sum] : sums)
      send(ResultKindId::KernelVolume, key.first, key.second, sum.launches,
           sum.counts.loadBytes + sum.counts.atomicBytes, sum.counts.storeBytes + sum.counts.atomicBytes,
           sum.volume.readFromLaunches, sum.volume.readByLaunches, sum.volume.readHandedOn,
           sum.volume.handedOn, sum.volume.readByThreads);
  }

  void launches() {
    for (LaunchIndex launch = 0; launch < c_.launches.size(); ++launch) {
      const LaunchInfo &info = model_.launches()[launch];
      const LaunchVolume &volume = c_.launches[launch];
      send(ResultKindId::Launch, idOf(launch), info.kernel, info.launch.grid, info.launch.block,
           info.launch.stream, info.launch.device, c_.ordering->superstepOf(launch), info.launch.traced,
           info.complete(), info.launch.time, info.ended ? Value(info.totals.end.time) : Value(),
           info.totals.counts.global, volume.uniqueRead, volume.uniqueWritten, volume.readFromLaunches,
           volume.readFromHost, volume.readByLaunches, volume.readByHost,
           c_.ordering->streamSuperstepOf(launch), volume.readHandedOn, volume.handedOn, volume.readByThreads,
           volume.readOverwritten, volume.overwritten, volume.copied, static_cast<std::uint64_t>(info.number),
           std::uint64_t{info.phase});
    }
  }

  void supersteps() {
    std::uint64_t number = 0;
    for (const SuperstepFigures &step : results_.transfers.supersteps)
      send(ResultKindId::Superstep, number++, step.launches.size(), step.loadBytes, step.storeBytes,
           step.transferBytes, step.out.ctas, step.out.mean, step.out.deviation, step.in.ctas, step.in.mean,
           step.in.deviation, step.volume.readByThreads, step.volume.readHandedOn, step.volume.handedOn,
           step.volume.readOverwritten);
  }

  void entities() {
    const EntityTraffics traffics = entityTraffics(c_);
    traffics.ctas->forEach([&](const EntityTraffic &traffic) {
      const EntityVolume &volume = traffic.volume;
      const trace::Dim3 cta = placeInGrid(model_.launches()[volume.launch].launch.grid, volume.index);
      send(ResultKindId::CtaVolume, idOf(volume.launch), volume.index, cta, volume.sm, volume.accesses,
           volume.loadBytes, volume.storeBytes, traffic.received, traffic.sent, volume.stored);
    });
    traffics.sms->forEach([&](const EntityTraffic &traffic) {
      const EntityVolume &volume = traffic.volume;
      send(ResultKindId::SmVolume, idOf(volume.launch), volume.index, traffic.ctas, volume.accesses,
           volume.loadBytes, volume.storeBytes, traffic.received, traffic.sent, volume.stored);
    });
  }

  void transfers() {
    c_.transfers->forEach([&](const Transfer &transfer) {
      send(ResultKindId::Transfer, dependenceName(transfer.dependence.kind),
           dependenceName(transfer.dependence.order), launchOrHost(transfer.source), transfer.sourceCta,
           launchOrHost(transfer.destination), transfer.destinationCta, transfer.bytes, transfer.operations);
    });
    for (const LaunchPair &pair : c_.pairs)
      send(ResultKindId::LaunchPair, launchOrHost(pair.source), launchOrHost(pair.destination), pair.bytes,
           pair.sameIndex, pair.otherIndex, pair.operations, pair.ctaPairs, pair.overwritten);
  }

  void transferFigures() {
    const TransferMetrics &metrics = results_.transfers;
    for (const auto &[distance, volume] : metrics.distances)
      send(ResultKindId::Distance, distance, volume.bytes, volume.operations);
    for (const auto &[bytes, count] : metrics.sizes.sizes)
      send(ResultKindId::TransferSize, bytes, count);
    for (const auto &[name, degrees] :
         {std::pair{"in", &metrics.in}, std::pair{"out", &metrics.out},
          std::pair{"otherIn", &metrics.otherIn}, std::pair{"otherOut", &metrics.otherOut},
          std::pair{"handedOnIn", &metrics.handedOnIn}, std::pair{"handedOnOut", &metrics.handedOnOut}})
      for (const auto &[partners, ctas] : *degrees)
        send(ResultKindId::Degree, name, partners, ctas);
    for (const auto &[name, strides] :
         {std::pair{"loads", &c_.loadStrides}, std::pair{"stores", &c_.storeStrides},
          std::pair{"handedOnLoads", &c_.handedOnLoadStrides},
          std::pair{"handedOnStores", &c_.handedOnStoreStrides}})
      for (const auto &[stride, bytes] : *strides)
        send(ResultKindId::Stride, name, stride, bytes);
    static constexpr std::array kDimensions = {"x", "y", "z"};
    for (std::size_t i = 0; i < kDimensions.size(); ++i)
      if (const auto &cut = metrics.bisection[i])
        send(ResultKindId::Bisection, kDimensions[i], cut->bytes, cut->relative);
  }

  void dependences() {
    for (const auto &[dependence, volume] : c_.dependences) {
      const PlaceText first = placeText(model_, c_, dependence.first),
                      second = placeText(model_, c_, dependence.second);
      send(ResultKindId::Dependence, dependenceName(dependence.dependence.kind),
           dependenceName(dependence.dependence.order), Value(first.kernel), Value(first.file), first.line,
           Value(first.operation), Value(second.kernel), Value(second.file), second.line,
           Value(second.operation), volume.bytes, volume.sameIndex, volume.otherIndex, first.column,
           second.column);
    }
  }

  void allocations() {
    for (const AllocationInfo &info : model_.allocations()) {
      const AllocationVolume &volume = c_.allocations[info.ordinal];
      send(ResultKindId::Allocation, info.ordinal, info.allocation.name, info.allocation.call,
           kindName(info.allocation.kind), info.allocation.address, info.allocation.bytes,
           info.freedOrder != UINT64_MAX, volume.counts, volume.uniqueRead, volume.uniqueWritten,
           volume.communicated, volume.copied);
    }
    if (const AllocationVolume &unknown = c_.allocations.back(); unknown.counts.accesses() != 0)
      send(ResultKindId::Allocation, Value(), "", "", "unknown", 0u, 0u, false, unknown.counts,
           unknown.uniqueRead, unknown.uniqueWritten, unknown.communicated, unknown.copied);
  }

  void lines() {
    for (const SourceFile &file : results_.sources)
      for (const auto &[number, line] : file.lines) {
        const std::vector<std::string> functions(line.functions.begin(), line.functions.end());
        send(ResultKindId::Line, file.path, number, std::span<const std::string>(functions), line.counts,
             line.requests, line.sectors, line.leastSectors, line.communicated, line.readCommunicated);
      }
  }

  void findings() {
    for (const Finding &finding : results_.findings)
      send(ResultKindId::Finding, finding.id, finding.title, finding.advice, finding.kernel, finding.file,
           finding.line, finding.amount, finding.unit, finding.share, finding.column, finding.operation);
  }

  void advisor() {
    if (!results_.advisor)
      return;
    const Advisor &advisor = *results_.advisor;
    for (std::size_t i = 0; i < advisor.cuts.size(); ++i) {
      const AdvisorCut &cut = advisor.cuts[i];
      send(ResultKindId::AdvisorCut, i, cut.devices, cutName(cut.kind),
           trace::Dim3{cut.tiles.x, cut.tiles.y, cut.tiles.z},
           std::find(advisor.best.begin(), advisor.best.end(), i) != advisor.best.end(), cut.crossing,
           cut.crossingOnce, cut.crossingShare, cut.readFromHost, cut.insideLaunches, cut.memory, cut.balance,
           cut.accessBalance, cut.parallelism, cut.seconds, cut.speedup ? Value(*cut.speedup) : Value());
    }
    for (std::size_t i = 0; i < advisor.cuts.size(); ++i)
      for (std::size_t step = 0; step < advisor.cuts[i].supersteps.size(); ++step)
        send(ResultKindId::AdvisorSuperstep, i, step, advisor.cuts[i].supersteps[step]);
    for (std::size_t i = 0; i < advisor.cuts.size(); ++i)
      for (const InsideKernel &kernel : advisor.cuts[i].inside)
        send(ResultKindId::AdvisorInside, i, kernel.kernel, kernel.bytes);
    for (const SharedAtomic &atomic : advisor.atomics)
      send(ResultKindId::AdvisorAtomic, atomic.kernel, atomic.file, atomic.line, atomic.column, atomic.bytes);
  }

  /// By number of GPUs, grid and CTA.
  void parts() {
    if (!parts_ || !results_.advisor)
      return;
    const Grids grids(model_);
    for (const AdvisorCut &cut : results_.advisor->cuts)
      for (const Grids::Grid &grid : grids.all()) {
        const std::uint64_t ctas =
            cut.parts.empty() ? 0 : std::uint64_t{grid.dim.x} * grid.dim.y * grid.dim.z;
        for (std::uint64_t cta = 0; cta < ctas; ++cta)
          send(ResultKindId::AdvisorPart, cut.devices, grid.dim, cta,
               cut.parts[static_cast<std::size_t>(grid.firstVertex + cta)]);
      }
  }

  void history() {
    if (!history_)
      return;
    history_->forEach([&](const HistoryEntry &entry) {
      const trace::Module &module = *model_.moduleOf(model_.launches()[entry.launch]);
      const trace::Site &site = module.sites[entry.site];
      send(ResultKindId::AddressAccess, entry.address, entry.superstep, idOf(entry.launch), entry.cta,
           abi::operationName(site.operation), module.strings[site.file], site.line, entry.bytes,
           entry.accesses);
    });
  }

  void threadStrides() {
    if (!threadStrides_)
      return;
    threadStrides_->forEach([&](const ThreadStride &stride) {
      const PlaceText place = placeText(model_, c_, stride.place);
      send(ResultKindId::ThreadStride, Value(place.kernel), Value(place.file), place.line, place.column,
           Value(place.operation), stride.backwards, stride.stride, stride.accesses, stride.bytes);
    });
  }

  void ctaStrides() {
    if (!c_.ctaStrides)
      return;
    c_.ctaStrides->forEach([&](const CtaStride &stride) {
      send(ResultKindId::CtaStride, idOf(stride.launch), stride.cta, strideName(stride.kind), stride.stride,
           stride.bytes);
    });
  }

  const Model &model_;
  const Results &results_;
  const Communication &c_;
  SortedSum<HistoryEntry> *const history_;
  SortedSum<ThreadStride> *const threadStrides_;
  const bool parts_;
  const RowVisitor &visit_;
  Values values_;
};

} // namespace

void forEachResultRow(const ResultSource &source, const RowVisitor &visit) { Rows(source, visit).run(); }

} // namespace cupr::analysis
