#include "act_batch.h"

#include "frame.h"

#include <algorithm>
#include <limits>
#include <span>

namespace cupr::trace {

namespace {

std::size_t textBytes(const Launch &launch) {
  return launch.kernel.size() + launch.mangled.size() + launch.reason.size() + launch.file.size() +
         (launch.place.graph == 0 ? 0 : ActBatch::Node{launch.place.node, launch.place.after}.bytes());
}

std::size_t textBytes(const Allocation &allocation) {
  return allocation.call.size() + allocation.name.size() + allocation.type.size() + allocation.file.size();
}

std::optional<std::uint32_t> step(std::uint64_t from, std::uint64_t to) {
  if (to < from || to - from > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return static_cast<std::uint32_t>(to - from);
}

} // namespace

Launch ActBatch::whole(const Launch &launch) const {
  const Kernel &kernel = kernels[launch.kernel];
  const Stream &stream = streams[launch.stream];
  trace::Launch out;
  out.id = idOf(launch);
  out.order = firstOrder + launch.order;
  out.kernel = kernel.kernel;
  out.mangled = kernel.mangled;
  out.grid = launch.grid;
  out.block = launch.block;
  out.dynamicShared = launch.dynamicShared;
  out.stream = stream.id;
  out.streamKind = stream.kind;
  out.device = stream.device;
  out.module = kernel.module;
  out.reason = kernel.reason;
  out.file = kernel.file;
  out.line = kernel.line;
  out.time = launch.time;
  if (launch.graph != 0) {
    const Node &node = nodes[launch.node];
    out.place = {firstGraph + launch.graph - 1, node.node, node.after};
  }
  return out;
}

Allocation ActBatch::whole(const Allocation &allocation) const {
  const Place place = allocation.place == 0 ? Place() : allocationPlaces[allocation.place - 1u];
  return {allocation.address, allocation.bytes,
          allocation.kind,    calls[allocation.call],
          place.name,         firstOrder + allocation.order,
          allocation.time,    place.type,
          place.file,         place.line,
          place.column};
}

Free ActBatch::whole(const Free &free) const {
  return {free.address, calls[free.call], firstOrder + free.order, free.time};
}

bool ActGather::takes(const Launch &launch) {
  return !launch.traced && launch.clusterX == 0 && textBytes(launch) <= kMaxBatchText / 8;
}

bool ActGather::takes(const Allocation &allocation) {
  return (allocation.name.empty() || allocation.line != 0) && textBytes(allocation) <= kMaxBatchText / 8;
}

const ActBatch &ActGather::take() {
  isTaken_ = true;
  return batch_;
}

/// Whether an act of this order, with so much text, fits; begins a batch if there is none.
bool ActGather::begin(std::uint64_t order, std::size_t text) {
  if (isTaken_) { // its memory is used again
    batch_.kernels.clear();
    batch_.streams.clear();
    batch_.nodes.clear();
    batch_.calls.clear();
    batch_.launches.clear();
    batch_.allocations.clear();
    batch_.frees.clear();
    batch_.allocationPlaces.clear();
    allocationPlaces_.clear();
    kernels_.clear();
    streams_.clear();
    nodes_.clear();
    batch_.firstGraph = 0;
    text_ = 0;
    isTaken_ = false;
  }
  if (batch_.acts() == 0)
    batch_.firstOrder = latest_ = order;
  // Acts of one order stand in the file as they came, which a batch does not keep.
  else if (batch_.acts() == kMaxBatchActs || text_ + text > kMaxBatchText || !stepTo(order) ||
           (order <= latest_ && holds(order)))
    return false;
  latest_ = std::max(latest_, order);
  return true;
}

bool ActGather::holds(std::uint64_t order) const {
  const auto is = [&](const auto &act) { return batch_.firstOrder + act.order == order; };
  return std::ranges::any_of(batch_.launches, is) || std::ranges::any_of(batch_.allocations, is) ||
         std::ranges::any_of(batch_.frees, is);
}

std::optional<std::uint32_t> ActGather::stepTo(std::uint64_t order) const {
  return step(batch_.firstOrder, order);
}

std::uint16_t ActGather::kernelOf(const Launch &launch) {
  const std::string &name = launch.mangled.empty() ? launch.kernel : launch.mangled;
  const std::uint64_t hash = hashOf(std::as_bytes(std::span(name))) + launch.line;
  const auto [first, last] = kernels_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const ActBatch::Kernel &kernel = batch_.kernels[known->second];
    if (kernel.line == launch.line && kernel.module == launch.module && kernel.reason == launch.reason &&
        kernel.file == launch.file && kernel.mangled == launch.mangled && kernel.kernel == launch.kernel)
      return known->second;
  }
  const auto index = static_cast<std::uint16_t>(batch_.kernels.size());
  batch_.kernels.push_back(
      {launch.kernel, launch.mangled, launch.reason, launch.file, launch.line, launch.module});
  kernels_.emplace(hash, index);
  return index;
}

std::uint16_t ActGather::streamOf(const Launch &launch) {
  const ActBatch::Stream stream{launch.stream, launch.streamKind, launch.device};
  const auto [first, last] = streams_.equal_range(launch.stream);
  for (auto known = first; known != last; ++known)
    if (batch_.streams[known->second] == stream)
      return known->second;
  const auto index = static_cast<std::uint16_t>(batch_.streams.size());
  batch_.streams.push_back(stream);
  streams_.emplace(launch.stream, index);
  return index;
}

/// There are few.
std::uint16_t ActGather::callOf(const std::string &call) {
  const auto known = std::ranges::find(batch_.calls, call);
  const auto index = static_cast<std::uint16_t>(known - batch_.calls.begin());
  if (known == batch_.calls.end())
    batch_.calls.push_back(call);
  return index;
}

/// 0: nothing is known of it.
std::uint16_t ActGather::placeOf(const ActBatch::Place &place) {
  if (place == ActBatch::Place())
    return 0;
  const std::uint64_t hash = hashOf(std::as_bytes(std::span(place.name))) + place.line;
  const auto [first, last] = allocationPlaces_.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (batch_.allocationPlaces[known->second - 1u] == place)
      return known->second;
  batch_.allocationPlaces.push_back(place);
  const auto number = static_cast<std::uint16_t>(batch_.allocationPlaces.size());
  allocationPlaces_.emplace(hash, number);
  return number;
}

std::uint16_t ActGather::nodeOf(const GraphPlace &place) {
  const auto [first, last] = nodes_.equal_range(place.node);
  for (auto known = first; known != last; ++known)
    if (batch_.nodes[known->second].after == place.after)
      return known->second;
  const auto index = static_cast<std::uint16_t>(batch_.nodes.size());
  batch_.nodes.push_back({place.node, place.after});
  nodes_.emplace(place.node, index);
  return index;
}

bool ActGather::add(const Launch &launch) {
  const std::size_t text = textBytes(launch);
  const auto id = static_cast<std::uint64_t>(launch.id);
  if (!begin(launch.order, text))
    return false;
  if (batch_.launches.empty())
    batch_.firstLaunch = id;
  const auto number = step(batch_.firstLaunch, id);
  if (!number || (!batch_.launches.empty() && *number <= batch_.launches.back().number))
    return false;
  std::uint32_t graph = 0;
  std::uint16_t node = 0;
  if (launch.place.graph != 0) {
    const std::uint64_t first = batch_.firstGraph == 0 ? launch.place.graph : batch_.firstGraph;
    const auto beyond = step(first, launch.place.graph);
    if (!beyond || *beyond == std::numeric_limits<std::uint32_t>::max())
      return false;
    batch_.firstGraph = first;
    graph = *beyond + 1;
    node = nodeOf(launch.place);
  }
  batch_.launches.push_back({*number, *stepTo(launch.order), launch.time, kernelOf(launch), streamOf(launch),
                             launch.dynamicShared, launch.grid, launch.block, graph, node});
  text_ += text;
  return true;
}

bool ActGather::add(const Allocation &allocation) {
  const std::size_t text = textBytes(allocation);
  if (!begin(allocation.order, text))
    return false;
  const ActBatch::Place place{allocation.name, allocation.type, allocation.file, allocation.line,
                              allocation.column};
  batch_.allocations.push_back({allocation.address, allocation.bytes, *stepTo(allocation.order),
                                allocation.kind, callOf(allocation.call), allocation.time, placeOf(place)});
  text_ += text;
  return true;
}

bool ActGather::add(const Free &free) {
  if (!begin(free.order, free.call.size()))
    return false;
  batch_.frees.push_back({free.address, free.time, *stepTo(free.order), callOf(free.call)});
  text_ += free.call.size();
  return true;
}

} // namespace cupr::trace
