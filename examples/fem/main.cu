/// fem: heat that a moving source brings into a plate, by finite elements: loads are assembled on the CPU, systems solved on the GPU.
///
///     fem [edge] [steps] [iterations] [fineness]      default: 512 40 100 2
///
/// Prints what the field is at the end, and how long the parts took. Exit 1 when something on the device failed, or the solution is none.
#include "solver.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

/// Seconds between start and stop, added up.
class Stopwatch {
public:
  void start() { began_ = Clock::now(); }
  void stop() { seconds_ += std::chrono::duration<double>(Clock::now() - began_).count(); }
  double seconds() const { return seconds_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_;
  double seconds_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  const auto argument = [&](int number, int otherwise) {
    return argc > number ? std::atoi(argv[number]) : otherwise;
  };
  const Mesh mesh = {argument(1, 512), argument(4, 2)};
  const int steps = argument(2, 40), iterations = argument(3, 100);
  if (mesh.edge < 2 || mesh.edge > 4096 || steps < 1 || iterations < 1 || mesh.fineness < 1) {
    std::fprintf(stderr, "usage: fem [edge, 2 to 4096] [steps] [iterations] [fineness]\n");
    return 2;
  }
  Solver solver(assembleMatrix(mesh), iterations);
  Stopwatch assembly, others, device;
  double distance = 0, warmest = 0;
  for (int number = 1; number <= steps; ++number) {
    const double time = kTimeStep * number;
    assembly.start();
    assembleLoad(mesh, time, solver.load());
    assembly.stop();
    device.start();
    solver.step();
    const double *field = solver.field();
    device.stop();
    others.start();
    distance = distanceFromSource(mesh, time, field);
    others.stop();
    device.start();
    field = solver.field();
    device.stop();
    others.start();
    warmest = *std::max_element(field, field + mesh.nodes());
    others.stop();
  }

  const double all = assembly.seconds() + others.seconds() + device.seconds();
  std::printf("fem: %d x %d nodes, %d steps: warmest %.12g, distance %.12g\n", mesh.edge, mesh.edge, steps,
              warmest, distance);
  std::fprintf(stderr, "assembly %.1f %%, all of the CPU %.1f %%, GPU section %.3f ms of %.3f ms\n",
               100 * assembly.seconds() / all, 100 * (assembly.seconds() + others.seconds()) / all,
               1e3 * device.seconds(), 1e3 * all);
  return std::isfinite(distance) && warmest > 0 ? 0 : 1;
}
