/// 50,000 elements in blocks of 256: the last of 196 blocks has 80 threads with work, that is two whole
/// warps and one of 16 lanes. 2 loads and 1 store of 4 bytes for each element; 1,563 warps, so 4,689 warp
/// accesses.
#include "verdict.h"

__global__ void vectorAdd(const float *a, const float *b, float *c, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

int main() {
  const int n = 50000;
  const auto a = generate<float>(n, [](std::size_t i) { return float(i % 1000); });
  const auto b = generate<float>(n, [](std::size_t i) { return float(i / 7); });
  Device<float> deviceA(a), deviceB(b), deviceC(n);
  vectorAdd<<<196, 256>>>(deviceA, deviceB, deviceC, n);
  Verdict verdict("vector_add");
  verdict.equal("sum", deviceC.read(), generate<float>(n, [&](std::size_t i) { return a[i] + b[i]; }));
  return verdict.finish();
}
