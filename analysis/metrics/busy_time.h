/// How long one thing or more was under way: the length of the union of intervals.
///
/// Intervals come about in the order of their ends, so those that touch what is still to come are the last few. Kept are kMostKept pieces of
/// the union that lie apart; where there are more, the first one is done, and what comes later counts from its end on. So the result is
/// exact unless an interval begins in front of a gap that kMostKept gaps lie behind.
#ifndef CUPR_ANALYSIS_BUSY_TIME_H
#define CUPR_ANALYSIS_BUSY_TIME_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace cupr::analysis {

class BusyTime {
public:
  static constexpr std::size_t kMostKept = 4;

  /// `end` is not in it, and not before `begin`.
  void add(std::uint64_t begin, std::uint64_t end) {
    begin = std::max(begin, doneUpTo_);
    if (end <= begin)
      return;
    // What lies in front of it, and behind it, stays; the rest becomes one with it.
    std::size_t first = 0;
    while (first < count_ && kept_[first].end < begin)
      ++first;
    std::size_t last = first;
    for (; last < count_ && kept_[last].begin <= end; ++last) {
      begin = std::min(begin, kept_[last].begin);
      end = std::max(end, kept_[last].end);
    }
    if (first == last) {
      std::copy_backward(kept_.begin() + static_cast<std::ptrdiff_t>(first),
                         kept_.begin() + static_cast<std::ptrdiff_t>(count_),
                         kept_.begin() + static_cast<std::ptrdiff_t>(count_ + 1));
      ++count_;
    } else {
      std::copy(kept_.begin() + static_cast<std::ptrdiff_t>(last),
                kept_.begin() + static_cast<std::ptrdiff_t>(count_),
                kept_.begin() + static_cast<std::ptrdiff_t>(first + 1));
      count_ -= last - first - 1;
    }
    kept_[first] = {begin, end};
    if (count_ > kMostKept) {
      done_ += kept_[0].end - kept_[0].begin;
      doneUpTo_ = kept_[0].end;
      std::copy(kept_.begin() + 1, kept_.end(), kept_.begin());
      --count_;
    }
  }

  std::uint64_t cycles() const {
    std::uint64_t sum = done_;
    for (std::size_t i = 0; i < count_; ++i)
      sum += kept_[i].end - kept_[i].begin;
    return sum;
  }

private:
  struct Interval {
    std::uint64_t begin = 0, end = 0;
  };
  std::array<Interval, kMostKept + 1> kept_{}; ///< by ascending begin, with gaps between them
  std::size_t count_ = 0;
  std::uint64_t done_ = 0, doneUpTo_ = 0;
};

} // namespace cupr::analysis

#endif
