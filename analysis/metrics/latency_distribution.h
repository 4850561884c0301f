/// How durations are distributed: exact mean and extremes, and a histogram from which percentiles are read.
///
/// Buckets are logarithmic with sub-buckets: durations below 512 have one each, and above each power of two has 256, so that a bucket is
/// never wider than 1/256 of what it holds. A percentile is the largest duration of its bucket, and so at most 0.4 % too large.
#ifndef CUPR_ANALYSIS_LATENCY_DISTRIBUTION_H
#define CUPR_ANALYSIS_LATENCY_DISTRIBUTION_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cupr::analysis {

/// Count, sum, extremes and spread of durations, in cycles.
struct LatencyMoments {
  std::uint64_t samples = 0;
  std::uint64_t cycles = 0; ///< their sum
  double squares = 0;       ///< of their squares
  std::uint32_t least = UINT32_MAX, most = 0;

  void add(std::uint32_t duration);
  LatencyMoments &operator+=(const LatencyMoments &other);
  double mean() const;
  /// Of the population, from the sample; 0 with less than two.
  double variance() const;
  /// The mean is within this of the one that endless runs would have, with 95 %, if samples were independent; none: there are less than two.
  std::optional<double> error() const;
};

/// What a standard error of a mean from so many samples is multiplied by for 95 %: Student's t.
double student95(std::uint64_t samples);

class LatencyHistogram {
public:
  struct Bucket {
    std::uint32_t first, last; ///< durations, both included
    std::uint64_t samples;
  };

  void add(std::uint32_t duration);
  LatencyHistogram &operator+=(const LatencyHistogram &other);
  std::uint64_t samples() const { return samples_; }
  /// That it takes.
  std::size_t bytes() const { return counts_.size() * sizeof counts_[0]; }
  /// The smallest duration that so many per cent of all do not exceed: the last of its bucket.
  std::uint32_t percentile(unsigned percent) const;
  /// Those that are not empty, by ascending duration.
  std::vector<Bucket> buckets() const;
  /// The same, to be drawn: no wider than 1/8 of what they hold.
  std::vector<Bucket> classes() const;

private:
  std::vector<std::uint64_t> counts_; ///< up to the last bucket that is not empty
  std::uint64_t samples_ = 0;
};

struct LatencyDistribution {
  LatencyMoments moments;
  LatencyHistogram histogram;

  void add(std::uint32_t duration) {
    moments.add(duration);
    histogram.add(duration);
  }
  LatencyDistribution &operator+=(const LatencyDistribution &other) {
    moments += other.moments;
    histogram += other.histogram;
    return *this;
  }
  /// As the histogram's, and not above the largest duration.
  std::uint32_t percentile(unsigned percent) const;
};

} // namespace cupr::analysis

#endif
