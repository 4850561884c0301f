/// Half a warp goes one way, half the other; the ways load words of different sizes, so that no compiler
/// makes one access of the two. 3 blocks of 96 threads: 144 loads of 4 bytes, 144 of 8, 288 stores.
#include "verdict.h"

__global__ void halves(const int *narrow, const long long *wide, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (threadIdx.x % 32 < 16)
    out[i] = narrow[i] + 1;
  else
    out[i] = int(wide[i] % 1000003);
}

/// Nested: one lane in four stores, of those every second also loads.
__global__ void nested(const int *in, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i % 4 == 1) {
    int value = i;
    if (i % 8 == 5)
      value = in[i];
    out[i] = value;
  }
}

int main() {
  const int n = 288;
  const auto narrow = generate<int>(n, [](std::size_t i) { return int(10 * i); });
  const auto wide = generate<long long>(
      n, [](std::size_t i) { return 1000003LL * 1000003LL * (long long)(i) + 3 * (long long)(i); });
  Device<int> deviceNarrow(narrow), deviceOut(n), deviceNested(std::vector<int>(n, -1));
  Device<long long> deviceWide(wide);
  halves<<<3, 96>>>(deviceNarrow, deviceWide, deviceOut);
  nested<<<3, 96>>>(deviceNarrow, deviceNested);
  Verdict verdict("divergent");
  verdict.equal("halves", deviceOut.read(),
                generate<int>(n, [](std::size_t i) { return int(i % 32 < 16 ? 10 * i + 1 : 3 * i); }));
  verdict.equal("nested", deviceNested.read(), generate<int>(n, [](std::size_t i) {
                  return i % 4 != 1 ? -1 : int(i % 8 == 5 ? 10 * i : i);
                }));
  return verdict.finish();
}
