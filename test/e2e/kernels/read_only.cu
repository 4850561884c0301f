/// Loads that may go through the read-only cache: `const __restrict__` pointers, `__ldg` of several types.
/// 2 blocks of 64: restricted: 128 loads of 4 bytes; viaLdg: 128 loads of 4, of 8 and of 16 bytes. 128
/// stores of 4 bytes each time.
#include "verdict.h"

__global__ void restricted(const int *__restrict__ in, int *__restrict__ out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = in[i] + 1;
}

__global__ void viaLdg(const int *narrow, const long long *wide, const float4 *quads, float *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const float4 quad = __ldg(&quads[i]);
  out[i] = float(__ldg(&narrow[i])) + float(__ldg(&wide[i]) % 1000003) + (quad.x + quad.y + quad.z + quad.w);
}

int main() {
  const int n = 128;
  Device<int> narrow(generate<int>(n, [](std::size_t i) { return int(i); })), plus(n);
  Device<long long> wide(
      generate<long long>(n, [](std::size_t i) { return 3000009LL * (long long)(i) + 2; }));
  Device<float4> quads(
      generate<float4>(n, [](std::size_t i) { return make_float4(float(i), 1.0f, 2.0f, 3.0f); }));
  Device<float> out(n);
  restricted<<<2, 64>>>(narrow, plus);
  viaLdg<<<2, 64>>>(narrow, wide, quads, out);
  Verdict verdict("read_only");
  verdict.equal("restricted", plus.read(), generate<int>(n, [](std::size_t i) { return int(i) + 1; }));
  verdict.equal("ldg", out.read(), generate<float>(n, [](std::size_t i) { return float(2 * i + 8); }));
  return verdict.finish();
}
