/// Particles in both layouts, how one moves, and the calls between the files of this program.
#ifndef PARTICLES_PARTICLES_H
#define PARTICLES_PARTICLES_H

#include <cmath>
#include <vector>

#ifdef __CUDACC__
#define PARTICLES_BOTH __host__ __device__
#else
#define PARTICLES_BOTH
#endif

struct Vector {
  float x, y, z;
};
struct Particle {
  Vector position, velocity;
};
static_assert(sizeof(Particle) == 24, "six numbers, side by side");

constexpr float kTimeStep = 0.125f;

/// Where one is a step later. One rounding each, on host and device.
PARTICLES_BOTH inline Vector moved(const Vector &position, const Vector &velocity) {
  return {fmaf(kTimeStep, velocity.x, position.x), fmaf(kTimeStep, velocity.y, position.y),
          fmaf(kTimeStep, velocity.z, position.z)};
}

enum class Layout { Structures, Arrays };

/// Moves all, and gives their heights (z). Empty when a CUDA call failed, after saying which.
std::vector<float> heightsOnDevice(const std::vector<Particle> &particles, int steps, Layout layout);

#endif
