#include "producer_sets.h"

#include <algorithm>
#include <utility>

namespace cupr::analysis {

void GrowingSets::Set::mark() {
  constexpr std::size_t kLarge = 64;
  if (ctas.size() < kLarge)
    return;
  low.assign(kLow / 64, 0);
  for (const std::uint32_t cta : ctas)
    if (cta < kLow)
      low[cta / 64] |= std::uint64_t{1} << cta % 64;
}

ProducerSet GrowingSets::add(std::uint64_t bytes, std::vector<std::uint32_t> ctas) {
  if (ctas.size() > kMostProducers || members_ + ctas.size() > kMostMembers)
    return kTooMany;
  members_ += ctas.size();
  sets_.push_back({bytes, std::move(ctas), {}});
  sets_.back().mark();
  return static_cast<ProducerSet>(sets_.size() - 1 + kFirst);
}

ProducerSet GrowingSets::with(ProducerSet set, std::uint64_t bytes, std::uint32_t before, std::uint32_t cta,
                              std::uint64_t &steps) {
  constexpr std::uint64_t kStepsPerSet = 60, kMembersPerStep = 8; // they are moved
  if (has(set, cta))
    return set;
  if (set == kOneProducer)
    return add(bytes, {std::min(before, cta), std::max(before, cta)});
  Set &grown = sets_[set - kFirst];
  const auto place = std::ranges::lower_bound(grown.ctas, cta);
  steps += kStepsPerSet + grown.ctas.size() / kMembersPerStep;
  const bool hasRoom = grown.ctas.size() < kMostProducers && members_ < kMostMembers;
  if (hasRoom && grown.bytes == bytes) {
    grown.ctas.insert(place, cta);
    if (grown.low.empty())
      grown.mark();
    else if (cta < kLow)
      grown.low[cta / 64] |= std::uint64_t{1} << cta % 64;
    ++members_;
    return set;
  }
  std::vector<std::uint32_t> ctas;
  if (hasRoom) {
    ctas.reserve(grown.ctas.size() + 1);
    ctas.assign(grown.ctas.begin(), place);
    ctas.push_back(cta);
    ctas.insert(ctas.end(), place, grown.ctas.end());
  }
  leave(set, bytes);
  return hasRoom ? add(bytes, std::move(ctas)) : kTooMany;
}

void GrowingSets::leave(ProducerSet set, std::uint64_t bytes) {
  if (set < kFirst)
    return;
  Set &left = sets_[set - kFirst];
  left.bytes -= bytes;
  if (left.bytes == 0) {
    members_ -= left.ctas.size();
    left.ctas = {};
    left.low = {};
  }
}

void GrowingSets::save(std::FILE *file) {
  const std::uint64_t count = sets_.size();
  writeAll(file, &count, sizeof count);
  for (const Set &set : sets_) {
    writeAll(file, &set.bytes, sizeof set.bytes);
    saveVector(file, set.ctas);
  }
  clear();
}

void GrowingSets::load(std::FILE *file) {
  std::uint64_t count = 0;
  readAll(file, &count, sizeof count);
  sets_.resize(count);
  for (Set &set : sets_) {
    readAll(file, &set.bytes, sizeof set.bytes);
    loadVector(file, set.ctas);
    members_ += set.ctas.size();
    set.mark();
  }
}

ProducerSet ProducerSets::numberOf(std::uint32_t last, std::span<const std::uint32_t> ctas) {
  std::uint64_t hash = pairOf(last, static_cast<std::uint32_t>(ctas.size()));
  for (const std::uint32_t cta : ctas)
    hash = keyHash(hash, cta);
  const auto [from, to] = byHash_.equal_range(hash);
  for (auto entry = from; entry != to; ++entry)
    if (lastOf(entry->second) == last && std::ranges::equal(of(entry->second), ctas))
      return entry->second;
  if (members_.size() + ctas.size() >= kMostMembers)
    return kOneProducer;
  members_.push_back(last);
  members_.insert(members_.end(), ctas.begin(), ctas.end());
  begins_.push_back(members_.size());
  const auto number = static_cast<ProducerSet>(begins_.size() - 1);
  byHash_.emplace(hash, number);
  return number;
}

void ProducerSets::save(std::FILE *file) {
  saveVector(file, members_);
  saveVector(file, begins_);
  *this = {};
}

void ProducerSets::load(std::FILE *file) {
  std::vector<std::uint32_t> members;
  std::vector<std::size_t> begins;
  loadVector(file, members);
  loadVector(file, begins);
  *this = {};
  for (std::size_t set = 0; set + 1 < begins.size(); ++set)
    numberOf(members[begins[set]], {members.data() + begins[set] + 1, members.data() + begins[set + 1]});
}

} // namespace cupr::analysis
