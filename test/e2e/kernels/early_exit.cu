/// Every third thread returns at once, and one block (1) as a whole: of 4 blocks of 64 threads, 3 go on,
/// with 42, 43 and 42 threads. 127 loads and 127 stores of 8 bytes.
#include "verdict.h"

__global__ void someReturn(const double *in, double *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (blockIdx.x == 1)
    return;
  if (i % 3 == 0)
    return;
  out[i] = in[i] * 0.5;
}

int main() {
  const int n = 256;
  const auto in = generate<double>(n, [](std::size_t i) { return double(i) + 0.25; });
  Device<double> deviceIn(in), deviceOut(std::vector<double>(n, -1));
  someReturn<<<4, 64>>>(deviceIn, deviceOut);
  Verdict verdict("early_exit");
  verdict.equal("out", deviceOut.read(), generate<double>(n, [&](std::size_t i) {
                  return i / 64 == 1 || i % 3 == 0 ? -1 : in[i] * 0.5;
                }));
  return verdict.finish();
}
