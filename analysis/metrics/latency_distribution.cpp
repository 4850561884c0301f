#include "latency_distribution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace cupr::analysis {

namespace {

/// Each power of two has as many buckets as two to this.
constexpr unsigned kSubBits = 8, kSubBitsOfClasses = 3;

/// Below 2 << subBits the duration itself.
std::size_t bucketOf(std::uint32_t duration, unsigned subBits) {
  const auto bits = static_cast<unsigned>(std::bit_width(duration));
  if (bits <= subBits + 1)
    return duration;
  const unsigned shift = bits - (subBits + 1);
  return (std::size_t{shift} << subBits) + (duration >> shift);
}

LatencyHistogram::Bucket bucketAt(std::size_t index, unsigned subBits, std::uint64_t samples) {
  if (index < std::size_t{2} << subBits) {
    const auto duration = static_cast<std::uint32_t>(index);
    return {duration, duration, samples};
  }
  const std::size_t shift = (index >> subBits) - 1;
  const std::uint64_t first = (index - (shift << subBits)) << shift,
                      behind = first + (std::uint64_t{1} << shift);
  return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(behind - 1), samples};
}

} // namespace

void LatencyMoments::add(std::uint32_t duration) {
  ++samples;
  cycles += duration;
  squares += static_cast<double>(duration) * duration;
  least = std::min(least, duration);
  most = std::max(most, duration);
}

LatencyMoments &LatencyMoments::operator+=(const LatencyMoments &other) {
  samples += other.samples;
  cycles += other.cycles;
  squares += other.squares;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
  return *this;
}

double LatencyMoments::mean() const {
  return samples == 0 ? 0 : static_cast<double>(cycles) / static_cast<double>(samples);
}

double LatencyMoments::variance() const {
  if (samples < 2)
    return 0;
  const auto sum = static_cast<double>(cycles), n = static_cast<double>(samples);
  return std::max(0.0, squares - sum * sum / n) / (n - 1);
}

std::optional<double> LatencyMoments::error() const {
  if (samples < 2)
    return std::nullopt;
  return student95(samples) * std::sqrt(variance() / static_cast<double>(samples));
}

double student95(std::uint64_t samples) {
  // Two-sided, by degrees of freedom from 1 on.
  static constexpr auto kFew =
      std::to_array<double>({12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                             2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                             2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042});
  constexpr double kMany = 1.960;
  const std::uint64_t freedom = samples < 2 ? 1 : samples - 1;
  return freedom <= kFew.size() ? kFew[freedom - 1] : kMany;
}

void LatencyHistogram::add(std::uint32_t duration) {
  const std::size_t bucket = bucketOf(duration, kSubBits);
  if (bucket >= counts_.size())
    counts_.resize(bucket + 1);
  ++counts_[bucket];
  ++samples_;
}

LatencyHistogram &LatencyHistogram::operator+=(const LatencyHistogram &other) {
  counts_.resize(std::max(counts_.size(), other.counts_.size()));
  for (std::size_t i = 0; i < other.counts_.size(); ++i)
    counts_[i] += other.counts_[i];
  samples_ += other.samples_;
  return *this;
}

std::uint32_t LatencyHistogram::percentile(unsigned percent) const {
  const std::uint64_t wanted = (samples_ * percent + 99) / 100;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if ((below += counts_[i]) >= wanted)
      return bucketAt(i, kSubBits, 0).last;
  return 0;
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::buckets() const {
  std::vector<Bucket> found;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] != 0)
      found.push_back(bucketAt(i, kSubBits, counts_[i]));
  return found;
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::classes() const {
  std::vector<Bucket> found;
  for (const Bucket &bucket : buckets()) {
    const Bucket of = bucketAt(bucketOf(bucket.first, kSubBitsOfClasses), kSubBitsOfClasses, bucket.samples);
    if (found.empty() || found.back().first != of.first)
      found.push_back(of);
    else
      found.back().samples += bucket.samples;
  }
  return found;
}

std::uint32_t LatencyDistribution::percentile(unsigned percent) const {
  return std::min(histogram.percentile(percent), moments.most);
}

} // namespace cupr::analysis
