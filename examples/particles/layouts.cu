/// The same two kernels for an array of structures and for a structure of arrays.
#include "particles.h"

#include <cstdio>

static constexpr int kThreads = 256; ///< of a block

/// Six arrays, each with one number of every particle.
struct Arrays {
  float *x, *y, *z, *velocityX, *velocityY, *velocityZ;
};

__device__ inline int indexOfThread() { return blockIdx.x * kThreads + threadIdx.x; }

__global__ void moveStructures(Particle *particles, int count) {
  const int at = indexOfThread();
  if (at < count)
    particles[at].position = moved(particles[at].position, particles[at].velocity);
}

__global__ void moveArrays(Arrays particles, int count) {
  const int at = indexOfThread();
  if (at >= count)
    return;
  const Vector position = moved({particles.x[at], particles.y[at], particles.z[at]},
                                {particles.velocityX[at], particles.velocityY[at], particles.velocityZ[at]});
  particles.x[at] = position.x;
  particles.y[at] = position.y;
  particles.z[at] = position.z;
}

__global__ void heightsOfStructures(float *heights, const Particle *particles, int count) {
  const int at = indexOfThread();
  if (at < count)
    heights[at] = particles[at].position.z;
}

__global__ void heightsOfArrays(float *heights, const float *z, int count) {
  const int at = indexOfThread();
  if (at < count)
    heights[at] = z[at];
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "particles: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

/// Six numbers of each particle, as the layout has them.
static std::vector<float> laidOut(const std::vector<Particle> &particles, Layout layout) {
  const size_t count = particles.size();
  std::vector<float> numbers(6 * count);
  for (size_t at = 0; at < count; ++at) {
    const auto &[position, velocity] = particles[at];
    const float of[] = {position.x, position.y, position.z, velocity.x, velocity.y, velocity.z};
    for (size_t part = 0; part < 6; ++part)
      numbers[layout == Layout::Structures ? 6 * at + part : part * count + at] = of[part];
  }
  return numbers;
}

std::vector<float> heightsOnDevice(const std::vector<Particle> &particles, int steps, Layout layout) {
  const std::vector<float> numbers = laidOut(particles, layout);
  const int count = static_cast<int>(particles.size()), blocks = (count + kThreads - 1) / kThreads;
  const size_t bytes = sizeof(float) * numbers.size(), heightBytes = sizeof(float) * particles.size();
  float *data = nullptr, *heights = nullptr;
  bool good = succeeded(cudaMalloc(&data, bytes), "cudaMalloc of the particles") &&
              succeeded(cudaMalloc(&heights, heightBytes), "cudaMalloc of the heights") &&
              succeeded(cudaMemcpy(data, numbers.data(), bytes, cudaMemcpyHostToDevice), "copying the particles");
  auto *const structures = reinterpret_cast<Particle *>(data);
  const Arrays arrays{data,
                      data + count,
                      data + 2 * static_cast<size_t>(count),
                      data + 3 * static_cast<size_t>(count),
                      data + 4 * static_cast<size_t>(count),
                      data + 5 * static_cast<size_t>(count)};
  for (int step = 0; good && step < steps; ++step) {
    if (layout == Layout::Structures)
      moveStructures<<<blocks, kThreads>>>(structures, count);
    else
      moveArrays<<<blocks, kThreads>>>(arrays, count);
    good = succeeded(cudaGetLastError(), "launching a step");
  }
  if (good) {
    if (layout == Layout::Structures)
      heightsOfStructures<<<blocks, kThreads>>>(heights, structures, count);
    else
      heightsOfArrays<<<blocks, kThreads>>>(heights, arrays.z, count);
    good = succeeded(cudaGetLastError(), "launching the heights");
  }
  std::vector<float> result(particles.size());
  if (!good || !succeeded(cudaMemcpy(result.data(), heights, heightBytes, cudaMemcpyDeviceToHost),
                          "copying the heights"))
    result.clear();
  cudaFree(heights);
  cudaFree(data);
  return result;
}
