/// The kernel, and the copies around it.
#include "vectors.h"

#include <cstdio>

static constexpr int kThreads = 256; ///< of a block

__global__ void add(float *sum, const float *left, const float *right, int numbers) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at < numbers)
    sum[at] = left[at] + right[at];
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "vectoradd: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

std::vector<float> addOnDevice(const std::vector<float> &left, const std::vector<float> &right) {
  const int numbers = static_cast<int>(left.size());
  const size_t bytes = sizeof(float) * left.size();
  float *deviceLeft = nullptr, *deviceRight = nullptr, *deviceSum = nullptr;
  bool good =
      succeeded(cudaMalloc(&deviceLeft, bytes), "cudaMalloc of the left vector") &&
      succeeded(cudaMalloc(&deviceRight, bytes), "cudaMalloc of the right vector") &&
      succeeded(cudaMalloc(&deviceSum, bytes), "cudaMalloc of the sum") &&
      succeeded(cudaMemcpy(deviceLeft, left.data(), bytes, cudaMemcpyHostToDevice), "copying the left vector") &&
      succeeded(cudaMemcpy(deviceRight, right.data(), bytes, cudaMemcpyHostToDevice), "copying the right vector");
  if (good) {
    add<<<(numbers + kThreads - 1) / kThreads, kThreads>>>(deviceSum, deviceLeft, deviceRight, numbers);
    good = succeeded(cudaGetLastError(), "launching add");
  }
  std::vector<float> sum(left.size());
  if (!good || !succeeded(cudaMemcpy(sum.data(), deviceSum, bytes, cudaMemcpyDeviceToHost), "copying the sum"))
    sum.clear();
  cudaFree(deviceSum);
  cudaFree(deviceRight);
  cudaFree(deviceLeft);
  return sum;
}
