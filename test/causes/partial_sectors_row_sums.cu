/// The sum of each row of a table of 32 columns, as of attributes that are added up for each record.
///
/// A warp takes a row, and one of its threads stores the sum: eight warps store to one sector, one after the
/// other.
/// Fix: a warp takes 32 rows, each of its threads keeps a row's sum, and all store together.
/// cause: partial-sectors
///
/// SIZE: rows, a multiple of 256; for a GPU 2097152.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

__device__ float sumOfWarp(float value) {
  for (int apart = 16; apart != 0; apart /= 2)
    value += __shfl_xor_sync(0xffffffff, value, apart);
  return value;
}

__global__ void sumsSlow(const float *table, float *sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = sumOfWarp(table[i]);
  if (threadIdx.x % 32 == 0)
    sums[i / 32] = sum; // <- waste: store
}

__global__ void sumsFixed(const float *table, float *sums) {
  const int lane = threadIdx.x % 32, first = blockIdx.x * blockDim.x + threadIdx.x - lane;
  float mine = 0;
  for (int row = 0; row < 32; ++row) {
    const float sum = sumOfWarp(table[(first + row) * 32 + lane]);
    mine = row == lane ? sum : mine;
  }
  sums[first + lane] = mine;
}

class RowSums : public Pair {
public:
  explicit RowSums(int rows)
      : rows_(rows), host_(wholeNumbers<float>(std::size_t(rows) * 32, 1)), table_(host_), sums_(rows) {}

  void slow() override { sumsSlow<<<rows_ / kWarps, kThreads>>>(table_.data(), sums_.data()); }
  void fixed() override { sumsFixed<<<rows_ / kThreads, kThreads>>>(table_.data(), sums_.data()); }

  std::vector<double> results(Version) const override { return sums_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(rows_);
    for (std::size_t i = 0; i < host_.size(); ++i)
      wanted[i / 32] += host_[i];
    return wanted;
  }

private:
  int rows_;
  std::vector<float> host_;
  DeviceArray<float> table_, sums_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<RowSums>(argc, argv, 4096, 256); }
