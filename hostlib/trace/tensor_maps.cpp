#include "tensor_maps.h"

#include <cstring>
#include <mutex>

namespace cupr::trace {

std::uint64_t TensorMaps::keyOf(std::span<const std::uint64_t, abi::kTensorMapWords> contents) {
  std::uint64_t key = 0;
  for (const std::uint64_t word : contents)
    key = abi::tensorMapKey(key, word);
  return key;
}

void TensorMaps::add(std::uint64_t key, const abi::TensorMap &map) {
  const std::scoped_lock lock(mutex_);
  maps_.try_emplace(key, std::make_unique<const abi::TensorMap>(map));
}

const abi::TensorMap *TensorMaps::find(std::uint64_t key) const {
  const std::shared_lock lock(mutex_);
  const auto found = maps_.find(key);
  return found == maps_.end() ? nullptr : found->second.get();
}

void appendRanges(const abi::BoxRecord &box, const abi::TensorMap &map, std::vector<Word> &ranges) {
  abi::RecordHead head = box.head;
  head.siteAndForm = abi::packSite(abi::siteOf(head.siteAndForm), abi::RecordForm::Range);
  head.shape = 0;
  const auto add = [&](std::uint64_t address, std::uint64_t bytes) {
    head.base = address;
    const std::size_t at = ranges.size();
    ranges.resize(at + kRangeWords);
    std::memcpy(static_cast<void *>(&ranges[at]), &head, sizeof head);
    const std::uint64_t lane[] = {address, bytes};
    std::memcpy(static_cast<void *>(&ranges[at + abi::kHeadWords]), lane, sizeof lane);
  };
  abi::forEachRecordedRange(map, box.place(), box.blocks, box.shared, add);
}

} // namespace cupr::trace
