/// C (320 x 640) = A (320 x 320) B (320 x 640) with shared tiles of 32 x 32: a grid of 20 x 10 blocks, ten
/// rounds each, two loads per thread and round: 200 * 1,024 * 10 * 2 = 4,096,000 loads and 204,800 stores
/// of 4 bytes. Small whole numbers, so that every order of the sums gives the same bits.
#include "verdict.h"

constexpr int kTile = 32;

__global__ void matrixMul(float *c, const float *a, const float *b, int widthA, int widthB) {
  __shared__ float tileA[kTile][kTile];
  __shared__ float tileB[kTile][kTile];
  const int x = blockIdx.x * kTile + threadIdx.x;
  const int y = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int start = 0; start < widthA; start += kTile) {
    tileA[threadIdx.y][threadIdx.x] = a[y * widthA + start + threadIdx.x];
    tileB[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * widthB + x];
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
    __syncthreads();
  }
  c[y * widthB + x] = sum;
}

int main() {
  const int rows = 320, inner = 320, columns = 640;
  const auto a = generate<float>(rows * inner, [](std::size_t i) { return float(i % 7) - 3.0f; });
  const auto b = generate<float>(inner * columns, [](std::size_t i) { return float(i % 5) - 2.0f; });
  Device<float> deviceA(a), deviceB(b), deviceC(rows * columns);
  matrixMul<<<dim3(columns / kTile, rows / kTile), dim3(kTile, kTile)>>>(deviceC, deviceA, deviceB, inner,
                                                                         columns);
  std::vector<float> wanted(rows * columns, 0.0f);
  for (int y = 0; y < rows; ++y)
    for (int k = 0; k < inner; ++k)
      for (int x = 0; x < columns; ++x)
        wanted[y * columns + x] += a[y * inner + k] * b[k * columns + x];
  Verdict verdict("matrix_mul");
  verdict.equal("product", deviceC.read(), wanted);
  return verdict.finish();
}
