/// What is ordered with what: CUDA's rules for streams, events and the host, applied to the acts of a trace.
///
/// Terms
/// - act: a launch, copy or set; it belongs to a stream. Acts are counted in the order of the host's calls.
/// - a *happens before* b: b can't start before a is done. That follows from
///   - one stream: its acts run one after the other;
///   - a graph: its launch begins when its stream gets there, its acts wait for what their nodes depend on (a
///   node that
///     the trace doesn't hold, for all before it), and the stream goes on behind all of them;
///   - the legacy default stream: its acts wait for all blocking streams, and these for it;
///   - cudaStreamWaitEvent: what was in the event's stream when the event was recorded;
///   - the host: what it has waited for (synchronisation of device, stream, event; what a copy or set makes
///     it wait for, hostlib/trace/host_wait.def) happens before all that it calls later. Host threads are
///     taken as one.
/// - superstep of a launch: the length of the longest chain of launches that happen before it, so that
/// launches
///   which nothing orders may share one.
///
/// A stream whose kind the trace doesn't tell counts as the legacy default stream: such traces are ordered by
/// the host's calls.
///
/// How: a clock says for every stream how many of its acts are done. Each stream, each event and the host
/// have one; a wait takes the maximum of two. An act keeps the clock of its start; acts of one stream share
/// it as long as nothing else was waited for. Acts of a graph that may overlap are as in streams of their
/// own, which a stream has as many of as a graph ever needed at the same time (at most 64: beyond that, acts
/// count as ordered), and which nothing else sees.
#ifndef CUPR_ANALYSIS_ORDERING_H
#define CUPR_ANALYSIS_ORDERING_H

#include "hostlib/trace/host_wait.h"
#include "live_allocations.h"
#include "model.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace cupr::analysis {

/// Place of a launch in Model::launches(), or the host.
using LaunchIndex = std::uint32_t;
inline constexpr LaunchIndex kHost = 0xffffffffu;

/// Number of an act, from 1 in the order of the host's calls; 0: none.
enum class Act : std::uint32_t {};
inline constexpr Act kNoAct{0};

class Ordering {
public:
  explicit Ordering(const Model &model);

  /// Takes the acts that a growing model has got since. Returns whether the host had waited for all before them when it went on.
  bool extend();

  /// Acts of the model's events, in their order; allocations and frees have none.
  Act actOf(std::size_t event) const { return actOfEvent_[event]; }
  std::size_t acts() const { return acts_.size() - 1; }
  /// kHost: it is a copy or a set.
  LaunchIndex launchOf(Act act) const { return placed(act).launch; }
  /// Whether `earlier` happens before `later`.
  bool before(Act earlier, Act later) const {
    assert(later != kNoAct && "nothing happens before what is none");
    const Placed &a = placed(earlier), &b = placed(later);
    if (a.stream == b.stream)
      return a.number < b.number;
    return a.stream < b.clock->size() && (*b.clock)[a.stream] >= a.number;
  }
  /// Whether the host had waited for the end of `earlier` when it called `later`: what it does in between, it
  /// does with what `earlier` has left.
  bool hostMayActBetween(Act earlier, Act later) const {
    const Placed &a = placed(earlier);
    return a.stream < waitedAt_.size() && a.number <= waitedAt_[a.stream].size() &&
           waitedAt_[a.stream][a.number - 1] <= placed(later).calledAt;
  }
  /// Whether the host has waited for the act: whatever it calls from now on comes behind it.
  bool hasHostWaitedFor(Act act) const {
    const Placed &a = placed(act);
    return a.stream < waitedAt_.size() && a.number <= waitedAt_[a.stream].size();
  }
  /// Whether it had waited for the act when its latest act, copy, set or wait had this order.
  bool hadHostWaitedFor(Act act, std::uint64_t order) const;
  /// Its place among the host's calls.
  std::uint64_t callOrderOf(Act act) const { return orders_[static_cast<std::size_t>(act)]; }
  /// All acts so far are of one.
  bool hasOneStream() const { return streams_.size() < 2; }
  /// Acts of one are ordered among themselves. Not the program's number of a stream: parts of a graph that may
  /// overlap are in several.
  std::uint32_t streamOf(Act act) const { return placed(act).stream; }
  std::uint32_t superstepOf(LaunchIndex launch) const { return supersteps_[launch]; }
  /// Launches of its stream that were called before it, as the study counts supersteps (Rieber 2017, section
  /// 4.2.2).
  std::uint32_t streamSuperstepOf(LaunchIndex launch) const { return streamSupersteps_[launch]; }
  /// 1 + the highest; 0 if there are no launches.
  std::uint32_t supersteps() const { return superstepCount_; }

private:
  using Clock = std::vector<std::uint32_t>; ///< by stream: its acts so far; what is missing is 0
  struct Placed {
    LaunchIndex launch = kHost;
    std::uint32_t stream = 0;
    std::uint32_t number = 0;           ///< in its stream, from 1
    std::uint32_t calledAt = 0;         ///< waits of the host before its call
    std::shared_ptr<const Clock> clock; ///< of other streams, when it starts
  };
  /// A launch of a graph, while its acts come.
  struct GraphLaunch {
    std::uint64_t number = 0;
    std::shared_ptr<const Clock> start;
    std::map<std::uint32_t, Act> lastOfNode;
    std::map<std::uint32_t, Act> lastOfBranch; ///< by its stream
  };
  struct Stream {
    trace::StreamKind kind;
    Clock clock; ///< without its own acts: only others have to be told of these
    std::uint32_t acts = 0;
    std::shared_ptr<const Clock> shared;      ///< `clock` as the last act keeps it
    std::vector<std::uint32_t> deepest = {0}; ///< 1 + highest superstep of the first n acts
    GraphLaunch graph;                        ///< the latest
    std::vector<std::uint32_t> branches;      ///< streams of its own for acts of graphs
  };

