/// A table with a lock in front of it.
#include "access_shapes.h"

namespace cupr::analysis {

void addStrides(StrideVolume &strides, const AccessShape &shape, std::uint64_t bytes) {
  const std::uint64_t all = std::uint64_t{shape.elements} * shape.threads;
  const auto part = [&](std::uint64_t stride, std::uint64_t threads) {
    if (threads != 0 && bytes != 0)
      strides[stride] += bytes * threads / all;
  };
  part(0, std::uint64_t{shape.elements} * (shape.threads - 1));
  part(shape.elementBytes, shape.elements - 1);
  if (shape.jump != AccessRun::kNoJump)
    part(shape.jump, 1);
}

std::size_t AccessShapes::Hash::operator()(const AccessShape &shape) const {
  std::uint64_t hash = (std::uint64_t{shape.site} << 32 | shape.elementBytes) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
  hash = (hash + (std::uint64_t{shape.elements} << 32 | shape.threads)) * 0xbf58476d1ce4e5b9u;
  hash ^= hash >> 32;
  hash = (hash + shape.jump) * 0x94d049bb133111ebu;
  return hash ^ hash >> 31;
}

std::uint32_t AccessShapes::add(const AccessShape &shape) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = numbers_.find(shape); found != numbers_.end())
    return found->second;
  shapes_.push_back(shape);
  return numbers_[shape] = static_cast<std::uint32_t>(shapes_.size() - 1);
}

} // namespace cupr::analysis
