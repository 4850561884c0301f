/// The tensor maps of a process, by their contents, and what copies by them reach (devicelib/abi/tensor_map.h).
///
/// A copy's record in the queue names its map by a key of 64 bits, since a map may lie anywhere: in a kernel's parameters, in constant
/// memory, copied by the program. Maps that a program changes on the device (`tensormap.replace`) have contents that nobody told of.
#ifndef CUPR_TRACE_TENSOR_MAPS_H
#define CUPR_TRACE_TENSOR_MAPS_H

#include "chunk.h"
#include "devicelib/abi/box_record.h"

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace cupr::trace {

/// Threads: every member from any thread.
class TensorMaps {
public:
  static std::uint64_t keyOf(std::span<const std::uint64_t, abi::kTensorMapWords> contents);

  /// Maps of the same contents are the same.
  void add(std::uint64_t key, const abi::TensorMap &map);
  /// Null: nobody told of it. Lives as long as this.
  const abi::TensorMap *find(std::uint64_t key) const;

private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<const abi::TensorMap>> maps_;
};

/// Appends to `ranges` what the host makes of the box's record: records of form Range, of one lane and kRangeWords words each, in order.
constexpr std::size_t kRangeWords = abi::kHeadWords + 1;
void appendRanges(const abi::BoxRecord &box, const abi::TensorMap &map, std::vector<Word> &ranges);

} // namespace cupr::trace

#endif
