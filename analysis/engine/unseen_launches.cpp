/// What happens before an act was called before it. So of the launches of a stream, only the last one that was
/// called before the act, and the first one behind it, have to be asked.
#include "unseen_launches.h"

#include <algorithm>

namespace cupr::analysis {

UnseenLaunches::UnseenLaunches(const Model &model, const Ordering &ordering) : ordering_(ordering) {
  for (std::size_t event = 0; event < model.events().size(); ++event)
    if (const auto *of = std::get_if<LaunchEvent>(&model.events()[event]);
        of && isUnseen(model.launches()[of->index])) {
      acts_.push_back(ordering.actOf(event));
      byStream_[ordering.streamOf(acts_.back())].push_back(acts_.back());
    }
}

/// Called before the act, without an order.
bool UnseenLaunches::anyBeside(Act act) const {
  return std::ranges::any_of(byStream_, [&](const auto &entry) {
    const std::vector<Act> &acts = entry.second;
    const auto behind = std::ranges::lower_bound(acts, act);
    return behind != acts.begin() && !ordering_.before(behind[-1], act);
  });
}

bool UnseenLaunches::mayRunBehind(Act act) const {
  return !acts_.empty() && (acts_.back() > act || anyBeside(act));
}

bool UnseenLaunches::mayRunBetween(Act writer, Act reader) const {
  const auto next = std::ranges::lower_bound(acts_, writer);
  if (next != acts_.end() && *next < reader)
    return true;
  return !acts_.empty() && (anyBeside(writer) || std::ranges::any_of(byStream_, [&](const auto &entry) {
                              const auto behind = std::ranges::upper_bound(entry.second, reader);
                              return behind != entry.second.end() && !ordering_.before(reader, *behind);
                            }));
}

} // namespace cupr::analysis
