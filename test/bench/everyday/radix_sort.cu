/// Keys sorted by CUB.
#include "workload.h"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

namespace {

class RadixSort : public Workload {
public:
  explicit RadixSort(int count)
      : host_(makeKeys(count)), in_(host_), out_(host_.size()), scratch_(scratchBytes(count)) {}

  void run() override {
    std::size_t bytes = scratch_.size();
    MUST(cub::DeviceRadixSort::SortKeys(scratch_.data(), bytes, in_.data(), out_.data(), int(host_.size())));
  }

  bool right() override {
    std::vector<unsigned> wanted = host_;
    std::sort(wanted.begin(), wanted.end());
    return out_.values() == wanted;
  }

private:
  static std::vector<unsigned> makeKeys(int count) {
    std::vector<unsigned> keys(count);
    for (int i = 0; i < count; ++i)
      keys[i] = scattered(i);
    return keys;
  }
  static std::size_t scratchBytes(int count) {
    std::size_t bytes = 0;
    MUST(cub::DeviceRadixSort::SortKeys(nullptr, bytes, (const unsigned *)nullptr, (unsigned *)nullptr,
                                        count));
    return bytes;
  }

  std::vector<unsigned> host_;
  DeviceArray<unsigned> in_, out_;
  DeviceArray<char> scratch_;
};

} // namespace

std::unique_ptr<Workload> radix_sort(int size) { return std::make_unique<RadixSort>(size); }
