/// How often each byte occurs: each block counts in shared memory, and adds that to the result.
#include "workload.h"

namespace {

constexpr int kBins = 256, kThreads = 256, kBlocks = 1024;

__global__ void histogramKernel(const unsigned char *data, unsigned *counts, int n) {
  __shared__ unsigned mine[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x)
    mine[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x)
    atomicAdd(&counts[bin], mine[bin]);
}

class Histogram : public Workload {
public:
  explicit Histogram(int n) : host_(makeBytes(n)), data_(host_), counts_(kBins) {}

  void run() override {
    MUST(cudaMemsetAsync(counts_.data(), 0, kBins * sizeof(unsigned)));
    histogramKernel<<<kBlocks, kThreads>>>(data_.data(), counts_.data(), int(host_.size()));
  }

  bool right() override {
    std::vector<unsigned> wanted(kBins);
    for (const unsigned char byte : host_)
      ++wanted[byte];
    return counts_.values() == wanted;
  }

private:
  static std::vector<unsigned char> makeBytes(int n) {
    std::vector<unsigned char> bytes(n);
    for (int i = 0; i < n; ++i)
      bytes[i] = (unsigned char)(scattered(i));
    return bytes;
  }

  std::vector<unsigned char> host_;
  DeviceArray<unsigned char> data_;
  DeviceArray<unsigned> counts_;
};

} // namespace

std::unique_ptr<Workload> histogram(int size) { return std::make_unique<Histogram>(size); }
