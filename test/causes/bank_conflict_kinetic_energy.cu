/// The kinetic energy of particles that lie in memory as structures of eight words, brought through shared memory.
///
/// The block copies neighbouring words, and each thread takes the fields of its own particle: those of neighbours are
/// eight words apart, so that the same field of every fourth particle is in one bank.
/// Fix: an array for each field; each is four words longer than the block, so that the copy's stores are in different banks, too.
/// cause: bank-conflict
///
/// SIZE: particles, a multiple of 128; for a GPU 8388608.
#include "pair.h"

namespace {

constexpr int kBlock = 128, kWords = 8; ///< position, velocity, mass, charge

__global__ void energySlow(const float *in, float *out) {
  __shared__ float particles[kBlock * kWords];
  const int t = threadIdx.x;
  for (int i = t; i < kBlock * kWords; i += kBlock)
    particles[i] = in[blockIdx.x * kBlock * kWords + i];
  __syncthreads();
  const float *p = particles + t * kWords;
  out[blockIdx.x * kBlock + t] = 0.5f * p[6] * (p[3] * p[3] + p[4] * p[4] + p[5] * p[5]); // <- waste: loads
}

__global__ void energyFixed(const float *in, float *out) {
  __shared__ float particles[kWords][kBlock + 4];
  const int t = threadIdx.x;
  for (int i = t; i < kBlock * kWords; i += kBlock)
    particles[i % kWords][i / kWords] = in[blockIdx.x * kBlock * kWords + i];
  __syncthreads();
  const auto &p = particles;
  out[blockIdx.x * kBlock + t] = 0.5f * p[6][t] * (p[3][t] * p[3][t] + p[4][t] * p[4][t] + p[5][t] * p[5][t]);
}

class KineticEnergy : public Pair {
public:
  explicit KineticEnergy(int size)
      : host_(wholeNumbers<float>(std::size_t(size) * kWords, 1)), in_(host_), out_(size) {}

  void slow() override { energySlow<<<int(out_.size()) / kBlock, kBlock>>>(in_.data(), out_.data()); }
  void fixed() override { energyFixed<<<int(out_.size()) / kBlock, kBlock>>>(in_.data(), out_.data()); }
  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (std::size_t i = 0; i < host_.size(); i += kWords)
      wanted.push_back(
          0.5 * host_[i + 6] *
          (host_[i + 3] * host_[i + 3] + host_[i + 4] * host_[i + 4] + host_[i + 5] * host_[i + 5]));
    return wanted;
  }

private:
  std::vector<float> host_;
  DeviceArray<float> in_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<KineticEnergy>(argc, argv, 32768, 128); }
