// Says what a launch answers, and what the calls after it do.
#include <cstdio>

__global__ void nothing() {}

int main() {
  nothing<<<1, 32>>>();
  const cudaError_t launch = cudaGetLastError();
  std::printf("launch: %s, afterwards: %s\n", cudaGetErrorString(launch),
              cudaGetErrorString(cudaDeviceSynchronize()));
}
