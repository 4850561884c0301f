/// Lanes that make accesses at different places of the code at the same time, in a module with so many of them (33, at -O0) that the
/// hooks are functions: lanes meet in those that come from different places. Lane n takes case c = n % 8, with 3 + c turns
/// of one loop and c of another. 2 blocks of 64, 16 threads per case: (52 * 4 + 28 * 8 bytes) * 16 loaded in 80 * 16 loads,
/// the same stored, and a store of 4 bytes by each thread.
#include "verdict.h"

#define CASE(c)                                                                                              \
  case c:                                                                                                    \
    for (int k = 0; k < 3 + c; ++k)                                                                          \
      out[128 * k + i] = in[128 * k + i] + c;                                                                \
    for (int k = 0; k < c; ++k)                                                                              \
      wide[128 * k + i] = wide[128 * k + i] * c;                                                             \
    break;

__global__ void apart(const int *in, int *out, long long *wide) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  switch (threadIdx.x % 8) {
    CASE(0)
    CASE(1)
    CASE(2)
    CASE(3)
    CASE(4)
    CASE(5)
    CASE(6)
    CASE(7)
  }
  out[1280 + i] = -i;
}

int main() {
  const int n = 128;
  Device<int> in(generate<int>(10 * n, [](std::size_t i) { return int(i); })), out(std::vector<int>(11 * n, 1));
  Device<long long> wide(generate<long long>(7 * n, [](std::size_t i) { return (long long)i; }));
  apart<<<2, 64>>>(in, out, wide);
  Verdict verdict("many_sites");
  verdict.equal("out", out.read(), generate<int>(11 * n, [&](std::size_t at) {
                  const int k = int(at) / n, i = int(at) % n, c = i % 8;
                  return k == 10 ? -i : k < 3 + c ? int(at) + c : 1;
                }));
  verdict.equal("wide", wide.read(), generate<long long>(7 * n, [&](std::size_t at) {
                  const int k = int(at) / n, c = int(at) % 8;
                  return k < c ? (long long)(at)*c : (long long)(at);
                }));
  return verdict.finish();
}
