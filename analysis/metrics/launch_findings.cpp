/// Small launches are counted by place. For graphs, what is done in each stream becomes a list of numbers (what is launched or set, from
/// where; the host's waits), and what repeats itself there is looked for.
#include "launch_findings.h"

#include "advice_limits.h"
#include "analysis/output/text.h"
#include "device_figures.h"
#include "latency_samples.h"
#include "repeated_sequence.h"
#include "source_accesses.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerLaunch = 500, kBytesPerLaunch = 100, kBytesPerStep = 24, kStepsPerNumber = 4;

std::uint64_t blocksOf(const trace::Launch &launch) {
  return std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
}
std::uint64_t threadsOf(const trace::Launch &launch) {
  return blocksOf(launch) * launch.block.x * launch.block.y * launch.block.z;
}

/// What the device does in one step of a stream, as often as it is done.
struct Step {
  const LaunchInfo *launch = nullptr; ///< null: no launch
  CallSite site;
};

/// What is done in a stream, by numbers of steps.
constexpr std::uint32_t kWait = 0; ///< the host waits
using Steps = std::vector<std::uint32_t>;

class LaunchRules {
public:
  LaunchRules(const Model &model, CallSites &sites)
      : model_(model), sites_(sites), device_(figuresOf(model.header().process.deviceName)) {
    for (const LaunchInfo &launch : model.launches()) { // phases of one come one behind the other
      if (launch.phase == 0) {
        launches_.push_back(&launch);
        seconds_[launch.launch.order] = 0;
      }
      std::optional<double> &seconds = seconds_[launch.launch.order];
      const std::optional<std::uint64_t> time = isModelled(model_) ? std::nullopt : launch.deviceTime();
      seconds = seconds && time ? std::optional(*seconds + 1e-9 * static_cast<double>(*time)) : std::nullopt;
    }
  }

  std::vector<Finding> run() {
    small();
    if (!model_.header().leavesOut) // between two launches may be one that the trace doesn't hold
      graphs();
    return std::move(findings_);
  }

private:
  void add(FindingRule rule, std::string kernel, const CallSite &site, std::string title, std::string advice,
           std::uint64_t amount, double seconds) {
    if (seconds < kLeastGain)
      return;
    Finding finding;
    finding.rule = rule;
    finding.title = std::move(title);
    finding.advice = std::move(advice);
    finding.kernel = std::move(kernel);
    finding.file = site.file;
    finding.line = site.line;
    finding.path = site.path;
    finding.amount = amount;
    finding.share = partOf(amount, launches_.size());
    finding.seconds = seconds;
    findings_.push_back(std::move(finding));
  }

  /// On the device, with tracing; the CPU device's times say nothing of a GPU's.
  std::optional<double> secondsOf(const LaunchInfo &launch) const { return seconds_.at(launch.launch.order); }

  void small() {
    struct Launches {
      std::uint64_t few = 0, brief = 0, all = 0, mostBlocks = 0;
    };
    std::map<std::pair<std::string, CallSite>, Launches> places;
    for (const LaunchInfo *launch : launches_) {
      if (launch->launch.place.graph != 0)
        continue;
      model_.limit().spend(kStepsPerLaunch, [] { return std::string("what is found of launches"); });
      Launches &launches = places[{launch->kernel, sites_.of(*launch)}];
      const std::uint64_t blocks = blocksOf(launch->launch);
      const bool isFew = blocks < device_.multiprocessors,
                 isBrief = secondsOf(*launch).value_or(1) < device_.launchSeconds;
      launches.few += isFew;
      launches.brief += isBrief;
      launches.all += isFew || isBrief;
      launches.mostBlocks = std::max(launches.mostBlocks, isFew ? blocks : 0);
    }
    for (const auto &[place, launches] : places) {
      if (launches.all < kLeastOfPlace)
        continue;
      const std::string what =
          launches.few != 0
              ? fmt::format("{} launches of {} leave some of the {} multiprocessors without work",
                            grouped(launches.few),
                            launches.mostBlocks == 1
                                ? std::string("one block")
                                : fmt::format("at most {} blocks", grouped(launches.mostBlocks)),
                            device_.multiprocessors)
              : fmt::format("{} launches take less time on the device than the call that makes them",
                            grouped(launches.brief));
      add(FindingRule::LaunchSmall, place.first, place.second, what,
          fmt::format(
              "Let one launch do the work of several, as by one more dimension of the grid, or a loop "
              "in the kernel; or divide it among more and smaller blocks, {} or more; or launch what "
              "does not depend on each other in several streams.",
              device_.multiprocessors),
          launches.all, static_cast<double>(launches.all) * device_.launchSeconds);
    }
  }

