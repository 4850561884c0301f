/// hotspot: how warm does a chip get? A 5-point stencil over a square grid.
///
///     hotspot [edge] [steps]      default: 512 10
///
/// Prints the hottest cell and a hash of all temperatures; exit 1 when the
/// device's answer is not, bit by bit, the one that the host computes.
#include "heat.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// A few warm units on a cold chip, the same in every run.
std::vector<float> makePower(int edge) {
  std::vector<float> power(static_cast<size_t>(edge) * edge);
  std::uint32_t state = 12345;
  for (int y = 0; y < edge; ++y) {
    for (int x = 0; x < edge; ++x) {
      state = state * 1664525u + 1013904223u;
      const bool busyUnit = (x * 8 / edge + y * 8 / edge) % 3 == 0;
      power[static_cast<size_t>(y) * edge + x] = (busyUnit ? 2.0f : 0.125f) + (state >> 24) / 256.0f;
    }
  }
  return power;
}

/// The plain answer: the same sums in the same order as in heat.cuh.
void simulateOnHost(std::vector<float> &temperature, const std::vector<float> &power, int edge, int steps) {
  std::vector<float> next(temperature.size());
  for (int step = 0; step < steps; ++step) {
    for (int y = 0; y < edge; ++y) {
      for (int x = 0; x < edge; ++x) {
        const auto at = [&](int column, int row) {
          return temperature[static_cast<size_t>(std::min(std::max(row, 0), edge - 1)) * edge +
                             std::min(std::max(column, 0), edge - 1)];
        };
        const float here = at(x, y);
        const float inflow = (at(x, y - 1) + at(x, y + 1)) + (at(x - 1, y) + at(x + 1, y)) - 4.0f * here;
        const size_t cell = static_cast<size_t>(y) * edge + x;
        const float heating = kHeating * power[cell];
        next[cell] = here + kConduct * inflow + heating + kCooling * (kAmbient - here);
      }
    }
    temperature.swap(next);
  }
}

/// FNV-1a over the bits.
std::uint64_t hashOf(const std::vector<float> &values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (float value : values) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3u;
  }
  return hash;
}

} // namespace

int main(int argc, char **argv) {
  const int edge = argc > 1 ? std::atoi(argv[1]) : 512;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  if (edge < 1 || edge > 16384 || steps < 0) {
    std::fprintf(stderr, "usage: hotspot [edge, 1 to 16384] [steps, 0 or more]\n");
    return 2;
  }
  const std::vector<float> power = makePower(edge);
  const std::vector<float> start(power.size(), kAmbient);

  std::vector<float> device = start;
  if (!simulateOnDevice(device.data(), power.data(), edge, steps))
    return 1;
  std::vector<float> host = start;
  simulateOnHost(host, power, edge, steps);

  const bool equal = std::memcmp(device.data(), host.data(), sizeof(float) * host.size()) == 0;
  std::printf("hotspot: %d x %d cells, %d steps, hottest %.3f, hash %016llx, %s\n", edge, edge, steps,
              *std::max_element(device.begin(), device.end()),
              static_cast<unsigned long long>(hashOf(device)),
              equal ? "as on the host" : "WRONG: differs from the host");
  return equal ? 0 : 1;
}
