#include "fault_list.h"

#include <utility>

namespace cupr::analysis {

namespace {

/// Of two that are alike, the one that is shown.
auto rankOf(const Fault &fault) {
  return std::tuple(fault.place.launch, fault.place.act, fault.address, fault.place, fault.other);
}

} // namespace

FaultList::Key FaultList::keyOf(const Fault &fault) const {
  using Place = std::pair<LaunchIndex, std::uint32_t>;
  constexpr LaunchIndex kCodeOfHost = kHost - 1, kCallOfHost = kHost - 2;
  const auto placeOf = [&](const FaultPlace &place) {
    if (fault.rule == FaultRule::RaceHost && place.launch == kHost && place.act == kNoAct)
      return Place(kCodeOfHost, place.site);
    if (place.launch == kHost && place.act != kNoAct && calls_)
      if (const std::optional<std::uint32_t> node = calls_->nodeOf(place.act))
        return Place(kCallOfHost, *node);
    return place.launch == kHost
               ? Place(kHost, static_cast<std::uint32_t>(place.act))
               : Place(kernels_[place.launch], modules_[place.launch]->sites[place.site].first);
  };
  Place first = placeOf(fault.place), second{kHost, 0};
  if (fault.other) {
    second = placeOf(*fault.other);
    if (second < first) // two accesses are one pair, whichever comes first
      std::swap(first, second);
  }
  // What is about an allocation alone is told apart by it.
  const std::uint32_t allocation = fault.rule == FaultRule::Leak ? fault.allocation.value_or(0) : 0;
  return {fault.rule, fault.space, first.first, first.second, second.first, second.second, allocation};
}

void FaultList::add(const Fault &fault) {
  const Key key = keyOf(fault);
  if (!last_ || key != lastKey_) {
    lastKey_ = key;
    const auto [found, isNew] = faults_.try_emplace(key, fault);
    last_ = &found->second;
    if (isNew)
      return new_.push_back(key);
  }
  const std::uint64_t count = last_->count + fault.count;
  const bool isSilent = last_->isSilent && fault.isSilent;
  if (rankOf(fault) < rankOf(*last_))
    *last_ = fault;
  last_->count = count;
  last_->isSilent = isSilent;
}

void FaultList::add(FaultList &&other) {
  for (const auto &[key, fault] : other.faults_)
    add(fault);
  other.faults_.clear();
  other.new_.clear();
  other.last_ = nullptr;
}

std::vector<Fault> FaultList::faults() const {
  std::vector<Fault> faults;
  faults.reserve(faults_.size());
  for (const auto &[key, fault] : faults_)
    faults.push_back(fault);
  return faults;
}

std::vector<Fault> FaultList::takeNew() {
  std::vector<Fault> faults;
  for (const Key &key : std::exchange(new_, {}))
    faults.push_back(faults_.at(key));
  return faults;
}

} // namespace cupr::analysis