  void graphs() {
    findShort();
    collect();
    struct Found {
      std::uint64_t turns = 0, launches = 0;
      double seconds = 0;
      Steps turn;
    };
    std::map<Steps, Found> turns; // by what a turn is, wherever it begins
    for (const auto &[stream, steps] : streams_) {
      model_.limit().spend(kStepsPerNumber * kLongestTurn * steps.size(),
                           [] { return std::string("sequences of launches"); });
      for (const RepeatedSequence &repeated : repeatedSequences(steps, kLongestTurn, kLeastTurns)) {
        const Steps turn = fromWait(std::span(steps).subspan(repeated.first, repeated.length));
        const auto [launches, seconds] = gainOf(turn);
        Found &found = turns[least(turn)];
        found.turn = turn;
        found.turns += repeated.turns;
        found.launches += repeated.turns * launches;
        found.seconds += static_cast<double>(repeated.turns) * seconds;
      }
    }
    for (const auto &[key, found] : turns) {
      const auto first =
          std::ranges::find_if(found.turn, [&](std::uint32_t step) { return steps_[step].launch; });
      if (first == found.turn.end())
        continue;
      const Step &step = steps_[*first];
      const std::size_t launches = launchesOf(found.turn.begin(), found.turn.end());
      add(FindingRule::LaunchesAsGraph, step.launch->kernel, step.site,
          fmt::format(
              "The launch{} of {} {} repeated {} times{}{}", launches == 1 ? "" : "es", kernelsOf(found.turn),
              launches == 1 ? "is" : "are", grouped(found.turns), launches == 1 ? "" : " in the same order",
              std::ranges::find(found.turn, kWait) == found.turn.end() ? ", one behind the other" : ""),
          "Capture it once as a CUDA graph (cudaStreamBeginCapture, cudaGraphInstantiate), and launch that "
          "for each turn, or for several turns at once: what a kernel takes to be launched is prepared then. "
          "Arguments that differ from turn to turn go through memory, or cudaGraphExecKernelNodeSetParams.",
          found.launches, found.seconds);
    }
  }

  using Shape = std::tuple<std::string, std::uint64_t, std::uint64_t>; // kernel, blocks, threads
  static Shape shapeOf(const LaunchInfo &launch) {
    return {launch.kernel, blocksOf(launch.launch), threadsOf(launch.launch)};
  }

  /// Of launches of a kernel that are alike, whether they are so short that their calls matter.
  void findShort() {
    struct Times {
      std::uint64_t count = 0;
      double seconds = 0;
      bool isKnown = true;
    };
    std::map<Shape, Times> shapes;
    for (const LaunchInfo *launch : launches_) {
      Times &times = shapes[shapeOf(*launch)];
      const std::optional<double> seconds = secondsOf(*launch);
      times.isKnown = times.isKnown && seconds;
      times.seconds += seconds.value_or(0);
      ++times.count;
    }
    for (const auto &[shape, times] : shapes)
      isShort_[shape] = times.isKnown ? times.seconds <= kMostForGraph * static_cast<double>(times.count)
                                      : std::get<2>(shape) <= device_.threads();
  }

  /// What each stream does, in the order of the host's calls.
  void collect() {
    steps_.emplace_back(); // the wait
    std::vector<std::pair<std::uint64_t, const trace::Synchronisation *>> waits;
    for (const trace::Synchronisation &call : model_.synchronisations())
      if (call.kind == trace::SynchronisationKind::Device ||
          call.kind == trace::SynchronisationKind::Stream || call.kind == trace::SynchronisationKind::Event)
        waits.emplace_back(call.order, &call);
    std::ranges::sort(waits, {}, [](const auto &wait) { return wait.first; });
    auto wait = waits.begin();
    const auto waitsBefore = [&](std::uint64_t order) {
      for (; wait != waits.end() && wait->first < order; ++wait)
        if (wait->second->kind == trace::SynchronisationKind::Stream)
          addWait(streams_[wait->second->stream]);
        else
          allWait();
    };
    for (const Event &event : model_.events()) {
      if (const auto *launched = std::get_if<LaunchEvent>(&event)) {
        const LaunchInfo &launch = model_.launches()[launched->index];
        if (launch.phase != 0)
          continue;
        waitsBefore(launch.launch.order);
        addLaunch(launch);
      } else if (const auto *copied = std::get_if<CopyEvent>(&event)) {
        const trace::Copy &copy = model_.copies()[copied->index];
        waitsBefore(copy.order);
        if (copy.place.graph == 0 && !copy.asynchronous && copy.kind != trace::CopyKind::DeviceToDevice)
          allWait();
        else
          addOther(copy.stream, copy.order, copy.place.graph != 0,
                   fmt::format("{} {}", static_cast<int>(copy.kind), copy.rowBytes * copy.rows));
      } else if (const auto *set = std::get_if<SetEvent>(&event)) {
        const trace::Set &of = model_.sets()[set->index];
        waitsBefore(of.order);
        addOther(of.stream, of.order, of.place.graph != 0, fmt::format("set {}", of.rowBytes * of.rows));
      }
    }
    waitsBefore(UINT64_MAX);
  }

