/// A program that begins anew: cudaDeviceReset, and the same kernels once more, in a context whose addresses and handles are other
/// ones. 4 blocks of 64; each time 256 loads of an index and 256 of an element, 256 stores, all of 4 bytes; and 256 stores of a
/// kernel that reads nothing.
#include "verdict.h"

__global__ void gather(const int *index, const float *in, float *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = in[index[i]];
}

__global__ void fill(float *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = float(i);
}

int main() {
  const int n = 256;
  Verdict verdict("device_reset");
  for (int shift : {1, 2}) {
    {
      Device<int> index(generate<int>(n, [&](std::size_t i) { return int((3 * i + shift) % 256); }));
      Device<float> in(n), out(n);
      fill<<<4, 64>>>(in);
      gather<<<4, 64>>>(index, in, out);
      verdict.equal("gathered", out.read(),
                    generate<float>(n, [&](std::size_t i) { return float((3 * i + shift) % 256); }));
    }
    MUST(cudaDeviceReset());
  }
  return verdict.finish();
}
