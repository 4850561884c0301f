#include "host_numbers.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace cupr::trace {

bool KeptNumbers::add(std::uint64_t before, std::uint64_t count) {
  if (!runs_.empty() && before < runs_.back().before + runs_.back().count)
    return false;
  if (count == 0)
    return true;
  if (!runs_.empty() && before == runs_.back().before + runs_.back().count)
    runs_.back().count += count;
  else
    runs_.push_back({before, count_, count});
  count_ += count;
  return true;
}

void KeptNumbers::takeBack(std::uint64_t count) {
  if (count == 0)
    return;
  count_ -= count;
  runs_.back().count -= count;
  if (runs_.back().count == 0)
    runs_.pop_back();
}

std::optional<std::uint64_t> KeptNumbers::of(std::uint64_t before) const {
  const auto next = std::ranges::upper_bound(runs_, before, {}, &Run::before);
  if (next == runs_.begin())
    return std::nullopt;
  const Run &run = *std::prev(next);
  return before - run.before < run.count ? std::optional(run.now + (before - run.before)) : std::nullopt;
}

HostCounts HostNumbers::counts() const {
  return {names_.count(), objects_.count(), threads_.count(), nodes_.count(), calls_.count()};
}

/// All of its kinds, or none.
bool HostNumbers::add(const HostBatch &batch, const HostCounts &first) {
  struct Kind {
    KeptNumbers &numbers;
    std::uint64_t first, count;
  };
  const Kind kinds[] = {{names_, first.names, batch.names.size()},
                        {objects_, first.objects, batch.objects.size()},
                        {threads_, first.threads, batch.threads.size()},
                        {nodes_, first.nodes, batch.nodes.size()},
                        {calls_, first.calls, batch.calls.size()}};
  for (auto kind = std::begin(kinds); kind != std::end(kinds); ++kind)
    if (!kind->numbers.add(kind->first, kind->count)) {
      while (kind != std::begin(kinds)) {
        --kind;
        kind->numbers.takeBack(kind->count);
      }
      return false;
    }
  return true;
}

/// False: something that it names is missing.
bool HostNumbers::renumber(HostBatch &batch) const {
  const auto now = [](const KeptNumbers &numbers, auto &index) {
    const std::optional<std::uint64_t> number = numbers.of(index);
    if (number)
      index = static_cast<std::remove_reference_t<decltype(index)>>(*number);
    return number.has_value();
  };
  const auto nowOrNone = [&](const KeptNumbers &numbers, std::uint32_t &index) {
    return index == kNoHostIndex || now(numbers, index);
  };
  for (HostNode &node : batch.nodes)
    if (!nowOrNone(nodes_, node.parent) || !nowOrNone(objects_, node.object))
      return false;
  for (HostCall &call : batch.calls)
    if (!now(names_, call.name) || !now(threads_, call.thread) || !nowOrNone(nodes_, call.node))
      return false;
  for (HostAct &act : batch.acts)
    if (!now(calls_, act.call))
      return false;
  for (HostSample &sample : batch.samples)
    if (!now(threads_, sample.thread) || !nowOrNone(nodes_, sample.node))
      return false;
  for (HostFailure &failure : batch.failures)
    if (!nowOrNone(nodes_, failure.node))
      return false;
  for (HostAccess &access : batch.accesses)
    if (!now(threads_, access.thread) || !nowOrNone(nodes_, access.node))
      return false;
  return std::ranges::all_of(batch.places, [&](HostPlace &place) { return now(objects_, place.object); });
}

std::string HostNumbers::keep(HostBatch &batch, const HostCounts &first) {
  if (!add(batch, first))
    return "calls of the host must not have one number twice";
  const HostCounts after = counts();
  HostCounts before = after;
  before.names -= batch.names.size();
  before.objects -= batch.objects.size();
  before.threads -= batch.threads.size();
  before.nodes -= batch.nodes.size();
  before.calls -= batch.calls.size();
  std::string broken;
  if (!renumber(batch))
    broken = "calls of the host that name what is missing";
  else
    broken = brokenHostRule(batch, before);
  if (broken.empty())
    return {};
  names_.takeBack(batch.names.size());
  objects_.takeBack(batch.objects.size());
  threads_.takeBack(batch.threads.size());
  nodes_.takeBack(batch.nodes.size());
  calls_.takeBack(batch.calls.size());
  return broken;
}

} // namespace cupr::trace
