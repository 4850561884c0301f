/// How many of each detector's samples are above a threshold; a block takes a detector.
///
/// The warps of a block add to its own counter, from step to step. The counters lie side by side, so eight
/// blocks wait for one sector.
/// Fix: count in a register, add up within the block, and store the sum once.
/// cause: false-sharing
///
/// SIZE: detectors, a multiple of 2; for a GPU 8192.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32, kSamples = 64 * kThreads;

__device__ bool isHit(unsigned short sample) { return sample > 11; }

__global__ void hitsSlow(const unsigned short *samples, unsigned *hits) {
  const unsigned short *const mine = samples + std::size_t(blockIdx.x) * kSamples;
  for (int i = threadIdx.x; i < kSamples; i += kThreads) {
    const unsigned votes = __ballot_sync(0xffffffff, isHit(mine[i]));
    if (threadIdx.x % 32 == 0)
      atomicAdd(&hits[blockIdx.x], unsigned(__popc(votes))); // <- waste: atomic
  }
}

__global__ void hitsFixed(const unsigned short *samples, unsigned *hits) {
  __shared__ unsigned ofWarps[kWarps];
  const unsigned short *const mine = samples + std::size_t(blockIdx.x) * kSamples;
  unsigned ofWarp = 0;
  for (int i = threadIdx.x; i < kSamples; i += kThreads)
    ofWarp += unsigned(__popc(__ballot_sync(0xffffffff, isHit(mine[i]))));
  if (threadIdx.x % 32 == 0)
    ofWarps[threadIdx.x / 32] = ofWarp;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int warp = 0; warp < kWarps; ++warp)
      sum += ofWarps[warp];
    hits[blockIdx.x] = sum;
  }
}

class DetectorHits : public Pair {
public:
  explicit DetectorHits(int detectors)
      : detectors_(detectors), host_(wholeNumbers<unsigned short>(std::size_t(detectors) * kSamples, 1)),
        samples_(host_), hits_(detectors) {}

  void prepare() override { hits_.clear(); }

  void slow() override { hitsSlow<<<detectors_, kThreads>>>(samples_.data(), hits_.data()); }
  void fixed() override { hitsFixed<<<detectors_, kThreads>>>(samples_.data(), hits_.data()); }

  std::vector<double> results(Version) const override { return hits_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(detectors_);
    for (std::size_t i = 0; i < host_.size(); ++i)
      wanted[i / kSamples] += host_[i] > 11;
    return wanted;
  }

private:
  int detectors_;
  std::vector<unsigned short> host_;
  DeviceArray<unsigned short> samples_;
  DeviceArray<unsigned> hits_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<DetectorHits>(argc, argv, 32, 2); }
