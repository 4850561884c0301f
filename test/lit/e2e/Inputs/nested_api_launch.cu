#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, int value) { out[threadIdx.x] = value; }

static int fillThroughApi(int *out) {
  int value = 7;
  void *arguments[] = {&out, &value};
  cudaLaunchKernel((const void *)fill, dim3(1), dim3(32), arguments, 0, nullptr);
  return 8;
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 32 * sizeof(int));
  fill<<<1, 16>>>(a, fillThroughApi(b));
  int first[32], second[32];
  cudaMemcpy(first, a, 16 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(second, b, sizeof second, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", first[0], first[15], second[0], second[31]);
}
