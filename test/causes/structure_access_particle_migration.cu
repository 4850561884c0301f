/// Particles that leave a domain are packed, for a message to the neighbour that they go to. They are sorted
/// by cell, so that those of the layer at the border lie together.
///
/// A particle is copied as one value of 48 bytes. The machine moves at most 16 bytes at a time, and of
/// numbers that are aligned to 4 only 4: twelve loads and twelve stores, in each of which threads of a warp
/// are 48 bytes apart.
/// Fix: three arrays of float4, moved as values of __ldg, 16 bytes at once.
/// cause: structure-access
///
/// SIZE: particles, a multiple of 1024, of which a quarter leaves; for a GPU 8388608.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

struct Particle {
  float position[3], velocity[3], force[3], mass, charge, id;
};

struct Particles {
  float4 *positionAndMass, *velocityAndCharge, *forceAndId;
};

__global__ void packSlow(const Particle *particles, Particle *message, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  message[i] = particles[first + i]; // <- waste: load
}

__global__ void packFixed(Particles particles, Particles message, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  message.positionAndMass[i] = __ldg(particles.positionAndMass + first + i);
  message.velocityAndCharge[i] = __ldg(particles.velocityAndCharge + first + i);
  message.forceAndId[i] = __ldg(particles.forceAndId + first + i);
}

class ParticleMigration : public Pair {
public:
  explicit ParticleMigration(int count)
      : count_(count), host_(makeParticles(count)), particles_(host_), message_(count / 4),
        parts_(split(host_)), messageParts_(count / 4 * 3) {}

  void slow() override {
    packSlow<<<leaving() / kThreads, kThreads>>>(particles_.data(), message_.data(), count_ - leaving());
  }

  void fixed() override {
    packFixed<<<leaving() / kThreads, kThreads>>>(arrays(parts_, count_), arrays(messageParts_, leaving()),
                                                  count_ - leaving());
  }

  std::vector<double> results(Version version) const override {
    return version == Version::Slow ? numbers(split(message_.values())) : numbers(messageParts_.values());
  }

  std::vector<double> wanted() const override {
    return numbers(split(std::vector<Particle>(host_.end() - leaving(), host_.end())));
  }

private:
  int leaving() const { return count_ / 4; }

  static Particles arrays(DeviceArray<float4> &parts, int count) {
    return {parts.data(), parts.data() + count, parts.data() + 2 * count};
  }

  static std::vector<Particle> makeParticles(int count) {
    const std::vector<float> n = wholeNumbers<float>(std::size_t(count) * 12, 1);
    std::vector<Particle> particles(count);
    std::memcpy(particles.data(), n.data(), n.size() * sizeof(float));
    return particles;
  }

  static std::vector<float4> split(const std::vector<Particle> &particles) {
    const std::size_t count = particles.size();
    std::vector<float4> parts(count * 3);
    for (std::size_t i = 0; i < count; ++i) {
      const Particle &p = particles[i];
      parts[i] = make_float4(p.position[0], p.position[1], p.position[2], p.mass);
      parts[count + i] = make_float4(p.velocity[0], p.velocity[1], p.velocity[2], p.charge);
      parts[2 * count + i] = make_float4(p.force[0], p.force[1], p.force[2], p.id);
    }
    return parts;
  }

  static std::vector<double> numbers(const std::vector<float4> &parts) {
    std::vector<double> numbers;
    for (const float4 &part : parts)
      numbers.insert(numbers.end(), {part.x, part.y, part.z, part.w});
    return numbers;
  }

  int count_;
  std::vector<Particle> host_;
  DeviceArray<Particle> particles_, message_;
  DeviceArray<float4> parts_, messageParts_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<ParticleMigration>(argc, argv, 131072, 1024); }
