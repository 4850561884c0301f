#include "producer_sets.h"

#include <algorithm>
#include <utility>

namespace cupr::analysis {

ProducerSet GrowingSets::with(ProducerSet set, std::uint32_t before, std::uint32_t cta,
                              std::uint64_t &steps) {
  if (set == kTooMany)
    return kTooMany;
  return grow(set == kOneProducer ? grow(kOneProducer, before, steps) : set, cta, steps);
}

ProducerSet GrowingSets::grow(ProducerSet set, std::uint32_t cta, std::uint64_t &steps) {
  constexpr std::uint64_t kStepsPerNode = 8, kStepsPerSet = 200;
  const auto [entry, isNew] = grown_.try_emplace(pairOf(set, cta));
  if (!isNew)
    return entry->second;
  steps += kStepsPerSet;
  const std::uint32_t size = set == kOneProducer ? 0 : nodes_[set - 2].size;
  for (ProducerSet at = set; at != kOneProducer; at = nodes_[at - 2].from) {
    steps += kStepsPerNode;
    if (nodes_[at - 2].cta == cta)
      return entry->second = set;
  }
  if (size == kMostProducers)
    return entry->second = kTooMany;
  nodes_.push_back({set, cta, size + 1});
  return entry->second = static_cast<ProducerSet>(nodes_.size() + 1);
}

void GrowingSets::membersOf(ProducerSet set, std::vector<std::uint32_t> &ctas) const {
  ctas.clear();
  for (; set > kTooMany; set = nodes_[set - 2].from)
    ctas.push_back(nodes_[set - 2].cta);
}

void GrowingSets::save(std::FILE *file) {
  saveVector(file, nodes_);
  clear();
}

void GrowingSets::load(std::FILE *file) {
  loadVector(file, nodes_);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    grown_[pairOf(nodes_[i].from, nodes_[i].cta)] = static_cast<ProducerSet>(i + 2);
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
