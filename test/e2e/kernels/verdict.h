/// What every program here needs around its kernels: memory that is filled and
/// read back, a comparison, and the last line
///
///     NAME: hash 0123456789abcdef, right
///
/// with a hash over everything that was compared. The exit status is 0 when all
/// was right, 1 when a result was wrong, 2 when a CUDA call failed.
#ifndef CUPR_E2E_VERDICT_H
#define CUPR_E2E_VERDICT_H

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/// Ends the program when a CUDA call did not succeed.
inline void must(cudaError_t status, const char *call, int line) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(status));
  std::exit(2);
}
#define MUST(call) must((call), #call, __LINE__)

/// `count` elements of device memory.
template <typename T> class Device {
public:
  explicit Device(std::size_t count) : count_(count) { MUST(cudaMalloc(&data_, count * sizeof(T))); }
  explicit Device(const std::vector<T> &values) : Device(values.size()) {
    MUST(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device() { cudaFree(data_); }

  operator T *() const { return data_; }
  /// The contents, after all work in the default stream.
  std::vector<T> read() const {
    std::vector<T> values(count_);
    MUST(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

private:
  T *data_ = nullptr;
  std::size_t count_;
};

/// `count` values made by `make(index)`.
template <typename T, typename Make> std::vector<T> generate(std::size_t count, Make make) {
  std::vector<T> values(count);
  for (std::size_t index = 0; index < count; ++index)
    values[index] = make(index);
  return values;
}

class Verdict {
public:
  explicit Verdict(const char *name) : name_(name) {}

  /// Compares bit by bit, says where the first difference is, and adds `found` to the hash.
  template <typename T>
  void equal(const char *what, const std::vector<T> &found, const std::vector<T> &wanted) {
    bool right = found.size() == wanted.size();
    for (std::size_t index = 0; right && index < found.size(); ++index) {
      if (std::memcmp(&found[index], &wanted[index], sizeof(T)) == 0)
        continue;
      std::fprintf(stderr, "%s: %s differs at element %zu of %zu\n", name_, what, index, found.size());
      right = false;
    }
    right_ = right_ && right;
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(found.data());
    for (std::size_t index = 0; index < found.size() * sizeof(T); ++index)
      hash_ = (hash_ ^ bytes[index]) * 0x100000001b3u; // FNV-1a
  }

  /// Prints the last line; the exit status of the program.
  int finish() const {
    std::printf("%s: hash %016llx, %s\n", name_, static_cast<unsigned long long>(hash_),
                right_ ? "right" : "WRONG");
    return right_ ? 0 : 1;
  }

private:
  const char *name_;
  bool right_ = true;
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

#endif
