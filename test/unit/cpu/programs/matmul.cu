#include "check.h"
#include <vector>

template <int Tile> __global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[Tile][Tile], bs[Tile][Tile];
  const int row = blockIdx.y * Tile + threadIdx.y, column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += Tile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <int Tile> void test(int n) {
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = (i % 13) - 6;
    b[i] = (i % 7) - 3;
  }
  float *da, *db, *dc;
  CUDA(cudaMalloc(&da, n * n * 4));
  CUDA(cudaMalloc(&db, n * n * 4));
  CUDA(cudaMalloc(&dc, n * n * 4));
  CUDA(cudaMemcpy(da, a.data(), n * n * 4, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(db, b.data(), n * n * 4, cudaMemcpyHostToDevice));
  matmul<Tile><<<dim3(n / Tile, n / Tile), dim3(Tile, Tile)>>>(da, db, dc, n);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(c.data(), dc, n * n * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
      CHECK(near(sum, c[i * n + j]), "%d %d: %g, not %g", i, j, c[i * n + j], sum);
    }
  CUDA(cudaFree(da));
  CUDA(cudaFree(db));
  CUDA(cudaFree(dc));
}

int main() {
  test<16>(64);
  test<32>(96);
  std::puts("ok");
}
