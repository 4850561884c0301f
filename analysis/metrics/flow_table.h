/// Flows between the entities of one act and those of others. All-to-all programs have millions of them, so
/// this is a hash table with open addressing rather than a node per flow.
#ifndef CUPR_ANALYSIS_FLOW_TABLE_H
#define CUPR_ANALYSIS_FLOW_TABLE_H

#include "analysis/model/ordering.h"
#include "dependence.h"
#include "unnamed_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

struct Flow {
  DependenceClass dependence;
  Act first = kNoAct; ///< kNoAct: a free place
  std::uint32_t firstCta = 0;
  std::uint32_t cta = 0; ///< of the present act
  std::uint64_t bytes = 0, operations = 0;
};

class FlowTable {
public:
  /// Makes the flow if it isn't there.
  void add(const Flow &more) {
    if (Flow &last = waiting_[(next_ - 1) % kWaiting].flow; isSame(last, more))
      return add(last, more);
    Waiting &place = waiting_[next_++ % kWaiting];
    settle(place);
    place = {more, hashOf(more)};
    if (!places_.empty())
      __builtin_prefetch(&places_[place.hash & (places_.size() - 1)]);
  }

  template <typename Visitor> void forEach(Visitor visitor) {
    settle();
    for (const Flow &flow : places_)
      if (flow.first != kNoAct)
        visitor(flow);
  }

  /// Keeps the room if most of it was needed: the next launch is often the same.
  void clear() {
    if (8 * count_ < places_.size())
      places_ = std::vector<Flow>();
    else
      std::fill(places_.begin(), places_.end(), Flow{});
    count_ = 0;
    waiting_ = {};
  }
  /// Forgets all.
  void save(std::FILE *file) {
    settle();
    const std::uint64_t count = count_;
    writeAll(file, &count, sizeof count);
    saveVector(file, places_);
    *this = {};
  }
  void load(std::FILE *file) {
    std::uint64_t count = 0;
    readAll(file, &count, sizeof count);
    count_ = static_cast<std::size_t>(count);
    loadVector(file, places_);
  }
  /// Memory in use.
  std::uint64_t bytes() const { return places_.size() * sizeof(Flow); }

private:
  /// On its way to a place in the table, which is asked for before it is needed: in all-to-all programs
  /// nearly every flow has to come from memory.
  struct Waiting {
    Flow flow{};
    std::uint64_t hash = 0;
  };
  static constexpr std::size_t kWaiting = 8;

  static bool isSame(const Flow &a, const Flow &b) {
    return a.first == b.first && a.firstCta == b.firstCta && a.cta == b.cta && a.dependence == b.dependence;
  }

  static void add(Flow &flow, const Flow &more) {
    flow.bytes += more.bytes;
    flow.operations += more.operations;
  }
  static std::uint64_t hashOf(const Flow &flow) {
    std::uint64_t hash = (std::uint64_t{flow.firstCta} << 32 | flow.cta) * 0x9e3779b97f4a7c15u;
    hash = ((hash ^ hash >> 32) + (std::uint64_t{flow.first} << 8 | flow.dependence.number())) *
           0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
  }

  Flow &find(const Flow &wanted, std::uint64_t hash) {
    const std::size_t mask = places_.size() - 1;
    std::size_t i = hash & mask;
    while (places_[i].first != kNoAct && !isSame(places_[i], wanted))
      i = (i + 1) & mask;
    return places_[i];
  }

  /// Brings what waits to its place.
  void settle(Waiting &waiting) {
    if (waiting.flow.first == kNoAct)
      return;
    if (2 * (count_ + 1) > places_.size())
      grow();
    Flow &place = find(waiting.flow, waiting.hash);
    if (place.first == kNoAct) {
      place = waiting.flow;
      ++count_;
    } else {
      add(place, waiting.flow);
    }
    waiting.flow.first = kNoAct;
  }
  void settle() {
    for (Waiting &waiting : waiting_)
      settle(waiting);
  }

  void grow() {
    std::vector<Flow> before(places_.empty() ? 64 : 2 * places_.size());
    before.swap(places_);
    for (const Flow &flow : before)
      if (flow.first != kNoAct)
        find(flow, hashOf(flow)) = flow;
  }

  std::vector<Flow> places_; ///< a power of two
  std::size_t count_ = 0;
  std::array<Waiting, kWaiting> waiting_{};
  std::size_t next_ = 0;
};

} // namespace cupr::analysis

#endif
