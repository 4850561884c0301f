#include <cstdio>
#include <cuda_runtime.h>
void launchFill(int *square);
void launchShift(int *square);
void launchSum(int *square, int *total);
int main() {
  int *square = nullptr, total = 0;
  cudaMalloc(&square, (EDGE * EDGE + 1) * sizeof(int));
  cudaMemset(square, 0, (EDGE * EDGE + 1) * sizeof(int));
  launchFill(square);
  launchShift(square);
  launchSum(square, square + EDGE * EDGE);
  cudaMemcpy(&total, square + EDGE * EDGE, sizeof total, cudaMemcpyDeviceToHost);
  std::printf("%d\n", total); // 0 + 1 + ... + 63, and 64 times 1
  return total != 2080;
}
