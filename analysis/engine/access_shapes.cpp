/// A table with a lock in front of it.
#include "access_shapes.h"

#include <algorithm>
#include <bit>

namespace cupr::analysis {

void addStrides(StrideVolume &strides, const AccessShape &shape, const ShapeBytes &bytes) {
  forEachStride(shape, bytes, [&](std::uint64_t stride, std::uint64_t more) { strides[stride] += more; });
}

ShapeBytes spreadBytes(const AccessShape &shape, std::uint64_t bytes) {
  return {bytes, bytes / shape.elements};
}

void addWrittenStrides(StrideVolume &strides, const AccessShape &shape, const ShapeBytes &bytes) {
  forEachWrittenStride(shape, bytes,
                       [&](std::uint64_t stride, std::uint64_t more) { strides[stride] += more; });
}

std::uint64_t firstWritten(const AccessShape &shape, const Range &range) {
  if (shape.elements == 1)
    return range.bytes();
  const std::uint64_t element = shape.elementBytes, length = element * shape.elements;
  // Offsets from the start of a run.
  const std::uint64_t begin = (range.begin % length + length - shape.phase) % length;
  const auto firstBelow = [&](std::uint64_t offset) {
    return offset / length * element + std::min(offset % length, element);
  };
  return firstBelow(begin + range.bytes()) - firstBelow(begin);
}

std::size_t AccessShapes::Hash::operator()(const AccessShape &shape) const {
  std::uint64_t hash = (std::uint64_t{shape.site} << 32 | shape.elementBytes) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
  hash = (hash + (std::uint64_t{shape.elements} << 32 | shape.threads)) * 0xbf58476d1ce4e5b9u;
  hash ^= hash >> 32;
  hash = (hash + shape.jump + (std::uint64_t{shape.phase} << 32)) * 0x94d049bb133111ebu;
  return hash ^ hash >> 31;
}

std::uint32_t AccessShapes::add(const AccessShape &shape) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = numbers_.find(shape); found != numbers_.end())
    return found->second;
  shapes_.push_back(shape);
  sites_.push_back(shape.site);
  return numbers_[shape] = static_cast<std::uint32_t>(shapes_.size() - 1);
}

ShapeCache::Key ShapeCache::keyOf(const AccessShape &shape) {
  // Rounded jumps are exact ones or powers of two above.
  const std::uint64_t jump = shape.jump == AccessRun::kNoJump ? kExactJump + 65
                             : shape.jump <= kExactJump
                                 ? shape.jump
                                 : kExactJump + 1 + static_cast<unsigned>(std::countr_zero(shape.jump));
  const auto size = static_cast<unsigned>(std::bit_width(shape.elementBytes)); // 0: none
  if (size >= 8 || (size != 0 && !std::has_single_bit(shape.elementBytes)) || shape.elements > abi::kLanes ||
      shape.threads > abi::kLanes || shape.site >> 27 != 0)
    return kNoKey;
  const std::uint32_t phase = size == 0 ? 0 : shape.phase >> (size - 1); // in elements
  if (size != 0 && phase << (size - 1) != shape.phase)
    return kNoKey;
  static_assert(kExactJump + 65 < 1u << 17 && abi::kLanes == 32);
  // From the highest bit: one that is set, a free one, 27 of the site, 5 of the phase, 3, 5, 5, and 17 of the
  // jump.
  return std::uint64_t{1} << 63 | std::uint64_t{shape.site} << 35 | std::uint64_t{phase} << 30 |
         std::uint64_t{size} << 27 | std::uint64_t{shape.elements - 1} << 22 |
         std::uint64_t{shape.threads - 1} << 17 | jump;
}

void ShapeCache::grow() {
  std::vector<Place> before(2 * places_.size());
  before.swap(places_);
  for (const Place &place : before)
    if (place.key != kNoKey)
      find(place.key) = place;
}

} // namespace cupr::analysis
