/// Arguments by reference, in functions that are not inlined: `sum` is a reference to a local variable (not
/// counted), `term` to an element in global memory. 2 blocks of 64, three terms each: 384 loads and 128
/// stores of 4 bytes.
#include "verdict.h"

__device__ __noinline__ void accumulate(int &sum, const int &term) { sum += term; }

__global__ void threeTerms(const int *in, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  int sum = 1;
  accumulate(sum, in[i]);
  accumulate(sum, in[128 + i]);
  accumulate(sum, in[256 + i]);
  out[i] = sum;
}

int main() {
  const int n = 128;
  Device<int> in(generate<int>(3 * n, [](std::size_t i) { return int(i); })), out(n);
  threeTerms<<<2, 64>>>(in, out);
  Verdict verdict("by_reference");
  verdict.equal("sums", out.read(), generate<int>(n, [](std::size_t i) { return int(1 + 3 * i + 384); }));
  return verdict.finish();
}
