/// The sum of each block's part of an array, by a tree in shared memory.
///
/// The tree begins with neighbours: in each step the elements that are added lie twice as far apart, and so do those of
/// neighbouring threads.
/// Fix: begin with the two halves, so that neighbouring threads always add neighbouring elements.
/// cause: bank-conflict
///
/// SIZE: numbers, a multiple of 256; for a GPU 67108864.
#include "pair.h"

namespace {

constexpr int kBlock = 256;

__global__ void sumsSlow(const float *in, float *out) {
  __shared__ float part[kBlock];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  for (int step = 1; step < kBlock; step *= 2) {
    __syncthreads();
    const int at = 2 * step * t;
    if (at < kBlock)
      part[at] += part[at + step]; // <- waste: load, and store
  }
  __syncthreads();
  if (t == 0)
    out[blockIdx.x] = part[0];
}

__global__ void sumsFixed(const float *in, float *out) {
  __shared__ float part[kBlock];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  for (int step = kBlock / 2; step > 0; step /= 2) {
    __syncthreads();
    if (t < step)
      part[t] += part[t + step];
  }
  __syncthreads();
  if (t == 0)
    out[blockIdx.x] = part[0];
}

class BlockSums : public Pair {
public:
  explicit BlockSums(int size)
      : host_(wholeNumbers<float>(size, 1)), in_(host_), out_(std::size_t(size) / kBlock) {}

  void slow() override { sumsSlow<<<int(out_.size()), kBlock>>>(in_.data(), out_.data()); }
  void fixed() override { sumsFixed<<<int(out_.size()), kBlock>>>(in_.data(), out_.data()); }
  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(out_.size());
    for (std::size_t i = 0; i < host_.size(); ++i)
      wanted[i / kBlock] += host_[i];
    return wanted;
  }

private:
  std::vector<float> host_;
  DeviceArray<float> in_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<BlockSums>(argc, argv, 65536, 256); }
