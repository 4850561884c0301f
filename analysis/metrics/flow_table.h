/// Flows from writers to the CTAs of one launch. All-to-all programs have millions of them, so
/// this is a hash table with open addressing rather than a node per flow.
#ifndef CUPR_ANALYSIS_FLOW_TABLE_H
#define CUPR_ANALYSIS_FLOW_TABLE_H

#include "shadow.h"

#include <cstdint>
#include <vector>

namespace cupr::analysis {

struct Flow {
  EntityId writer = kNobody; ///< kNobody: a free place
  std::uint32_t cta = 0;     ///< that reads
  std::uint64_t bytes = 0, operations = 0;
};

class FlowTable {
public:
  /// The flow from `writer` to `cta`, made if it isn't there. Valid until the next call.
  Flow &at(EntityId writer, std::uint32_t cta) {
    if (last_ && last_->writer == writer && last_->cta == cta)
      return *last_;
    if (2 * (count_ + 1) > places_.size())
      grow();
    Flow &place = find(writer, cta);
    if (place.writer == kNobody) {
      place.writer = writer;
      place.cta = cta;
      ++count_;
    }
    return *(last_ = &place);
  }

  template <typename Visitor> void forEach(Visitor visitor) const {
    for (const Flow &flow : places_)
      if (flow.writer != kNobody)
        visitor(flow);
  }

  void clear() {
    places_.clear();
    count_ = 0;
    last_ = nullptr;
  }

private:
  Flow &find(EntityId writer, std::uint32_t cta) {
    const std::size_t mask = places_.size() - 1;
    std::uint64_t hash = (std::uint64_t{writer} << 32 | cta) * 0x9e3779b97f4a7c15u;
    std::size_t i = (hash ^ hash >> 32) & mask;
    while (places_[i].writer != kNobody && (places_[i].writer != writer || places_[i].cta != cta))
      i = (i + 1) & mask;
    return places_[i];
  }

  void grow() {
    std::vector<Flow> before(places_.empty() ? 1024 : 2 * places_.size());
    before.swap(places_);
    for (const Flow &flow : before)
      if (flow.writer != kNobody)
        find(flow.writer, flow.cta) = flow;
    last_ = nullptr;
  }

  std::vector<Flow> places_; ///< a power of two
  std::size_t count_ = 0;
  Flow *last_ = nullptr;
};

} // namespace cupr::analysis

#endif
