#include <cstdio>

__global__ void heat(float *cells, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    cells[i] = 2 * cells[i] + 1;
}

int main() {
  constexpr int kCells = 1000, kSteps = 6;
  float *cells = nullptr, last = 0;
  cudaMalloc(&cells, kCells * sizeof(float));
  cudaMemset(cells, 0, kCells * sizeof(float));
  for (int step = 0; step < kSteps; ++step)
    heat<<<8, 128>>>(cells, kCells);
  cudaMemcpy(&last, cells + kCells - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%g\n", last);
  return last == 63 ? 0 : 1;
}
