/// hotspot3d: how warm does a stack of chips get? A 7-point stencil over square layers.
///
///     hotspot3d [edge] [layers] [steps]      default: 512 8 10
///
/// Prints the hottest cell and a hash of all temperatures; exit 1 when the
/// device's answer is not, bit by bit, the one that the host computes.
#include "stack.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

/// Each layer has a few warm units, in other places than its neighbours; the same in every run.
std::vector<float> makePower(int edge, int layers) {
  std::vector<float> power;
  power.reserve(static_cast<size_t>(edge) * edge * layers);
  std::uint32_t state = 54321;
  for (int z = 0; z < layers; ++z) {
    for (int y = 0; y < edge; ++y) {
      for (int x = 0; x < edge; ++x) {
        state = state * 1664525u + 1013904223u;
        const bool busyUnit = (x * 8 / edge + y * 8 / edge + z) % 4 == 0;
        power.push_back((busyUnit ? 2.0f : 0.125f) + (state >> 24) / 256.0f);
      }
    }
  }
  return power;
}

/// The plain answer: the same sums in the same order as in stack.cuh.
void simulateOnHost(std::vector<float> &temperature, const Stack &stack, int steps) {
  const int edge = stack.edge;
  const auto indexOf = [&](int x, int y, int z) {
    const auto inside = [](int at, int size) { return static_cast<size_t>(std::clamp(at, 0, size - 1)); };
    return (inside(z, stack.layers) * edge + inside(y, edge)) * edge + inside(x, edge);
  };
  std::vector<float> next(temperature.size());
  for (int step = 0; step < steps; ++step) {
    for (int z = 0; z < stack.layers; ++z) {
      for (int y = 0; y < edge; ++y) {
        for (int x = 0; x < edge; ++x) {
          const auto at = [&](int dx, int dy, int dz) {
            return temperature[indexOf(x + dx, y + dy, z + dz)];
          };
          const float here = at(0, 0, 0);
          const float around = (at(0, -1, 0) + at(0, 1, 0)) + (at(-1, 0, 0) + at(1, 0, 0));
          const float inflow =
              kConduct * (around - 4.0f * here) + kConductZ * ((at(0, 0, -1) + at(0, 0, 1)) - 2.0f * here);
          const size_t cell = indexOf(x, y, z);
          next[cell] = here + inflow + kHeating * stack.power[cell] + kCooling * (kAmbient - here);
        }
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
  const int layers = argc > 2 ? std::atoi(argv[2]) : 8;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 10;
  if (edge < 1 || edge > 4096 || layers < 1 || layers > 64 || steps < 0) {
    std::fprintf(stderr, "usage: hotspot3d [edge, 1 to 4096] [layers, 1 to 64] [steps, 0 or more]\n");
    return 2;
  }
  const std::vector<float> power = makePower(edge, layers);
  const std::vector<float> start(power.size(), kAmbient);
  const Stack stack{power.data(), edge, layers};

  std::vector<float> device = start;
  if (!simulateOnDevice(device.data(), stack, steps))
    return 1;
  std::vector<float> host = start;
  simulateOnHost(host, stack, steps);

  const bool equal = std::memcmp(device.data(), host.data(), sizeof(float) * host.size()) == 0;
  std::printf("hotspot3d: %d x %d x %d cells, %d steps, hottest %.3f, hash %016llx, %s\n", edge, edge, layers,
              steps, *std::max_element(device.begin(), device.end()),
              static_cast<unsigned long long>(hashOf(device)),
              equal ? "as on the host" : "WRONG: differs from the host");
  return equal ? 0 : 1;
}
