/// printf in a kernel: one thread of each block prints what it loaded. The lines of different blocks come
/// in any order. 4 blocks of 32: 128 loads and 128 stores of 4 bytes; what printf itself reads and writes
/// is not the program's.
#include "verdict.h"

__global__ void tell(const int *in, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const int value = in[i];
  if (threadIdx.x == 5)
    printf("block %d has %d\n", int(blockIdx.x), value);
  out[i] = value + 1;
}

int main() {
  const int n = 128;
  Device<int> in(generate<int>(n, [](std::size_t i) { return int(i * 11); })), out(n);
  tell<<<4, 32>>>(in, out);
  MUST(cudaDeviceSynchronize());
  Verdict verdict("print_inside");
  verdict.equal("out", out.read(), generate<int>(n, [](std::size_t i) { return int(i * 11 + 1); }));
  return verdict.finish();
}
