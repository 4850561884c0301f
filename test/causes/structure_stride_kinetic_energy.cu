/// The kinetic energy of each particle, from its mass and its velocity.
///
/// A particle is an object, so an array of particles is one of structures. The kernel wants four of their
/// eight numbers, one after the other, and threads of a warp are a structure apart: the other numbers come
/// along each time.
/// Fix: an array for each number.
/// cause: structure-stride
///
/// SIZE: particles, a multiple of 256; for a GPU 8388608.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

struct Particle {
  float x, y, z, velocityX, velocityY, velocityZ, mass, charge;
};

struct Particles { ///< the numbers that are wanted here
  const float *velocityX, *velocityY, *velocityZ, *mass;
};

__global__ void kineticEnergySlow(const Particle *particles, float *energy) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Particle &p = particles[i];
  const float x = p.velocityX, y = p.velocityY, z = p.velocityZ, mass = p.mass; // <- waste: load
  energy[i] = 0.5f * mass * (x * x + y * y + z * z);
}

__global__ void kineticEnergyFixed(Particles p, float *energy) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = p.velocityX[i], y = p.velocityY[i], z = p.velocityZ[i], mass = p.mass[i];
  energy[i] = 0.5f * mass * (x * x + y * y + z * z);
}

class KineticEnergy : public Pair {
public:
  explicit KineticEnergy(int count)
      : count_(count), host_(makeParticles(count)), particles_(host_),
        velocityX_(field(&Particle::velocityX)), velocityY_(field(&Particle::velocityY)),
        velocityZ_(field(&Particle::velocityZ)), mass_(field(&Particle::mass)), energy_(count) {}

  void slow() override {
    kineticEnergySlow<<<count_ / kThreads, kThreads>>>(particles_.data(), energy_.data());
  }

  void fixed() override {
    kineticEnergyFixed<<<count_ / kThreads, kThreads>>>(
        {velocityX_.data(), velocityY_.data(), velocityZ_.data(), mass_.data()}, energy_.data());
  }

  std::vector<double> results(Version) const override { return energy_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const Particle &p : host_)
      wanted.push_back(0.5 * p.mass *
                       (p.velocityX * p.velocityX + p.velocityY * p.velocityY + p.velocityZ * p.velocityZ));
    return wanted;
  }

private:
  static std::vector<Particle> makeParticles(int count) {
    const std::vector<float> n = wholeNumbers<float>(std::size_t(count) * 8, 1);
    std::vector<Particle> particles;
    for (std::size_t i = 0; i < n.size(); i += 8)
      particles.push_back({n[i], n[i + 1], n[i + 2], n[i + 3], n[i + 4], n[i + 5], n[i + 6], n[i + 7]});
    return particles;
  }

  std::vector<float> field(float Particle::*member) const {
    std::vector<float> values;
    for (const Particle &particle : host_)
      values.push_back(particle.*member);
    return values;
  }

  int count_;
  std::vector<Particle> host_;
  DeviceArray<Particle> particles_;
  DeviceArray<float> velocityX_, velocityY_, velocityZ_, mass_, energy_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<KineticEnergy>(argc, argv, 65536, 256); }