  void addLaunch(const LaunchInfo &launch) {
    model_.limit().spend(kStepsPerLaunch, [] { return std::string("sequences of launches"); });
    const bool isOne = launch.launch.place.graph == 0 && isShort_.at(shapeOf(launch));
    const trace::Dim3 &grid = launch.launch.grid, &block = launch.launch.block;
    addStep(launch.launch.stream, isOne, {&launch, sites_.of(launch)},
            fmt::format("{} {} {} {} {} {} {} {}", launch.kernel, grid.x, grid.y, grid.z, block.x, block.y,
                        block.z, launch.launch.dynamicShared));
  }
  void addOther(std::uint64_t stream, std::uint64_t order, bool isOfGraph, const std::string &what) {
    addStep(stream, !isOfGraph, {nullptr, sites_.of(order)}, what);
  }
  /// What is not to be in a graph is a step of its own, which nothing repeats.
  void addStep(std::uint64_t stream, bool isOne, Step step, const std::string &what) {
    auto number = static_cast<std::uint32_t>(steps_.size());
    const auto [known, isNew] =
        isOne ? numbers_.try_emplace({what, step.site}, number) : std::pair(numbers_.end(), true);
    if (isNew) {
      model_.limit().keep(kBytesPerLaunch + what.size() + 2 * step.site.path.size(),
                          [] { return std::string("sequences of launches"); });
      steps_.push_back(std::move(step));
    } else {
      number = known->second;
    }
    model_.limit().keep(kBytesPerStep, [] { return std::string("sequences of launches"); });
    streams_[stream].push_back(number);
  }
  static void addWait(Steps &steps) {
    if (!steps.empty() && steps.back() != kWait)
      steps.push_back(kWait);
  }
  void allWait() {
    for (auto &[stream, steps] : streams_)
      addWait(steps);
  }

  /// A turn that begins behind a wait, if there is one.
  static Steps fromWait(std::span<const std::uint32_t> turn) {
    Steps steps(turn.begin(), turn.end());
    if (const auto wait = std::ranges::find(steps, kWait); wait != steps.end())
      std::ranges::rotate(steps, std::next(wait));
    return steps;
  }
  /// The same for all turns that are alike but for where they begin.
  static Steps least(const Steps &turn) {
    Steps best = turn, next = turn;
    for (std::size_t i = 1; i < turn.size(); ++i) {
      std::ranges::rotate(next, std::next(next.begin()));
      best = std::min(best, next);
    }
    return best;
  }

  std::size_t launchesOf(Steps::const_iterator first, Steps::const_iterator last) const {
    return static_cast<std::size_t>(
        std::count_if(first, last, [&](std::uint32_t step) { return steps_[step].launch; }));
  }

  /// Of one turn: launches that graphs would hold, and seconds.
  std::pair<std::uint64_t, double> gainOf(const Steps &turn) const {
    const auto spared = [&](std::size_t launches) {
      return static_cast<double>(launches) * (device_.launchSeconds - device_.graphNodeSeconds);
    };
    if (std::ranges::find(turn, kWait) == turn.end()) {
      // A graph holds several turns.
      const std::size_t launches = launchesOf(turn.begin(), turn.end());
      const double graphs = static_cast<double>(launches) / static_cast<double>(std::max(kInGraph, launches));
      return {launches, spared(launches) - graphs * device_.graphSeconds};
    }
    std::uint64_t all = 0;
    double seconds = 0;
    for (auto first = turn.begin(); first != turn.end();) {
      const auto last = std::find(first, turn.end(), kWait);
      if (const std::size_t launches = launchesOf(first, last);
          launches >= kLeastInGraph && spared(launches) > device_.graphSeconds) {
        all += launches;
        seconds += spared(launches) - device_.graphSeconds;
      }
      first = last == turn.end() ? last : std::next(last);
    }
    return {all, seconds};
  }

  /// "a(int*), b(int*) and 3 more".
  std::string kernelsOf(const Steps &turn) const {
    constexpr std::size_t kMostNames = 3;
    std::string text;
    std::size_t count = 0;
    for (const std::uint32_t step : turn)
      if (steps_[step].launch && count++ < kMostNames)
        text += (text.empty() ? "" : ", ") + steps_[step].launch->kernel;
    return count > kMostNames ? text + fmt::format(" and {} more", count - kMostNames) : text;
  }

  const Model &model_;
  CallSites &sites_;
  const DeviceFigures device_;
  std::vector<const LaunchInfo *> launches_;               ///< of the program
  std::map<std::uint64_t, std::optional<double>> seconds_; ///< by order
  std::map<Shape, bool> isShort_;
  std::vector<Step> steps_; ///< by number
  std::map<std::pair<std::string, CallSite>, std::uint32_t> numbers_;
  std::map<std::uint64_t, Steps> streams_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> launchFindings(const Model &model, CallSites &sites) {
  return LaunchRules(model, sites).run();
}

} // namespace cupr::analysis
