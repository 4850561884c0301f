/// One function, called with a global source and a shared destination, and the other way round. Only the
/// global side counts: 2 blocks of 64, 128 loads and 128 stores of 4 bytes. The block reverses its
/// elements.
#include "verdict.h"

__device__ __noinline__ void copyWord(int *to, const int *from) { *to = *from; }

__global__ void reverseBlock(const int *in, int *out) {
  __shared__ int tile[64];
  const int first = blockIdx.x * 64;
  copyWord(&tile[threadIdx.x], &in[first + threadIdx.x]);
  __syncthreads();
  copyWord(&out[first + threadIdx.x], &tile[63 - threadIdx.x]);
}

int main() {
  const int n = 128;
  const auto in = generate<int>(n, [](std::size_t i) { return int(5 * i); });
  Device<int> deviceIn(in), out(n);
  reverseBlock<<<2, 64>>>(deviceIn, out);
  Verdict verdict("two_spaces");
  verdict.equal("out", out.read(),
                generate<int>(n, [&](std::size_t i) { return in[i / 64 * 64 + 63 - i % 64]; }));
  return verdict.finish();
}
