/// What threads of a host may have done, to try what writes and reads it with.
#ifndef CUPR_TEST_TRACE_RANDOM_BATCHES_H
#define CUPR_TEST_TRACE_RANDOM_BATCHES_H

#include "hostlib/trace/host_batch.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace cupr::trace {

/// Batches of any numbers that keep the rules, the ones at the edges of their range often.
class RandomBatches {
public:
  explicit RandomBatches(unsigned seed) : random_(seed) {}

  HostBatch next() {
    HostBatch batch;
    for (std::uint64_t i = below(4); i > 0; --i)
      batch.names.push_back(text());
    for (std::uint64_t i = below(4); i > 0; --i)
      batch.objects.push_back({text(), text()});
    for (std::uint64_t i = below(4); i > 0; --i)
      batch.threads.push_back({number(), text()});
    HostCounts all = counts_;
    all += batch;
    for (std::uint64_t i = below(40); i > 0; --i, ++all.nodes) {
      const auto kind = static_cast<HostNodeKind>(below(kHostNodeKinds));
      batch.nodes.push_back({kind == HostNodeKind::Cut ? kNoHostIndex : indexOrNone(all.nodes),
                             indexOrNone(all.objects), number(), kind});
    }
    if (all.names != 0 && all.threads != 0)
      for (std::uint64_t i = below(40); i > 0; --i, ++all.calls) {
        const std::uint64_t began = number();
        const std::uint64_t took = std::min(number(), std::numeric_limits<std::uint64_t>::max() - began);
        batch.calls.push_back(
            {index(all.names), index(all.threads), indexOrNone(all.nodes), began, began + took});
      }
    if (all.calls != 0)
      for (std::uint64_t i = below(40); i > 0; --i)
        batch.acts.push_back({number(), below(all.calls)});
    if (all.threads != 0)
      for (std::uint64_t i = below(40); i > 0; --i)
        batch.samples.push_back({number(), index(all.threads), indexOrNone(all.nodes), number()});
    for (std::uint64_t i = below(3); i > 0; --i)
      batch.samplings.push_back({text(), number(), number(), number()});
    if (all.objects != 0)
      for (std::uint64_t i = below(20); i > 0; --i) {
        HostPlace &place = batch.places.emplace_back(HostPlace{index(all.objects), number(), {}});
        for (std::uint64_t frame = below(4); frame > 0; --frame)
          place.frames.push_back(
              {text(), text(), static_cast<std::uint32_t>(number()), static_cast<std::uint32_t>(number())});
      }
    for (std::uint64_t i = below(20); i > 0; --i) {
      const auto line = 1 + index(1000), column = index(100);
      batch.loops.push_back({text(),
                             below(2) == 0,
                             {static_cast<abi::LoopKind>(below(abi::kLoopKinds)),
                              {line, column},
                              {line + index(20), column + index(100)}}});
    }
    for (std::uint64_t i = below(4); i > 0; --i)
      batch.failures.push_back(
          {text(), text(), text(), indexOrNone(all.nodes), std::max<std::uint64_t>(number(), 1)});
    if (all.threads != 0)
      for (std::uint64_t i = below(20); i > 0; --i) {
        HostAccess access;
        access.address = number() >> 1;
        access.bytes = std::max<std::uint64_t>(number() >> 3, 1);
        access.elements = 1 + below(1000);
        access.stride = access.elements == 1 ? 0 : 1 + (number() >> 16);
        access.times = access.elements + below(3);
        access.after = number();
        access.since = below(access.after / 2 + 1);
        access.thread = index(all.threads);
        access.node = indexOrNone(all.nodes);
        access.place = number();
        access.writes = below(2) == 0;
        access.isStrong = below(2) == 0;
        batch.accesses.push_back(access);
      }
    counts_ += batch;
    return batch;
  }

private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  std::uint32_t index(std::uint64_t end) { return static_cast<std::uint32_t>(below(end)); }
  std::uint32_t indexOrNone(std::uint64_t end) {
    return end == 0 || below(4) == 0 ? kNoHostIndex : index(end);
  }
  std::uint64_t number() {
    const std::uint64_t bits = below(65);
    return bits == 0 ? 0 : bits == 64 ? ~below(2) : random_() >> (64 - bits);
  }
  std::string text() { return std::string(below(3) == 0 ? 0 : below(20), static_cast<char>('a' + below(3))); }

  std::mt19937_64 random_;
  HostCounts counts_;
};

} // namespace cupr::trace

#endif
