/// nbody: where do bodies that attract each other go?
///
///     nbody [bodies] [steps]      default: 512 5
///
/// Prints the kinetic energy and the largest difference to what the host
/// computes in double precision; exit 1 when that is more than rounding.
#include "bodies.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr double kTolerance = 1e-4; ///< of positions and velocities, which are about 1

/// A cloud in a unit cube with a total mass of 1, at rest; the same in every run.
HostBodies makeBodies(int count) {
  std::uint32_t state = 777;
  const auto random = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 16777216.0f;
  };
  HostBodies bodies;
  for (int body = 0; body < count; ++body) {
    bodies.x.push_back(random());
    bodies.y.push_back(random());
    bodies.z.push_back(random());
    bodies.mass.push_back((0.5f + random()) / static_cast<float>(count));
  }
  bodies.vx.assign(count, 0);
  bodies.vy.assign(count, 0);
  bodies.vz.assign(count, 0);
  return bodies;
}

/// Steps in double precision; returns the largest difference of any coordinate to those of `device`.
double differenceToHost(const HostBodies &start, const HostBodies &device, int steps) {
  struct Body {
    double at[3], velocity[3], mass;
  };
  std::vector<Body> bodies;
  for (size_t n = 0; n < start.mass.size(); ++n)
    bodies.push_back(
        {{start.x[n], start.y[n], start.z[n]}, {start.vx[n], start.vy[n], start.vz[n]}, start.mass[n]});
  for (int step = 0; step < steps; ++step) {
    for (Body &body : bodies) {
      for (const Body &other : bodies) {
        double distance = kSoftening;
        for (int axis = 0; axis < 3; ++axis)
          distance += (other.at[axis] - body.at[axis]) * (other.at[axis] - body.at[axis]);
        const double pull = kTimeStep * other.mass / (distance * std::sqrt(distance));
        for (int axis = 0; axis < 3; ++axis)
          body.velocity[axis] += pull * (other.at[axis] - body.at[axis]);
      }
    }
    for (Body &body : bodies)
      for (int axis = 0; axis < 3; ++axis)
        body.at[axis] += kTimeStep * body.velocity[axis];
  }
  double largest = 0;
  for (size_t n = 0; n < bodies.size(); ++n) {
    const float at[] = {device.x[n], device.y[n], device.z[n]};
    const float velocity[] = {device.vx[n], device.vy[n], device.vz[n]};
    for (int axis = 0; axis < 3; ++axis) {
      // Written so that a NaN is the largest difference.
      for (double difference : {at[axis] - bodies[n].at[axis], velocity[axis] - bodies[n].velocity[axis]})
        largest = std::abs(difference) <= largest ? largest : std::abs(difference);
    }
  }
  return largest;
}

double kineticEnergy(const HostBodies &bodies) {
  double energy = 0;
  for (size_t n = 0; n < bodies.mass.size(); ++n)
    energy += 0.5 * bodies.mass[n] *
              (bodies.vx[n] * bodies.vx[n] + bodies.vy[n] * bodies.vy[n] + bodies.vz[n] * bodies.vz[n]);
  return energy;
}

} // namespace

int main(int argc, char **argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 512;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 5;
  if (count < 1 || count > 65536 || steps < 0) {
    std::fprintf(stderr, "usage: nbody [bodies, 1 to 65536] [steps, 0 or more]\n");
    return 2;
  }
  const HostBodies start = makeBodies(count);
  HostBodies device = start;
  if (!simulateOnDevice(device, steps))
    return 1;
  const double difference = differenceToHost(start, device, steps);
  const bool equal = difference <= kTolerance;
  std::printf("nbody: %d bodies, %d steps, kinetic energy %.4e, %s (largest difference %.1e)\n", count, steps,
              kineticEnergy(device), equal ? "as on the host" : "WRONG: differs from the host", difference);
  return equal ? 0 : 1;
}
