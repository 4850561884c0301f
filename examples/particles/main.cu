/// particles: they move, and then somebody asks for their heights alone; as an array of structures, and as a structure of arrays.
///
///     particles [count] [steps]      default: 50000 2
///
/// Exit 1 when a height is not the host's.
#include "particles.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

std::vector<Particle> makeParticles(int count) {
  std::vector<Particle> particles;
  for (int at = 0; at < count; ++at) {
    const auto number = [&](int modulus) { return static_cast<float>(at % modulus - modulus / 2) / 3; };
    particles.push_back({{number(11), number(13), number(17)}, {number(19), number(23), number(29)}});
  }
  return particles;
}

std::vector<float> heightsOnHost(std::vector<Particle> particles, int steps) {
  std::vector<float> heights;
  for (Particle &particle : particles) {
    for (int step = 0; step < steps; ++step)
      particle.position = moved(particle.position, particle.velocity);
    heights.push_back(particle.position.z);
  }
  return heights;
}

} // namespace

int main(int argc, char **argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 50000, steps = argc > 2 ? std::atoi(argv[2]) : 2;
  if (count < 1 || count > 1 << 26 || steps < 0 || steps > 100000) {
    std::fprintf(stderr, "usage: particles [count, 1 to 67108864] [steps, 0 to 100000]\n");
    return 2;
  }
  const std::vector<Particle> particles = makeParticles(count);
  const std::vector<float> structures = heightsOnDevice(particles, steps, Layout::Structures);
  const std::vector<float> arrays = heightsOnDevice(particles, steps, Layout::Arrays);
  if (structures.empty() || arrays.empty())
    return 1;
  const std::vector<float> host = heightsOnHost(particles, steps);
  const bool equal = structures == host && arrays == host;
  const auto [lowest, highest] = std::minmax_element(host.begin(), host.end());
  std::printf("particles: %d, %d steps, heights from %g to %g, %s\n", count, steps, *lowest, *highest,
              equal ? "as on the host" : "WRONG: differs from the host");
  return equal ? 0 : 1;
}
