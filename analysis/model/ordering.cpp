/// Goes through the host's calls once.
#include "ordering.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace cupr::analysis {

namespace {

void join(std::vector<std::uint32_t> &clock, const std::vector<std::uint32_t> &other) {
  if (clock.size() < other.size())
    clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

constexpr std::size_t kMostBranches = 64;

/// Where one end of a copy or set lies: in an allocation, or, where none is known, in what the call says.
trace::TransferMemory memoryAt(LiveAllocations &live, std::uint64_t address, bool isHost) {
  if (const AllocationInfo *info = live.find(address))
    return info->allocation.kind == trace::MemoryKind::Host      ? trace::TransferMemory::Pinned
           : info->allocation.kind == trace::MemoryKind::Managed ? trace::TransferMemory::Managed
                                                                 : trace::TransferMemory::Device;
  return isHost ? trace::TransferMemory::Pageable : trace::TransferMemory::Device;
}

trace::HostWait hostWaitOf(LiveAllocations &live, const trace::Copy &copy) {
  using enum trace::CopyKind;
  const bool fromHost = copy.kind == HostToHost || copy.kind == HostToDevice;
  const bool toHost = copy.kind == HostToHost || copy.kind == DeviceToHost;
  return trace::hostWait(copy.asynchronous ? trace::TransferCall::CopyAsync : trace::TransferCall::Copy,
                         memoryAt(live, copy.source, fromHost), memoryAt(live, copy.destination, toHost));
}

trace::HostWait hostWaitOf(LiveAllocations &live, const trace::Set &set) {
  return trace::hostWait(set.asynchronous ? trace::TransferCall::SetAsync : trace::TransferCall::Set,
                         trace::TransferMemory::Any, memoryAt(live, set.destination, false));
}

std::uint64_t orderOf(const Model &model, const LaunchEvent &event) {
  return model.launches()[event.index].launch.order;
}
std::uint64_t orderOf(const Model &model, const CopyEvent &event) {
  return model.copies()[event.index].order;
}
std::uint64_t orderOf(const Model &model, const SetEvent &event) { return model.sets()[event.index].order; }

bool isLegacy(trace::StreamKind kind) {
  return kind == trace::StreamKind::Legacy || kind == trace::StreamKind::Unknown;
}

/// Whether the acts of two streams wait for each other.
bool meet(trace::StreamKind a, trace::StreamKind b) {
  if (a == trace::StreamKind::Unknown || b == trace::StreamKind::Unknown)
    return true;
  return a != trace::StreamKind::NonBlocking && b != trace::StreamKind::NonBlocking &&
         (isLegacy(a) || isLegacy(b));
}

} // namespace

Ordering::Ordering(const Model &model) : model_(&model), live_(model) { extend(); }

bool Ordering::extend() {
  const std::vector<Event> &events = model_->events();
  supersteps_.resize(model_->launches().size());
  streamSupersteps_.resize(model_->launches().size());
  actOfEvent_.reserve(events.size());
  std::optional<bool> hadWaited;
  while (actOfEvent_.size() < events.size())
    actOfEvent_.push_back(std::visit(
        [&](const auto &event) {
          if constexpr (requires { orderOf(*model_, event); }) {
            order_ = orderOf(*model_, event);
            synchroniseUntil(order_);
            if (!hadWaited)
              hadWaited = hasHostWaitedForAll();
          }
          return put(event);
        },
        events[actOfEvent_.size()]));
  synchroniseUntil(UINT64_MAX);
  return hadWaited.value_or(false);
}

void Ordering::synchroniseUntil(std::uint64_t order) {
  const std::vector<trace::Synchronisation> &all = model_->synchronisations();
  for (; nextSynchronisation_ < all.size() && all[nextSynchronisation_].order < order; ++nextSynchronisation_)
    apply(all[nextSynchronisation_]);
}

bool Ordering::hasHostWaitedForAll() const {
  for (std::size_t stream = 0; stream < streams_.size(); ++stream)
    if (streams_[stream].acts > (stream < host_.size() ? host_[stream] : 0))
      return false;
  return true;
}

Act Ordering::put(const LaunchEvent &event) {
  const trace::Launch &launch = model_->launches()[event.index].launch;
  streamSupersteps_[event.index] = launchesOf_[launch.stream]++;
  return add(launch.stream, launch.streamKind, static_cast<LaunchIndex>(event.index),
             trace::HostWait::Nothing, launch.place);
}

Act Ordering::put(const CopyEvent &event) {
  const trace::Copy &copy = model_->copies()[event.index];
  return add(copy.stream, copy.streamKind, kHost, hostWaitOf(live_, copy), copy.place);
}

Act Ordering::put(const SetEvent &event) {
  const trace::Set &set = model_->sets()[event.index];
  return add(set.stream, set.streamKind, kHost, hostWaitOf(live_, set), set.place);
}

std::uint32_t Ordering::streamOf(std::uint64_t stream, trace::StreamKind kind) {
  const auto [found, fresh] = byNumber_.emplace(stream, static_cast<std::uint32_t>(streams_.size()));
  if (fresh)
    streams_.push_back({kind, {}, 0, nullptr, {0}, {}, {}});
  return found->second;
}

/// What an act put into the stream now waits for.
void Ordering::enter(std::uint32_t index) {
  Stream &stream = streams_[index];
  Clock clock = stream.clock;
  join(clock, host_);
  spend(clock.size() + host_.size());
  for (std::size_t kind = 0; kind < byKind_.size(); ++kind)
    if (meet(stream.kind, static_cast<trace::StreamKind>(kind))) {
      spend(byKind_[kind].size());
      join(clock, byKind_[kind]);
    }
  if (index < clock.size())
    clock[index] = index < stream.clock.size() ? stream.clock[index] : 0;
  if (clock != stream.clock) {
    keep(clock.size() - stream.clock.size());
    stream.clock = std::move(clock);
    stream.shared = nullptr;
    publish(index);
  }
}

/// The stream's clock has gone on.
void Ordering::publish(std::uint32_t index) {
  Clock &sum = byKind_[static_cast<std::size_t>(streams_[index].kind)];
  spend(streams_[index].clock.size());
  join(sum, streams_[index].clock);
}

/// All that is done when so many acts of the stream are.
void Ordering::joinStream(Clock &clock, std::uint32_t index, std::uint32_t acts) const {
  join(clock, streams_[index].clock);
  if (acts == 0)
    return;
  if (clock.size() <= index)
    clock.resize(index + 1);
  clock[index] = std::max(clock[index], acts);
}

/// The host's clock has gone on.
void Ordering::hostHasWaited(std::uint64_t order) {
  ++waits_;
  waitOrders_.push_back(order);
  spend(host_.size());
  waitedAt_.resize(host_.size());
  for (std::size_t stream = 0; stream < host_.size(); ++stream) {
    std::vector<std::uint32_t> &waited = waitedAt_[stream];
    assert(waited.size() <= host_[stream]);
    keep(host_[stream] - waited.size());
    waited.resize(host_[stream], waits_);
  }
}

/// Before clocks take room for so many numbers more.
void Ordering::keep(std::uint64_t numbers) const {
  model_->limit().keep(sizeof(Clock::value_type) * numbers,
                       [] { return std::string("ordering its streams"); });
}

/// Before so many numbers of clocks are looked at.
void Ordering::spend(std::uint64_t numbers) const {
  model_->limit().spend(4 + 2 * numbers, [] { return std::string("ordering its streams"); });
}

Act Ordering::add(std::uint64_t number, trace::StreamKind kind, LaunchIndex launch, trace::HostWait hostWait,
                  const trace::GraphPlace &where) {
  const std::uint32_t index = streamOf(number, kind);
  if (where.graph != 0)
    return addToGraph(index, launch, where);
  enter(index);
  Stream &stream = streams_[index];
  // Acts that follow each other share it.
  if (!stream.shared) {
    keep(16 + stream.clock.size());
    stream.shared = std::make_shared<const Clock>(stream.clock);
  }
  const Act act = place(index, launch, stream.shared);
  done(byKind_[static_cast<std::size_t>(stream.kind)], act);
  if (hostWait == trace::HostWait::Before)
    joinStream(host_, index, stream.acts - 1);
  else if (hostWait == trace::HostWait::All)
    joinStream(host_, index, stream.acts);
  if (hostWait != trace::HostWait::Nothing)
    hostHasWaited(order_);
  return act;
}

/// The next act of a stream.
Act Ordering::place(std::uint32_t stream, LaunchIndex launch, std::shared_ptr<const Clock> clock) {
  spend(clock->size());
  const Placed act{launch, stream, ++streams_[stream].acts, waits_, std::move(clock)};
  std::uint32_t depth = depthBefore(act);
  if (launch != kHost) {
    supersteps_[launch] = depth++;
    superstepCount_ = std::max(superstepCount_, depth);
  }
  streams_[stream].deepest.push_back(depth);
  acts_.push_back(act);
  orders_.push_back(order_);
  return static_cast<Act>(acts_.size() - 1);
}

/// Notes in a clock that an act is done.
void Ordering::done(Clock &clock, Act act) const {
  const Placed &placed = this->placed(act);
  if (clock.size() <= placed.stream)
    clock.resize(placed.stream + 1);
  clock[placed.stream] = std::max(clock[placed.stream], placed.number);
}

/// The acts of its graph that an act waits for.
std::vector<Act> Ordering::awaitedBy(const GraphLaunch &graph, const trace::GraphPlace &where) {
  std::vector<Act> awaited;
  for (const std::uint32_t node : where.after) {
    if (const auto known = graph.lastOfNode.find(node); known != graph.lastOfNode.end())
      awaited.push_back(known->second);
    else
      for (const auto &[branch, last] : graph.lastOfBranch)
        awaited.push_back(last);
  }
  // A node's own acts come one after the other.
  if (const auto known = graph.lastOfNode.find(where.node); known != graph.lastOfNode.end())
    awaited.push_back(known->second);
  return awaited;
}

Act Ordering::addToGraph(std::uint32_t index, LaunchIndex launch, const trace::GraphPlace &where) {
  if (streams_[index].graph.number != where.graph) {
    enter(index);
    Clock start;
    joinStream(start, index, streams_[index].acts);
    keep(16 + start.size());
    streams_[index].graph = {where.graph, std::make_shared<const Clock>(std::move(start)), {}, {}};
  }
  std::vector<Act> awaited = awaitedBy(streams_[index].graph, where);
  const std::uint32_t branch = branchBehind(index, awaited);
  std::shared_ptr<const Clock> clock = streams_[index].graph.start;
  if (!awaited.empty()) {
    Clock joined = *clock;
    keep(16 + joined.size());
    for (const Act act : awaited) {
      spend(placed(act).clock->size());
      join(joined, *placed(act).clock);
      done(joined, act);
    }
    clock = std::make_shared<const Clock>(std::move(joined));
  }
  const Act act = place(branch, launch, std::move(clock));
  Stream &stream = streams_[index];
  stream.graph.lastOfNode[where.node] = act;
  stream.graph.lastOfBranch[branch] = act;
  join(stream.clock, *placed(act).clock);
  if (branch != index)
    done(stream.clock, act);
  done(byKind_[static_cast<std::size_t>(stream.kind)], act);
  stream.shared = nullptr;
  publish(index);
  return act;
}

/// A stream for an act of a graph: one whose last act is awaited, or that has none of this graph. Where there
/// are too many, the last act of one is awaited, too.
std::uint32_t Ordering::branchBehind(std::uint32_t index, std::vector<Act> &awaited) {
  const GraphLaunch &graph = streams_[index].graph;
  for (const Act act : awaited)
    if (graph.lastOfBranch.at(placed(act).stream) == act)
      return placed(act).stream;
  std::vector<std::uint32_t> &branches = streams_[index].branches;
  if (!graph.lastOfBranch.contains(index))
    return index;
  for (const std::uint32_t branch : branches)
    if (!graph.lastOfBranch.contains(branch))
      return branch;
  if (branches.size() == kMostBranches) {
    const std::uint32_t branch = branches[acts_.size() % kMostBranches];
    awaited.push_back(graph.lastOfBranch.at(branch));
    return branch;
  }
  branches.push_back(static_cast<std::uint32_t>(streams_.size()));
  const std::uint32_t branch = branches.back();
  streams_.push_back({trace::StreamKind::NonBlocking, {}, 0, nullptr, {0}, {}, {}});
  return branch;
}

std::uint32_t Ordering::depthBefore(const Placed &act) const {
  std::uint32_t depth = streams_[act.stream].deepest[act.number - 1];
  for (std::uint32_t i = 0; i < act.clock->size(); ++i)
    if (i != act.stream)
      depth = std::max(depth, streams_[i].deepest[(*act.clock)[i]]);
  return depth;
}

bool Ordering::hadHostWaitedFor(Act act, std::uint64_t order) const {
  const Placed &a = placed(act);
  if (a.stream >= waitedAt_.size() || a.number > waitedAt_[a.stream].size())
    return false;
  const std::uint32_t wait = waitedAt_[a.stream][a.number - 1];
  return wait == 0 || waitOrders_[wait - 1] <= order;
}

void Ordering::apply(const trace::Synchronisation &call) {
  using enum trace::Synchronisation::Kind;
  switch (call.kind) {
  case Device:
    for (const Clock &clock : byKind_) {
      spend(clock.size());
      join(host_, clock);
    }
    hostHasWaited(call.order);
    break;
  case Stream: {
    const std::uint32_t index = streamOf(call.stream, call.streamKind);
    enter(index);
    joinStream(host_, index, streams_[index].acts);
    hostHasWaited(call.order);
    break;
  }
  case Event:
    if (const auto found = events_.find(call.event); found != events_.end()) {
      join(host_, found->second);
      hostHasWaited(call.order);
    }
    break;
  case EventRecord: {
    const std::uint32_t index = streamOf(call.stream, call.streamKind);
    enter(index);
    Clock now;
    joinStream(now, index, streams_[index].acts);
    Clock &event = events_[call.event];
    keep(now.size() > event.size() ? 16 + now.size() - event.size() : 0);
    event = std::move(now);
    break;
  }
  case StreamWaitEvent: {
    const std::uint32_t index = streamOf(call.stream, call.streamKind);
    enter(index);
    // An event that was never recorded is waited for at once.
    if (const auto found = events_.find(call.event); found != events_.end()) {
      keep(found->second.size());
      spend(found->second.size());
      join(streams_[index].clock, found->second);
      streams_[index].shared = nullptr;
      publish(index);
    }
    break;
  }
  }
}

} // namespace cupr::analysis
