#include "address_tally.h"

#include <algorithm>
#include <bit>

namespace cupr::analysis {

void MeetingVolume::add(const MeetingVolume &other, std::uint64_t times) {
  threads += other.threads * times;
  turns += other.turns * times;
  places += other.places * times;
  ofBlocks += other.ofBlocks * times;
  busiest += other.busiest * times;
  besidePlaces += other.besidePlaces * times;
  besideThreads += other.besideThreads * times;
}

bool AddressTally::hasOneAddress(const abi::WarpAccess &access) {
  if (access.form == abi::RecordForm::Range)
    return false;
  const std::uint64_t first = access.address[std::countr_zero(access.laneMask)];
  for (std::uint32_t left = access.laneMask; left != 0; left &= left - 1)
    if (access.address[std::countr_zero(left)] != first)
      return false;
  return true;
}

AddressTally::Place *AddressTally::placeOf(std::uint64_t address, std::uint64_t block) {
  if (isMany_)
    return nullptr;
  const auto [found, isNew] = places_.try_emplace(address);
  if (isNew && places_.size() > kMost) {
    places_ = {};
    isMany_ = true;
    return nullptr;
  }
  Place &place = found->second;
  if (isNew)
    place.block = block;
  else if (place.block != block)
    place.isOfSeveral = true;
  return &place;
}

void AddressTally::add(std::uint64_t address, std::uint64_t threads, bool isFirstOfSector,
                       std::uint64_t block, std::uint64_t blocks) {
  if (Place *const place = placeOf(address, block)) {
    place->threads += threads * blocks;
    place->turns += isFirstOfSector ? blocks : 0;
    place->isOfSeveral |= blocks > 1;
  }
}

void AddressTally::add(std::uint64_t block, std::span<const AccessRun> runs) {
  forEachAddress(runs, [&](std::uint64_t address, std::uint64_t threads, bool isFirstOfSector) {
    add(address, threads, isFirstOfSector, block, 1);
  });
}

void AddressTally::add(const AddressTally &other) {
  if (other.isMany_) {
    places_ = {};
    isMany_ = true;
  }
  for (const auto &[address, of] : other.places_) {
    Place *const place = placeOf(address, of.block);
    if (!place)
      return;
    place->threads += of.threads;
    place->turns += of.turns;
    place->isOfSeveral |= of.isOfSeveral;
  }
}

MeetingVolume AddressTally::sum(std::uint64_t blocks, MeetingPlaces &at) const {
  struct Sector {
    std::uint64_t turns = 0, block = 0;
    bool isOfSeveral = false;
  };
  std::unordered_map<std::uint64_t, Sector> sectors;
  MeetingVolume sum;
  for (const auto &[address, place] : places_) {
    ++sum.places;
    at.all.add(address);
    sum.threads += place.threads;
    sum.turns += place.turns;
    sum.ofBlocks += std::min(place.threads, place.isOfSeveral ? blocks : 1);
    const auto [found, isNew] = sectors.try_emplace(address / kSectorBytes, Sector{0, place.block});
    Sector &sector = found->second;
    sector.turns += place.turns;
    sector.isOfSeveral |= place.isOfSeveral || sector.block != place.block;
    sum.busiest = std::max(sum.busiest, sector.turns);
  }
  for (const auto &[address, place] : places_)
    if (!place.isOfSeveral && sectors.at(address / kSectorBytes).isOfSeveral) {
      ++sum.besidePlaces;
      at.beside.add(address);
      sum.besideThreads += place.threads;
    }
  return sum;
}

} // namespace cupr::analysis
