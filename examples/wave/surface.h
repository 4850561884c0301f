/// A square of points over which a wave goes, and the calls between the files of this program.
#ifndef WAVE_SURFACE_H
#define WAVE_SURFACE_H

#include <cmath>
#include <vector>

#ifdef __CUDACC__
#define WAVE_BOTH __host__ __device__
#else
#define WAVE_BOTH
#endif

/// A vertex, as a renderer takes it: place, and a weight of 1.
struct alignas(16) Point {
  float x, height, z, weight;
};

/// The point in this column and row of `edge` x `edge`, at `time`.
WAVE_BOTH inline Point pointOf(int column, int row, int edge, float time) {
  const float x = 2.0f * static_cast<float>(column) / static_cast<float>(edge) - 1.0f;
  const float z = 2.0f * static_cast<float>(row) / static_cast<float>(edge) - 1.0f;
  return {x, 0.5f * sinf(4.0f * x + time) * cosf(4.0f * z + time), z, 1.0f};
}

constexpr float kTimeStep = 0.01f; ///< from a frame to the next

/// The points of the last of so many frames, row by row. Empty when a CUDA call failed, after saying which.
std::vector<Point> waveOnDevice(int edge, int frames);

#endif
