/// An everyday kernel with its data: what each file of this folder gives, and what the driver (everyday.cu) times.
///
/// The kernels are written as people write them, not to suit a tracer. Data come from formulas, so that each run has
/// the same; results are held against plain host code, all of them where there are few, else some of them.
#ifndef CUPR_TEST_BENCH_EVERYDAY_WORKLOAD_H
#define CUPR_TEST_BENCH_EVERYDAY_WORKLOAD_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#define MUST(call) must((call), #call)
inline void must(cudaError_t status, const char *call) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "everyday: %s: %s\n", call, cudaGetErrorString(status));
  std::exit(2);
}

class Workload {
public:
  virtual ~Workload() = default;

  /// What is timed: a launch, or the few calls that belong together. Does not wait for the device unless the
  /// program that it stands for would.
  virtual void run() = 0;

  /// Whether what the runs so far left on the device is right.
  virtual bool right() = 0;
};

#define EVERYDAY(name, full, small, meaning) std::unique_ptr<Workload> name(int size);
#include "everyday.def"
#undef EVERYDAY

/// Device memory for `size()` elements.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(std::size_t size) : size_(size) { MUST(cudaMalloc(&data_, size * sizeof(T))); }
  explicit DeviceArray(const std::vector<T> &values) : DeviceArray(values.size()) {
    MUST(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  T *data() { return data_; }
  std::size_t size() const { return size_; }
  std::vector<T> values() const {
    std::vector<T> values(size_);
    MUST(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
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

/// Numbers in [-1, 1) that look random.
inline std::vector<float> randomFloats(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = float(std::int32_t(scattered(std::uint32_t(i) + seed * 0x9e3779b9u))) / 2147483648.0f;
  return values;
}

/// At most about `wanted` of the indices below `count`: all of them, or some with no period that a grid could have.
inline std::vector<std::size_t> sample(std::size_t count, std::size_t wanted) {
  std::vector<std::size_t> indices;
  const std::size_t step = count <= wanted ? 1 : count / wanted | 1;
  for (std::size_t i = 0; i < count; i += step)
    indices.push_back(i);
  return indices;
}

/// `allowed`: for rounding, beside the number's own size.
inline bool isClose(double value, double wanted, double allowed) {
  return std::fabs(value - wanted) <= allowed * (1.0 + std::fabs(wanted));
}

#endif