  const Placed &placed(Act act) const {
    assert(static_cast<std::size_t>(act) < acts_.size() && "acts are numbered by their place");
    return acts_[static_cast<std::size_t>(act)];
  }
  std::uint32_t streamOf(std::uint64_t stream, trace::StreamKind kind);
  void enter(std::uint32_t stream);
  void publish(std::uint32_t stream);
  void joinStream(Clock &clock, std::uint32_t stream, std::uint32_t acts) const;
  void hostHasWaited(std::uint64_t order);
  void keep(std::uint64_t numbers) const;
  void spend(std::uint64_t numbers) const;
  Act add(std::uint64_t stream, trace::StreamKind kind, LaunchIndex launch, trace::HostWait hostWait,
          const trace::GraphPlace &place);
  Act place(std::uint32_t stream, LaunchIndex launch, std::shared_ptr<const Clock> clock);
  void done(Clock &clock, Act act) const;
  Act addToGraph(std::uint32_t stream, LaunchIndex launch, const trace::GraphPlace &place);
  static std::vector<Act> awaitedBy(const GraphLaunch &graph, const trace::GraphPlace &where);
  std::uint32_t branchBehind(std::uint32_t stream, std::vector<Act> &awaited);
  void synchroniseUntil(std::uint64_t order);
  Act put(const LaunchEvent &event);
  Act put(const CopyEvent &event);
  Act put(const SetEvent &event);
  template <typename MemoryEvent> Act put(const MemoryEvent &event) {
    live_.apply(event);
    return kNoAct;
  }
  bool hasHostWaitedForAll() const;
  void apply(const trace::Synchronisation &synchronisation);
  std::uint32_t depthBefore(const Placed &act) const;

  const Model *model_;
  std::vector<Act> actOfEvent_;
  std::vector<Placed> acts_ = {Placed{}};
  std::vector<std::uint32_t> supersteps_, streamSupersteps_; ///< by launch
  std::uint32_t superstepCount_ = 0;
  std::uint64_t order_ = 0;                 ///< of the act that is put
  std::vector<std::uint64_t> orders_ = {0}; ///< of acts
  std::uint32_t waits_ = 0;                 ///< of the host, so far
  std::vector<std::uint64_t> waitOrders_;   ///< of these, ascending
  /// By stream and number of the act: how many of its waits it took until the host had waited for it. Acts
  /// that it never waited for are missing.
  std::vector<std::vector<std::uint32_t>> waitedAt_;

  std::vector<Stream> streams_;
  std::unordered_map<std::uint64_t, std::uint32_t> byNumber_;
  std::unordered_map<std::uint64_t, Clock> events_;
  Clock host_;
  /// Maxima of the clocks of streams of one kind, for those that meet all of them.
  std::array<Clock, 4> byKind_;
  std::size_t nextSynchronisation_ = 0; ///< of the model's
  LiveAllocations live_;
  std::unordered_map<std::uint64_t, std::uint32_t> launchesOf_; ///< by stream, so far
};

} // namespace cupr::analysis

#endif
