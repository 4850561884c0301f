/// Fields of structures in an array: `x` (offset 0) and `id` (offset 12) of a 20-byte particle are loaded,
/// `z` (offset 8) is stored; in a nested one the inner field at offset 16. The fields do not touch, so they
/// stay separate accesses of 4 bytes. 2 blocks of 64: 256 loads and 128 stores; then 128 loads of 2 bytes
/// and 128 stores.
#include "verdict.h"

struct Particle {
  float x, y, z;
  int id;
  int unused;
};

struct Inner {
  int before;
  short field;
  short after;
};

struct Outer {
  int head;
  Inner pair[2]; // at 4 and 12; pair[1].field at 16
  int tail;
};

__global__ void moveParticles(Particle *particles) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  particles[i].z = particles[i].x * float(particles[i].id);
}

__global__ void innerField(const Outer *from, Outer *to) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  to[i].tail = from[i].pair[1].field;
}

int main() {
  const int n = 128;
  auto particles =
      generate<Particle>(n, [](std::size_t i) { return Particle{float(i), 1, 2, int(i % 5), 4}; });
  const auto outers = generate<Outer>(n, [](std::size_t i) {
    const short field = short(2 * i);
    return Outer{1, {{2, 3, 4}, {5, field, 6}}, 7};
  });
  Device<Particle> deviceParticles(particles);
  Device<Outer> from(outers), to(outers);
  moveParticles<<<2, 64>>>(deviceParticles);
  innerField<<<2, 64>>>(from, to);
  for (Particle &particle : particles)
    particle.z = particle.x * float(particle.id);
  Verdict verdict("struct_fields");
  verdict.equal("particles", deviceParticles.read(), particles);
  verdict.equal("outers", to.read(), generate<Outer>(n, [&](std::size_t i) {
                  Outer outer = outers[i];
                  outer.tail = int(2 * i);
                  return outer;
                }));
  return verdict.finish();
}
