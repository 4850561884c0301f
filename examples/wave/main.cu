/// wave: frames of a wave that goes over a square of points, as vertices for a renderer; nothing is drawn.
///
///     wave [edge] [frames]      default: 256 50
///
/// Exit 1 when a point of the last frame is not where the host has it.
#include "surface.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

/// Sines and cosines of device and host differ in their last places.
constexpr float kTolerance = 1e-5f;

float largestDifference(const std::vector<Point> &points, int edge, float time) {
  float most = 0;
  for (int row = 0; row < edge; ++row)
    for (int column = 0; column < edge; ++column) {
      const Point &device = points[static_cast<size_t>(row) * edge + column];
      const Point host = pointOf(column, row, edge, time);
      for (const float difference : {device.x - host.x, device.height - host.height, device.z - host.z,
                                     device.weight - host.weight})
        most = std::max(most, std::isnan(difference) ? INFINITY : std::fabs(difference));
    }
  return most;
}

} // namespace

int main(int argc, char **argv) {
  const int edge = argc > 1 ? std::atoi(argv[1]) : 256, frames = argc > 2 ? std::atoi(argv[2]) : 50;
  if (edge < 1 || edge > 16384 || frames < 1 || frames > 100000) {
    std::fprintf(stderr, "usage: wave [edge, 1 to 16384] [frames, 1 to 100000]\n");
    return 2;
  }
  const std::vector<Point> points = waveOnDevice(edge, frames);
  if (points.empty())
    return 1;
  const bool good = largestDifference(points, edge, static_cast<float>(frames - 1) * kTimeStep) < kTolerance;
  const auto [lowest, highest] = std::minmax_element(
      points.begin(), points.end(), [](const Point &a, const Point &b) { return a.height < b.height; });
  std::printf("wave: %d x %d points, %d frames, the last from %.3f to %.3f, %s\n", edge, edge, frames,
              lowest->height, highest->height, good ? "as on the host" : "WRONG: differs from the host");
  return good ? 0 : 1;
}
