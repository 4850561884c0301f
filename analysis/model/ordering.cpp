/// Goes through the host's calls once.
#include "ordering.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

void join(std::vector<std::uint32_t> &clock, const std::vector<std::uint32_t> &other) {
  if (clock.size() < other.size())
    clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

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

Ordering::Ordering(const Model &model) : supersteps_(model.launches().size()) {
  const std::vector<trace::Synchronisation> &synchronisations = model.synchronisations();
  std::size_t next = 0;
  const auto synchroniseUntil = [&](std::uint64_t order) {
    for (; next < synchronisations.size() && synchronisations[next].order < order; ++next)
      apply(synchronisations[next]);
  };
  struct Adder {
    Ordering &ordering;
    const Model &model;
    decltype(synchroniseUntil) &until;
    Act operator()(const LaunchEvent &event) {
      const trace::Launch &launch = model.launches()[event.index].launch;
      until(launch.order);
      return ordering.add(launch.stream, launch.streamKind, static_cast<LaunchIndex>(event.index), false);
    }
    Act operator()(const CopyEvent &event) {
      const trace::Copy &copy = model.copies()[event.index];
      until(copy.order);
      return ordering.add(copy.stream, copy.streamKind, kHost, !copy.asynchronous);
    }
    Act operator()(const SetEvent &event) {
      const trace::Set &set = model.sets()[event.index];
      until(set.order);
      return ordering.add(set.stream, set.streamKind, kHost, !set.asynchronous);
    }
    Act operator()(const AllocationEvent &) { return kNoAct; }
    Act operator()(const FreeEvent &) { return kNoAct; }
  } adder{*this, model, synchroniseUntil};
  actOfEvent_.reserve(model.events().size());
  for (const Event &event : model.events())
    actOfEvent_.push_back(std::visit(adder, event));
  streams_ = {}; // clocks are kept by the acts
  events_ = {};
}

std::uint32_t Ordering::streamOf(std::uint64_t stream, trace::StreamKind kind) {
  const auto [found, fresh] = byNumber_.emplace(stream, static_cast<std::uint32_t>(streams_.size()));
  if (fresh)
    streams_.push_back({kind, {}, 0, nullptr});
  return found->second;
}

/// What an act put into the stream now waits for.
void Ordering::enter(std::uint32_t index) {
  Stream &stream = streams_[index];
  Clock clock = stream.clock;
  join(clock, host_);
  for (const Stream &other : streams_)
    if (&other != &stream && meet(stream.kind, other.kind))
      join(clock, other.clock);
  if (clock != stream.clock) {
    stream.clock = std::move(clock);
    stream.shared = nullptr;
  }
}

Act Ordering::add(std::uint64_t number, trace::StreamKind kind, LaunchIndex launch, bool hostWaits) {
  const std::uint32_t index = streamOf(number, kind);
  enter(index);
  Stream &stream = streams_[index];
  // Its own entry is not looked at, so acts that follow each other share the rest.
  if (!stream.shared)
    stream.shared = std::make_shared<const Clock>(stream.clock);
  const Placed act{launch, index, ++stream.acts, stream.shared};
  std::uint32_t depth = depthBefore(act);
  if (launch != kHost) {
    supersteps_[launch] = depth++;
    superstepCount_ = std::max(superstepCount_, depth);
  }
  stream.deepest.push_back(depth);
  if (stream.clock.size() <= index)
    stream.clock.resize(index + 1);
  stream.clock[index] = stream.acts;
  if (hostWaits)
    join(host_, stream.clock);
  acts_.push_back(act);
  return static_cast<Act>(acts_.size() - 1);
}

std::uint32_t Ordering::depthBefore(const Placed &act) const {
  std::uint32_t depth = streams_[act.stream].deepest[act.number - 1];
  for (std::uint32_t i = 0; i < act.clock->size(); ++i)
    if (i != act.stream)
      depth = std::max(depth, streams_[i].deepest[(*act.clock)[i]]);
  return depth;
}

void Ordering::apply(const trace::Synchronisation &call) {
  using enum trace::Synchronisation::Kind;
  switch (call.kind) {
  case Device:
    for (const struct Stream &stream : streams_)
      join(host_, stream.clock);
    break;
  case Stream: {
    const std::uint32_t index = streamOf(call.stream, call.streamKind);
    enter(index);
    join(host_, streams_[index].clock);
    break;
  }
  case Event:
    if (const auto found = events_.find(call.event); found != events_.end())
      join(host_, found->second);
    break;
  case EventRecord: {
    const std::uint32_t index = streamOf(call.stream, call.streamKind);
    enter(index);
    events_[call.event] = streams_[index].clock;
    break;
  }
  case StreamWaitEvent: {
    const std::uint32_t index = streamOf(call.stream, call.streamKind);
    enter(index);
    // An event that was never recorded is waited for at once.
    if (const auto found = events_.find(call.event); found != events_.end()) {
      join(streams_[index].clock, found->second);
      streams_[index].shared = nullptr;
    }
    break;
  }
  }
}

} // namespace cupr::analysis
