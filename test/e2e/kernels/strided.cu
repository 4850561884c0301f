/// Thread i loads element 33 i and stores element 5 i: 7 blocks of 64, 400 threads with work.
#include "verdict.h"

__global__ void gatherScatter(const int *from, int *to, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    to[5 * i] = from[33 * i] + 1;
}

int main() {
  const int n = 400;
  const auto from = generate<int>(33 * n, [](std::size_t i) { return int(3 * i); });
  Device<int> deviceFrom(from), deviceTo(std::vector<int>(5 * n, -1));
  gatherScatter<<<7, 64>>>(deviceFrom, deviceTo, n);
  Verdict verdict("strided");
  verdict.equal("to", deviceTo.read(),
                generate<int>(5 * n, [&](std::size_t i) { return i % 5 ? -1 : from[33 * (i / 5)] + 1; }));
  return verdict.finish();
}
