#include "copied_contents.h"

#include "hostlib/trace/frame.h"

#include <algorithm>
#include <span>

namespace cupr::host {
namespace {

/// Of a sample.
constexpr std::uint64_t kStretches = 16, kStretchBytes = 64;
/// Up to so many bytes are looked at as a whole each time, which takes a few microseconds.
constexpr std::uint64_t kSmall = 1u << 16;

const std::byte *rowOf(const trace::Copy &copy, std::uint64_t row) {
  return reinterpret_cast<const std::byte *>(copy.source + row * copy.sourcePitch);
}

std::uint64_t hashOfAll(const trace::Copy &copy) {
  if (copy.rows == 1)
    return trace::hashOf({rowOf(copy, 0), copy.rowBytes});
  trace::Hasher hasher;
  for (std::uint64_t row = 0; row < copy.rows; ++row)
    hasher.add({rowOf(copy, row), copy.rowBytes});
  return hasher.value();
}

/// Of stretches at even distances, the first and the last bytes among them.
std::uint64_t hashOfSample(const trace::Copy &copy) {
  trace::Hasher hasher;
  for (std::uint64_t i = 0; i < kStretches; ++i) {
    const std::uint64_t row = i * (copy.rows - 1) / (kStretches - 1),
                        bytes = std::min(copy.rowBytes, kStretchBytes),
                        begin = i * (copy.rowBytes - bytes) / (kStretches - 1);
    hasher.add({rowOf(copy, row) + begin, bytes});
  }
  return hasher.value();
}

} // namespace

std::uint64_t CopiedContents::sameAs(const trace::Copy &copy) {
  const std::uint64_t bytes = copy.rowBytes * copy.rows;
  if (bytes == 0)
    return 0;
  const bool isSmall = bytes <= kSmall;
  const std::uint64_t sample = isSmall ? hashOfAll(copy) : hashOfSample(copy);
  std::optional<std::uint64_t> whole;
  if (isSmall)
    whole = sample;
  std::unique_lock lock(mutex_);
  auto found = known_.find(copy.destination);
  const auto isLikeLast = [&] {
    return found != known_.end() && found->second.isOfShape(copy) && found->second.sample == sample;
  };
  if (!isSmall && isLikeLast()) {
    lock.unlock();
    whole = hashOfAll(copy);
    lock.lock();
    found = known_.find(copy.destination);
  }
  const std::uint64_t same =
      isLikeLast() && whole && found->second.whole == whole && found->second.order < copy.order
          ? found->second.order
          : 0;
  if (known_.size() >= kMost && found == known_.end())
    known_.clear();
  known_.insert_or_assign(copy.destination,
                          Known{copy.order, copy.rowBytes, copy.rows, copy.destinationPitch, sample, whole});
  return same;
}

} // namespace cupr::host
