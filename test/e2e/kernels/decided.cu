/// Whether a pointer is global or shared depends on data: threads whose flag is odd read the shared tile
/// (not counted), the others global memory. Once in a function of its own, once in the kernel. 2 blocks of
/// 64, one thread in three has an odd flag (43 of 128). Each kernel: 128 loads of 1 byte (flags), 64 + 64
/// loads of 4 bytes to fill the tiles, 85 loads of 4 bytes through the pointer, 128 stores.
#include "verdict.h"

__device__ __noinline__ int readWord(const int *word) { return *word + 1; }

__global__ void decidedInCallee(const unsigned char *flags, const int *in, int *out) {
  __shared__ int tile[64];
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  tile[threadIdx.x] = in[i] * 2;
  __syncthreads();
  const int *word = flags[i] % 2 ? &tile[63 - threadIdx.x] : &in[128 + i];
  out[i] = readWord(word);
}

__global__ void decidedInKernel(const unsigned char *flags, const int *in, int *out) {
  __shared__ int tile[64];
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  tile[threadIdx.x] = in[i] * 2;
  __syncthreads();
  const int *word = flags[i] % 2 ? &tile[63 - threadIdx.x] : &in[128 + i];
  out[i] = *word + 1;
}

int main() {
  const int n = 128;
  const auto flags = generate<unsigned char>(n, [](std::size_t i) { return (unsigned char)(i % 3 == 0); });
  const auto in = generate<int>(2 * n, [](std::size_t i) { return int(3 * i); });
  const auto wanted = generate<int>(
      n, [&](std::size_t i) { return (flags[i] ? 2 * in[i / 64 * 64 + 63 - i % 64] : in[n + i]) + 1; });
  Device<unsigned char> deviceFlags(flags);
  Device<int> deviceIn(in), first(n), second(n);
  decidedInCallee<<<2, 64>>>(deviceFlags, deviceIn, first);
  decidedInKernel<<<2, 64>>>(deviceFlags, deviceIn, second);
  Verdict verdict("decided");
  verdict.equal("in the callee", first.read(), wanted);
  verdict.equal("in the kernel", second.read(), wanted);
  return verdict.finish();
}
