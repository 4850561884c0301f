#include <cstdio>

__global__ void count(int *p) { p[0] = 41, p[1] = 42; }

static void tell(const char *call, cudaError_t error) {
  std::printf("%s: %s, %s\n", call, cudaGetErrorName(error), cudaGetErrorString(error));
  std::fflush(stdout);
}

int main() {
  int *p = nullptr;
  cudaMallocManaged(&p, 8);
  cudaIpcMemHandle_t handle;
  tell("cudaIpcGetMemHandle", cudaIpcGetMemHandle(&handle, p));
  tell("cudaMemPoolExportToShareableHandle", cudaMemPoolExportToShareableHandle(&handle, nullptr, cudaMemHandleTypeNone, 0));
  count<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  std::printf("kernel: %d and %d\n", p[0], p[1]);
}
