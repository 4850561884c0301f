/// Flows between the entities of one act and those of others. All-to-all programs have millions of them, so
/// this is a hash table with open addressing rather than a node per flow.
#ifndef CUPR_ANALYSIS_FLOW_TABLE_H
#define CUPR_ANALYSIS_FLOW_TABLE_H

#include "analysis/model/ordering.h"
#include "dependence.h"
#include "unnamed_file.h"

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
  /// The flow from `first`, made if it isn't there. Valid until the next call.
  Flow &at(DependenceClass dependence, Act first, std::uint32_t firstCta, std::uint32_t cta) {
    const Flow wanted{dependence, first, firstCta, cta};
    if (last_ && isSame(*last_, wanted))
      return *last_;
    if (2 * (count_ + 1) > places_.size())
      grow();
    Flow &place = find(wanted);
    if (place.first == kNoAct) {
      place = wanted;
      ++count_;
    }
    return *(last_ = &place);
  }

  template <typename Visitor> void forEach(Visitor visitor) const {
    for (const Flow &flow : places_)
      if (flow.first != kNoAct)
        visitor(flow);
  }

  void clear() {
    places_.clear();
    count_ = 0;
    last_ = nullptr;
  }
  void save(std::FILE *file) const {
    const std::uint64_t count = count_;
    writeAll(file, &count, sizeof count);
    saveVector(file, places_);
  }
  void load(std::FILE *file) {
    std::uint64_t count = 0;
    readAll(file, &count, sizeof count);
    count_ = static_cast<std::size_t>(count);
    loadVector(file, places_);
    last_ = nullptr;
  }
  bool empty() const { return count_ == 0; }
  /// Memory in use.
  std::uint64_t bytes() const { return places_.size() * sizeof(Flow); }

private:
  static bool isSame(const Flow &a, const Flow &b) {
    return a.first == b.first && a.firstCta == b.firstCta && a.cta == b.cta && a.dependence == b.dependence;
  }

  Flow &find(const Flow &wanted) {
    const std::size_t mask = places_.size() - 1;
    std::uint64_t hash = (std::uint64_t{wanted.firstCta} << 32 | wanted.cta) * 0x9e3779b97f4a7c15u;
    hash = ((hash ^ hash >> 32) + (std::uint64_t{wanted.first} << 8 | wanted.dependence.number())) *
           0x9e3779b97f4a7c15u;
    std::size_t i = (hash ^ hash >> 32) & mask;
    while (places_[i].first != kNoAct && !isSame(places_[i], wanted))
      i = (i + 1) & mask;
    return places_[i];
  }

  void grow() {
    std::vector<Flow> before(places_.empty() ? 64 : 2 * places_.size());
    before.swap(places_);
    for (const Flow &flow : before)
      if (flow.first != kNoAct)
        find(flow) = flow;
    last_ = nullptr;
  }

  std::vector<Flow> places_; ///< a power of two
  std::size_t count_ = 0;
  Flow *last_ = nullptr;
};

} // namespace cupr::analysis

#endif
