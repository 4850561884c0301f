/// Between two chunks there are chunks alone if their messages' numbers are as far apart as their places in the index. The further
/// apart two are, the more may be between them that is no chunk: so where a run ends is found by bisection.
#include "chunk_index.h"

#include <algorithm>

namespace cupr::trace {

std::optional<ChunkIndex> ChunkIndex::of(Reader &reader) {
  const std::optional<std::uint64_t> last = reader.lastFrame();
  Message message;
  if (!last || !reader.at(*last, message).empty())
    return std::nullopt;
  const auto *end = std::get_if<End>(&message);
  if (!end)
    return std::nullopt;
  std::vector<Place> places;
  for (const LaunchIndex &launch : end->launches)
    for (const std::uint64_t offset : launch.chunks)
      places.push_back({offset, launch.id});
  std::ranges::sort(places, {}, &Place::offset);
  return ChunkIndex(std::move(places));
}

std::span<const ChunkIndex::Place> ChunkIndex::pass(Reader &reader) const {
  const auto first = std::ranges::lower_bound(places_, reader.nextOffset(), {}, &Place::offset);
  if (first == places_.end() || first->offset != reader.nextOffset() || first->offset == 0)
    return {};
  const std::optional<FrameHead> head = reader.headAt(first->offset);
  if (!head)
    return {};
  const auto isOfRun = [&](std::size_t further) {
    const std::optional<FrameHead> other = reader.headAt(first[static_cast<std::ptrdiff_t>(further)].offset);
    return other && other->number == head->number + further;
  };
  const auto left = static_cast<std::size_t>(places_.end() - first);
  std::size_t inRun = 1, beyond = 2; // chunks that are of the run, and a number of which it is not known
  while (beyond <= left && isOfRun(beyond - 1)) {
    inRun = beyond;
    beyond *= 2;
  }
  beyond = std::min(beyond, left + 1);
  while (beyond - inRun > 1) {
    const std::size_t middle = inRun + (beyond - inRun) / 2;
    (isOfRun(middle - 1) ? inRun : beyond) = middle;
  }
  const std::uint64_t last = first[static_cast<std::ptrdiff_t>(inRun) - 1].offset;
  const std::optional<FrameHead> lastHead = reader.headAt(last);
  if (!lastHead)
    return {};
  reader.pass(last, *lastHead);
  return {first, first + static_cast<std::ptrdiff_t>(inRun)};
}

} // namespace cupr::trace
