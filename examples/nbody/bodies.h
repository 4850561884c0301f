/// The bodies, and the calls between the files of this program.
#ifndef NBODY_BODIES_H
#define NBODY_BODIES_H

#include <vector>

constexpr float kTimeStep = 0.01f;
constexpr float kSoftening = 0.01f; ///< added to squared distances: bodies that meet stay finite

/// One array per quantity. Positions and velocities change, masses don't.
struct Bodies {
  float *x, *y, *z;
  float *vx, *vy, *vz;
  const float *mass;
};

/// The same on the host.
struct HostBodies {
  std::vector<float> x, y, z, vx, vy, vz, mass;
};

/// Moves the bodies on by `steps` steps, on the device. Returns false when a CUDA call failed, after saying
/// which.
bool simulateOnDevice(HostBodies &bodies, int steps);

#endif
