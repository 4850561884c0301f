#include "check.h"
#include <vector>

__global__ void add(int *p, int v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] += v;
}

static void called(void *data) { ++*(int *)data; }

__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = 1; }

int main() {
  const int n = 1000;
  int count = 0;
  CUDA(cudaGetDeviceCount(&count));
  CHECK(count == 1, "%d", count);
  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  CHECK(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024, "%s", properties.name);
  cudaStream_t streams[3];
  int *buffers[3], *host;
  CUDA(cudaMallocHost(&host, n * 4));
  for (int s = 0; s < 3; ++s) {
    CUDA(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
    CUDA(cudaMallocAsync(&buffers[s], n * 4, streams[s]));
    CUDA(cudaMemsetAsync(buffers[s], 0, n * 4, streams[s]));
  }
  CUDA(cudaCtxResetPersistingL2Cache());
  unsigned long long id0 = 0, id1 = 0;
  CUDA(cudaStreamGetId(streams[0], &id0));
  CUDA(cudaStreamGetId(streams[1], &id1));
  CHECK(id0 != id1, "%llu", id0);
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  CUDA(cudaEventRecord(start, streams[0]));
  int calls = 0;
  for (int round = 0; round < 5; ++round)
    for (int s = 0; s < 3; ++s) {
      add<<<(n + 127) / 128, 128, 0, streams[s]>>>(buffers[s], s + 1, n);
      CUDA(cudaLaunchHostFunc(streams[s], called, &calls));
    }
  CUDA(cudaEventRecord(stop, streams[0]));
  CUDA(cudaStreamWaitEvent(streams[1], stop, 0));
  CUDA(cudaEventSynchronize(stop));
  float ms = -1;
  CUDA(cudaEventElapsedTime(&ms, start, stop));
  CHECK(ms >= 0, "%g", ms);
  for (int s = 0; s < 3; ++s) {
    CUDA(cudaMemcpyAsync(host, buffers[s], n * 4, cudaMemcpyDeviceToHost, streams[s]));
    CUDA(cudaStreamSynchronize(streams[s]));
    for (int i = 0; i < n; ++i)
      CHECK(host[i] == 5 * (s + 1), "stream %d: %d", s, host[i]);
    CUDA(cudaFreeAsync(buffers[s], streams[s]));
    CUDA(cudaStreamDestroy(streams[s]));
  }
  CHECK(calls == 15, "%d", calls);

  // Pitched memory and two-dimensional copies.
  size_t pitch = 0;
  char *image, in[10][20], out[10][20];
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 20; ++x)
      in[y][x] = (char)(y * 20 + x);
  CUDA(cudaMallocPitch(&image, &pitch, 20, 10));
  CHECK(pitch >= 20 && pitch % 256 == 0, "%zu", pitch);
  CUDA(cudaMemcpy2D(image, pitch, in, 20, 20, 10, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy2D(out, 20, image, pitch, 20, 10, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 20; ++x)
      CHECK(in[y][x] == out[y][x], "%d %d", y, x);
  cudaPointerAttributes attributes;
  CUDA(cudaPointerGetAttributes(&attributes, image));
  CHECK(attributes.type == cudaMemoryTypeDevice, "%d", attributes.type);
  CUDA(cudaPointerGetAttributes(&attributes, host));
  CHECK(attributes.type == cudaMemoryTypeHost, "%d", attributes.type);

  // Errors stay until they are asked for, and attributes are plausible.
  int *p;
  CUDA(cudaMalloc(&p, 4096));
  add<<<1, 2048>>>(p, 1, 1);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue, "a block of 2048 threads is too large");
  CHECK(cudaGetLastError() == cudaErrorInvalidValue, "and the error stays");
  CHECK(cudaGetLastError() == cudaSuccess, "until it was fetched");
  cudaFuncAttributes function;
  CUDA(cudaFuncGetAttributes(&function, bounded));
  CHECK(function.maxThreadsPerBlock == 128, "%d", function.maxThreadsPerBlock);
  int blocks = 0, grid = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
  CHECK(blocks > 0, "%d", blocks);
  CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &blocks, add, 0, 0));
  CHECK(grid > 0 && blocks > 0, "%d %d", grid, blocks);
  std::puts("ok");
}
