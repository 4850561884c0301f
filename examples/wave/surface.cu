/// The kernel that makes a frame, and the loop over frames.
#include "surface.h"

#include <cstdio>

static constexpr int kBlockEdge = 8; ///< threads of a block in x and in y

/// All points of a frame, a thread for each.
__global__ void makeFrame(Point *points, int edge, float time) {
  const int column = blockIdx.x * kBlockEdge + threadIdx.x;
  const int row = blockIdx.y * kBlockEdge + threadIdx.y;
  if (column < edge && row < edge)
    points[row * edge + column] = pointOf(column, row, edge, time);
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "wave: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

std::vector<Point> waveOnDevice(int edge, int frames) {
  std::vector<Point> points(static_cast<size_t>(edge) * edge);
  const size_t bytes = sizeof(Point) * points.size();
  Point *vertices = nullptr;
  bool good = succeeded(cudaMalloc(&vertices, bytes), "cudaMalloc of the points");
  const dim3 block(kBlockEdge, kBlockEdge);
  const dim3 grid((edge + kBlockEdge - 1) / kBlockEdge, (edge + kBlockEdge - 1) / kBlockEdge);
  for (int frame = 0; good && frame < frames; ++frame) {
    makeFrame<<<grid, block>>>(vertices, edge, static_cast<float>(frame) * kTimeStep);
    good = succeeded(cudaGetLastError(), "launching makeFrame");
  }
  if (!good ||
      !succeeded(cudaMemcpy(points.data(), vertices, bytes, cudaMemcpyDeviceToHost), "copying the points"))
    points.clear();
  cudaFree(vertices);
  return points;
}
