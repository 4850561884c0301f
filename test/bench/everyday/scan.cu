/// Sums of all elements before each one, by CUB.
#include "workload.h"

#include <cub/device/device_scan.cuh>

namespace {

class Scan : public Workload {
public:
  explicit Scan(int count)
      : host_(makeNumbers(count)), in_(host_), out_(host_.size()), scratch_(scratchBytes(count)) {}

  void run() override {
    std::size_t bytes = scratch_.size();
    MUST(cub::DeviceScan::ExclusiveSum(scratch_.data(), bytes, in_.data(), out_.data(), int(host_.size())));
  }

  bool right() override {
    const std::vector<unsigned> out = out_.values();
    unsigned sum = 0;
    for (std::size_t i = 0; i < out.size(); sum += host_[i++])
      if (out[i] != sum)
        return false;
    return true;
  }

private:
  static std::vector<unsigned> makeNumbers(int count) {
    std::vector<unsigned> numbers(count);
    for (int i = 0; i < count; ++i)
      numbers[i] = scattered(i) % 1000;
    return numbers;
  }
  static std::size_t scratchBytes(int count) {
    std::size_t bytes = 0;
    MUST(
        cub::DeviceScan::ExclusiveSum(nullptr, bytes, (const unsigned *)nullptr, (unsigned *)nullptr, count));
    return bytes;
  }

  std::vector<unsigned> host_;
  DeviceArray<unsigned> in_, out_;
  DeviceArray<char> scratch_;
};

} // namespace

std::unique_ptr<Workload> scan(int size) { return std::make_unique<Scan>(size); }
