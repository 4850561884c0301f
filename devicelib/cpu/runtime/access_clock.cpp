#include "access_clock.h"

#include "devicelib/abi/record.h"

#include <algorithm>
#include <iterator>

namespace cupr::cpu {

namespace {

/// The pieces of 2^shift bytes that lanes touch, by their numbers, each once.
class Pieces {
public:
  Pieces(unsigned shift, std::uint32_t bytes, std::uint32_t mask, const std::uint64_t *address) {
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
      const std::uint64_t from = address[__builtin_ctz(rest)], to = from + std::max(bytes, 1u) - 1;
      for (std::uint64_t number = from >> shift; number <= to >> shift && count_ < std::size(numbers_);
           ++number)
        numbers_[count_++] = number;
    }
    std::sort(begin(), numbers_ + count_);
    count_ = static_cast<std::size_t>(std::unique(begin(), numbers_ + count_) - begin());
  }

  std::uint64_t *begin() { return numbers_; }
  const std::uint64_t *begin() const { return numbers_; }
  const std::uint64_t *end() const { return numbers_ + count_; }
  std::uint32_t beyondFirst() const { return count_ == 0 ? 0 : static_cast<std::uint32_t>(count_) - 1; }

private:
  static constexpr std::uint32_t kMostEach = 65; ///< of 255 bytes, in words
  std::uint64_t numbers_[abi::kLanes * kMostEach];
  std::size_t count_ = 0;
};

constexpr unsigned kSectorShift = 5, kWordShift = 2;

std::uint32_t wavefrontsBeyondFirst(const Pieces &words) {
  constexpr unsigned kBanks = 32;
  std::uint32_t perBank[kBanks] = {}, most = 1;
  for (const std::uint64_t word : words)
    most = std::max(most, ++perBank[word % kBanks]);
  return most - 1;
}

} // namespace

std::uint32_t modelledCycles(abi::MemorySpace space, std::uint32_t bytes, std::uint32_t mask,
                             const std::uint64_t *address) {
  switch (space) {
  case abi::MemorySpace::Global:
    return 300 + 4 * Pieces(kSectorShift, bytes, mask, address).beyondFirst();
  case abi::MemorySpace::Shared:
    return 23 + 2 * wavefrontsBeyondFirst(Pieces(kWordShift, bytes, mask, address));
  case abi::MemorySpace::Constant:
    return 30 + 4 * Pieces(kWordShift, bytes, mask, address).beyondFirst();
  case abi::MemorySpace::Local:
    return 36;
  case abi::MemorySpace::Texture:
    return 400;
  }
  return 0;
}

void AccessClock::open() { std::fill(std::begin(now_), std::end(now_), 0); }

AccessClock::Times AccessClock::pass(std::uint32_t warp, std::uint32_t cycles, abi::LatencyScheme scheme) {
  std::uint64_t &now = now_[warp % kWarps];
  const Times times{now, scheme == abi::LatencyScheme::Naive ? kIssueCycles : cycles};
  now += cycles + kIssueCycles;
  return times;
}

} // namespace cupr::cpu
