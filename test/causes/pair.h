/// A pair of kernels for one algorithm: as people write it, with one cause of wasted bandwidth, and fixed as advised.
///
///     PROGRAM slow|fixed [SIZE] [--repeats N]      default: a size that a traced CPU device runs in a moment, 1
///
/// Prints `checksum: NUMBER`, the same for both kernels, and with more than one repeat `time: MILLISECONDS`, the least
/// of a run by CUDA events. Exit status 1 when a result was wrong, 2 when something could not be run.
///
/// Data come from formulas, so that each run has the same; they are whole numbers where sums in any order are to be
/// equal. Results are held against plain host code, all of them.
#ifndef CUPR_TEST_CAUSES_PAIR_H
#define CUPR_TEST_CAUSES_PAIR_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#define MUST(call) must((call), #call)
inline void must(cudaError_t status, const char *call) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "pair: %s: %s\n", call, cudaGetErrorString(status));
  std::exit(2);
}

enum class Version { Slow, Fixed };

class Pair {
public:
  virtual ~Pair() = default;

  /// Puts back what a run changes. Called before each run, and not timed.
  virtual void prepare() {}

  /// What is timed: launches. Neither waits for the device.
  virtual void slow() = 0;
  virtual void fixed() = 0;

  /// What the last run, of this version, left on the device; in an order that both versions share.
  virtual std::vector<double> results(Version version) const = 0;

  /// The same by host code.
  virtual std::vector<double> wanted() const = 0;
};

/// Device memory for `size()` elements.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(std::size_t size) : size_(size) { MUST(cudaMalloc(&data_, size * sizeof(T))); }
  explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size()) { assign(values); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  T *data() { return data_; }
  std::size_t size() const { return size_; }
  void assign(const std::vector<T> &values) {
    MUST(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  void clear() { MUST(cudaMemset(data_, 0, size_ * sizeof(T))); }
  std::vector<T> values() const {
    std::vector<T> values(size_);
    MUST(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
  std::vector<double> doubles() const {
    const std::vector<T> values = this->values();
    return std::vector<double>(values.begin(), values.end());
  }

private:
  T *data_ = nullptr;
  std::size_t size_;
};

/// 32 bits that look random (the finaliser of MurmurHash3).
inline std::uint32_t scattered(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x85ebca6bu;
  x = (x ^ x >> 13) * 0xc2b2ae35u;
  return x ^ x >> 16;
}

/// Whole numbers from 0 to `limit` - 1 that look random.
template <typename T>
std::vector<T> wholeNumbers(std::size_t count, std::uint32_t seed, std::uint32_t limit = 16) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = T(scattered(std::uint32_t(i) + seed * 0x9e3779b9u) % limit);
  return values;
}

/// The numbers from `first` to `first + count - 1` in an order that looks random.
inline std::vector<int> shuffled(int first, int count, std::uint32_t seed) {
  std::vector<int> numbers(count);
  for (int i = 0; i < count; ++i)
    numbers[i] = first + i;
  for (int i = count - 1; i > 0; --i)
    std::swap(numbers[i], numbers[scattered(std::uint32_t(i) + seed * 0x9e3779b9u) % std::uint32_t(i + 1)]);
  return numbers;
}

/// Milliseconds that the device takes for what `launch` starts.
template <typename Launch> float milliseconds(Launch launch) {
  cudaEvent_t start, stop;
  MUST(cudaEventCreate(&start));
  MUST(cudaEventCreate(&stop));
  MUST(cudaEventRecord(start));
  launch();
  MUST(cudaEventRecord(stop));
  MUST(cudaEventSynchronize(stop));
  MUST(cudaGetLastError());
  float time = 0;
  MUST(cudaEventElapsedTime(&time, start, stop));
  MUST(cudaEventDestroy(start));
  MUST(cudaEventDestroy(stop));
  return time;
}

/// Whether all results are right. Results that are no whole numbers may differ by rounding.
inline bool isRight(const std::vector<double> &results, const std::vector<double> &wanted) {
  if (results.size() != wanted.size())
    return false;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!(std::fabs(results[i] - wanted[i]) <= 1e-4 * (1.0 + std::fabs(wanted[i])))) {
      std::fprintf(stderr, "pair: result %zu is %g, and should be %g\n", i, results[i], wanted[i]);
      return false;
    }
  return true;
}

/// Depends on each result, to a sixteenth, and on its place.
inline unsigned long long checksumOf(const std::vector<double> &results) {
  unsigned long long sum = 0;
  for (const double result : results)
    sum = sum * 31 + (unsigned long long)std::llround(result * 16);
  return sum;
}

/// The program: `Program` is a Pair that is made from its size, a multiple of `multiple`.
template <typename Program> int pairMain(int argc, char **argv, int size, int multiple) {
  int repeats = 1;
  bool good = argc >= 2 && (!std::strcmp(argv[1], "slow") || !std::strcmp(argv[1], "fixed"));
  for (int i = 2; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--repeats"))
      good &= ++i < argc && (repeats = std::atoi(argv[i])) > 0;
    else
      good &= (size = std::atoi(argv[i])) > 0 && size % multiple == 0;
  }
  if (!good) {
    std::fprintf(stderr, "usage: %s slow|fixed [SIZE] [--repeats N]\nSIZE: a multiple of %d\n", argv[0],
                 multiple);
    return 2;
  }
  const Version version = !std::strcmp(argv[1], "slow") ? Version::Slow : Version::Fixed;
  Program program(size);
  const auto run = [&] {
    program.prepare();
    return milliseconds([&] { version == Version::Slow ? program.slow() : program.fixed(); });
  };
  run(); // with repeats, to warm up
  float least = INFINITY;
  for (int repeat = 0; repeats > 1 && repeat < repeats; ++repeat)
    least = std::min(least, run());
  const std::vector<double> results = program.results(version);
  std::printf("checksum: %llu\n", checksumOf(results));
  if (repeats > 1)
    std::printf("time: %.5f\n", least);
  return isRight(results, program.wanted()) ? 0 : 1;
}

#endif
