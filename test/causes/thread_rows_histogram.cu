/// How often each byte occurs in a file.
///
/// Shares of a CPU's threads are pieces of the file, one behind the other; so each GPU thread gets a piece,
/// too. It walks along its piece, and threads of a warp are a piece apart.
/// Fix: a stride of the grid: thread t takes the words of four bytes t, t + threads, t + 2 threads ...
/// cause: thread-rows
///
/// SIZE: bytes, a multiple of 16384; for a GPU 268435456.
#include "pair.h"

namespace {

constexpr int kBins = 256, kThreads = 256, kPerThread = 64;

__global__ void histogramSlow(const unsigned char *data, unsigned *counts, int n) {
  __shared__ unsigned mine[kBins];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const int piece = n / threads;
  for (int i = thread * piece; i < (thread + 1) * piece; ++i)
    atomicAdd(&mine[data[i]], 1u); // <- waste: load
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

__global__ void histogramFixed(const uchar4 *data, unsigned *counts, int fours) {
  __shared__ unsigned mine[kBins];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int i = thread; i < fours; i += threads) {
    const uchar4 four = data[i];
    for (const unsigned byte : {four.x, four.y, four.z, four.w})
      atomicAdd(&mine[byte], 1u);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

class Histogram : public Pair {
public:
  explicit Histogram(int n) : host_(wholeNumbers<unsigned char>(n, 1, 256)), data_(host_), counts_(kBins) {}

  void prepare() override { counts_.clear(); }

  void slow() override {
    histogramSlow<<<blocks(), kThreads>>>(data_.data(), counts_.data(), int(host_.size()));
  }
  void fixed() override {
    histogramFixed<<<blocks(), kThreads>>>(reinterpret_cast<const uchar4 *>(data_.data()), counts_.data(),
                                           int(host_.size()) / 4);
  }

  std::vector<double> results(Version) const override { return counts_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(kBins);
    for (const unsigned char byte : host_)
      ++wanted[byte];
    return wanted;
  }

private:
  int blocks() const { return int(host_.size()) / (kThreads * kPerThread); }

  std::vector<unsigned char> host_;
  DeviceArray<unsigned char> data_;
  DeviceArray<unsigned> counts_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Histogram>(argc, argv, 262144, 16384); }
