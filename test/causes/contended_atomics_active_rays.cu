/// The rays of a path tracer that are still on their way are packed, for the launch of the next bounce.
///
/// Each warp counts its own by a vote, and takes so many places of the list by one atomic, as it is usually
/// written. All warps of the grid meet at the one counter.
/// Fix: a block counts its own first, and takes all of its places at once.
/// cause: contended-atomics
///
/// SIZE: rays, a multiple of 2048; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kThreads = 512, kWarps = kThreads / 32;

__device__ bool isActive(float energy) { return energy > 5.0f; }
__device__ int rankAmong(unsigned votes) { return __popc(votes & ((1u << threadIdx.x % 32) - 1)); }

__global__ void packSlow(const float *energies, int *active, int *count) {
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned votes = __ballot_sync(0xffffffff, isActive(energies[ray]));
  int first = 0;
  if (threadIdx.x % 32 == 0)
    first = atomicAdd(count, __popc(votes)); // <- waste: atomic
  first = __shfl_sync(0xffffffff, first, 0);
  if (votes >> threadIdx.x % 32 & 1)
    active[first + rankAmong(votes)] = ray;
}

__global__ void packFixed(const float *energies, int *active, int *count) {
  __shared__ int firstOf[kWarps];
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned votes = __ballot_sync(0xffffffff, isActive(energies[ray]));
  if (threadIdx.x % 32 == 0)
    firstOf[threadIdx.x / 32] = __popc(votes);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int warp = 0; warp < kWarps; ++warp)
      sum += firstOf[warp];
    int first = atomicAdd(count, sum);
    for (int warp = 0; warp < kWarps; ++warp) {
      const int ofWarp = firstOf[warp];
      firstOf[warp] = first;
      first += ofWarp;
    }
  }
  __syncthreads();
  if (votes >> threadIdx.x % 32 & 1)
    active[firstOf[threadIdx.x / 32] + rankAmong(votes)] = ray;
}

class ActiveRays : public Pair {
public:
  explicit ActiveRays(int rays)
      : rays_(rays), host_(wholeNumbers<float>(rays, 1)), energies_(host_), active_(rays), count_(1) {}

  void prepare() override { count_.clear(); }

  void slow() override {
    packSlow<<<rays_ / kThreads, kThreads>>>(energies_.data(), active_.data(), count_.data());
  }
  void fixed() override {
    packFixed<<<rays_ / kThreads, kThreads>>>(energies_.data(), active_.data(), count_.data());
  }

  /// Blocks come in any order, and so do the rays.
  std::vector<double> results(Version) const override {
    std::vector<double> active = active_.doubles();
    active.resize(std::size_t(count_.values()[0]));
    std::sort(active.begin(), active.end());
    return active;
  }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int ray = 0; ray < rays_; ++ray)
      if (host_[ray] > 5.0f)
        wanted.push_back(ray);
    return wanted;
  }

private:
  int rays_;
  std::vector<float> host_;
  DeviceArray<float> energies_;
  DeviceArray<int> active_, count_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<ActiveRays>(argc, argv, 131072, 2048); }
