/// Interning, with what was asked for last at hand.
#include "device_sets.h"

#include "key_hash.h"

#include <algorithm>

namespace cupr::analysis {

Cuts::Cuts(const Model &model, std::vector<Placement> placements)
    : grids_(model), placements_(std::move(placements)), firstBits_{0} {
  for (const Placement &placement : placements_)
    firstBits_.push_back(firstBits_.back() + placement.devices());
}

DeviceSets::DeviceSets(const Cuts &cuts)
    : cuts_(cuts), width_(std::max(1u, cuts.words())), words_(width_), places_(64), scratch_(width_) {}

DeviceSet DeviceSets::ofCta(LaunchIndex launch, std::uint32_t cta) {
  const CtaInGrid place = cuts_.grids().ctaOf(launch, cta);
  CachedCta &known = ctas_[place.vertex % kCached];
  if (known.grid != place.grid || known.cta != cta) {
    std::ranges::fill(scratch_, 0);
    for (std::size_t cut = 0; cut < cuts_.placements().size(); ++cut) {
      const unsigned bit = cuts_.firstBit(cut) + cuts_.placements()[cut].deviceOf(place);
      scratch_[bit / 64] |= std::uint64_t{1} << bit % 64;
    }
    known = {place.grid, cta, find(scratch_)};
  }
  return known.set;
}

DeviceSet DeviceSets::unite(DeviceSet a, DeviceSet b) {
  if (a == b || b == 0)
    return a;
  if (a == 0)
    return b;
  CachedUnion &known = unions_[keyHash(a, b) % kCached];
  if (known.a != a || known.b != b) {
    for (std::size_t i = 0; i < width_; ++i)
      scratch_[i] = bitsOf(a)[i] | bitsOf(b)[i];
    known = {a, b, find(scratch_)};
  }
  return known.result;
}

std::size_t DeviceSets::placeOf(std::span<const std::uint64_t> bits) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : bits)
    hash = keyHash(hash, word);
  std::size_t place = hash & (places_.size() - 1);
  while (places_[place] != 0 && !std::ranges::equal(bitsOf(places_[place]), bits))
    place = (place + 1) & (places_.size() - 1);
  return place;
}

DeviceSet DeviceSets::find(std::span<const std::uint64_t> bits) {
  if (std::ranges::all_of(bits, [](std::uint64_t word) { return word == 0; }))
    return 0;
  if (2 * size() >= places_.size())
    grow();
  DeviceSet &set = places_[placeOf(bits)];
  if (set == 0) {
    set = static_cast<DeviceSet>(size());
    words_.insert(words_.end(), bits.begin(), bits.end());
  }
  return set;
}

void DeviceSets::grow() {
  places_.assign(2 * places_.size(), 0);
  for (DeviceSet set = 1; set < size(); ++set)
    places_[placeOf(bitsOf(set))] = set;
}

void DeviceSets::swap(DeviceSets &other) noexcept {
  words_.swap(other.words_);
  places_.swap(other.places_);
  unions_.swap(other.unions_);
  ctas_.swap(other.ctas_);
}

void DeviceSets::save(std::FILE *file) {
  saveVector(file, words_);
  words_ = std::vector<std::uint64_t>(width_);
  places_ = std::vector<DeviceSet>(64);
  unions_ = {};
  ctas_ = {};
}

void DeviceSets::load(std::FILE *file) {
  loadVector(file, words_);
  while (2 * size() >= places_.size())
    places_.resize(2 * places_.size());
  places_.resize(places_.size() / 2);
  grow();
}

} // namespace cupr::analysis
