#include "host_batch.h"

#include <algorithm>

namespace cupr::trace {

HostBatch &HostBatch::operator+=(const HostBatch &next) {
  const auto append = [](auto &rows, const auto &more) { rows.insert(rows.end(), more.begin(), more.end()); };
  append(names, next.names);
  append(objects, next.objects);
  append(threads, next.threads);
  append(nodes, next.nodes);
  append(calls, next.calls);
  append(acts, next.acts);
  append(samples, next.samples);
  append(samplings, next.samplings);
  append(places, next.places);
  append(loops, next.loops);
  append(failures, next.failures);
  append(accesses, next.accesses);
  return *this;
}

HostCounts &HostCounts::operator+=(const HostBatch &batch) {
  names += batch.names.size();
  objects += batch.objects.size();
  threads += batch.threads.size();
  nodes += batch.nodes.size();
  calls += batch.calls.size();
  return *this;
}

std::string brokenHostRule(const HostBatch &batch, const HostCounts &first) {
  HostCounts all = first;
  all += batch;
  if (std::max({all.names, all.objects, all.threads, all.nodes}) > kNoHostIndex)
    return "there must not be more than 2^32 - 1 names, objects, threads or nodes of the host";
  const auto isNode = [&](std::uint32_t node) { return node == kNoHostIndex || node < all.nodes; };
  for (std::uint64_t index = first.nodes; const HostNode &node : batch.nodes) {
    if (node.parent != kNoHostIndex && (node.parent >= index || node.kind == HostNodeKind::Cut))
      return "the parent of a node of the host must be an earlier one, and none where the path is cut";
    if (node.object != kNoHostIndex && node.object >= all.objects)
      return "a node of the host names an object that is not there";
    ++index;
  }
  for (const HostCall &call : batch.calls)
    if (call.name >= all.names || call.thread >= all.threads || !isNode(call.node))
      return "a call of the host names a function, thread or node that is not there";
  for (const HostAct &act : batch.acts)
    if (act.call >= all.calls)
      return "an act of the host names a call that is not there";
  for (const HostSample &sample : batch.samples)
    if (sample.thread >= all.threads || !isNode(sample.node))
      return "a sample of the host names a thread or node that is not there";
  for (const HostPlace &place : batch.places)
    if (place.object >= all.objects)
      return "a place of the host names an object that is not there";
  for (const HostFailure &failure : batch.failures)
    if (failure.count == 0 || !isNode(failure.node))
      return "a failure of the host must have happened, and name a node that is there";
  for (const HostAccess &access : batch.accesses)
    if (access.thread >= all.threads || !isNode(access.node))
      return "an access of the host names a thread or node that is not there";
  return {};
}

} // namespace cupr::trace
