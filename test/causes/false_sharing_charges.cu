/// The charge in each cell of a plasma; a block takes a cell, whose particles lie one behind the other.
///
/// Each warp adds the sum of its 32 particles to the cell's charge at once. Cells lie side by side, so eight
/// blocks wait for one sector.
/// Fix: each thread sums up its own particles, and the block adds and stores once.
/// cause: false-sharing
///
/// SIZE: cells, a multiple of 2; for a GPU 4096.
#include "pair.h"

namespace {

constexpr int kThreads = 128, kWarps = kThreads / 32, kParticles = 96 * kThreads;

__device__ float sumOfWarp(float value) {
  for (int apart = 16; apart != 0; apart /= 2)
    value += __shfl_xor_sync(0xffffffff, value, apart);
  return value;
}

__global__ void chargesSlow(const float *charges, float *ofCells) {
  const float *const mine = charges + std::size_t(blockIdx.x) * kParticles;
  for (int i = threadIdx.x; i < kParticles; i += kThreads) {
    const float sum = sumOfWarp(mine[i]);
    if (threadIdx.x % 32 == 0)
      atomicAdd(&ofCells[blockIdx.x], sum); // <- waste: atomic
  }
}

__global__ void chargesFixed(const float *charges, float *ofCells) {
  __shared__ float ofWarps[kWarps];
  const float *const mine = charges + std::size_t(blockIdx.x) * kParticles;
  float sum = 0;
  for (int i = threadIdx.x; i < kParticles; i += kThreads)
    sum += mine[i];
  sum = sumOfWarp(sum);
  if (threadIdx.x % 32 == 0)
    ofWarps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float ofBlock = 0;
    for (int warp = 0; warp < kWarps; ++warp)
      ofBlock += ofWarps[warp];
    ofCells[blockIdx.x] = ofBlock;
  }
}

class Charges : public Pair {
public:
  explicit Charges(int cells)
      : cells_(cells), host_(wholeNumbers<float>(std::size_t(cells) * kParticles, 1)), charges_(host_),
        ofCells_(cells) {}

  void prepare() override { ofCells_.clear(); }

  void slow() override { chargesSlow<<<cells_, kThreads>>>(charges_.data(), ofCells_.data()); }
  void fixed() override { chargesFixed<<<cells_, kThreads>>>(charges_.data(), ofCells_.data()); }

  std::vector<double> results(Version) const override { return ofCells_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(cells_);
    for (std::size_t i = 0; i < host_.size(); ++i)
      wanted[i / kParticles] += host_[i];
    return wanted;
  }

private:
  int cells_;
  std::vector<float> host_;
  DeviceArray<float> charges_, ofCells_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Charges>(argc, argv, 32, 2); }
