/// Many accesses whose size is known at run time only, in loops that end at different times: thread i makes
/// 60 * (i % 7) asynchronous copies, of k % 16 + 1 bytes in turn k. 2 blocks of 35 threads, so each of the 7
/// cases occurs 10 times: 10 * 60 * (0 + ... + 6) = 12,600 loads, and one store per thread.
#include "verdict.h"

__global__ void copyMany(const uint4 *in, unsigned *out) {
  __shared__ uint4 tile[35];
  const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  tile[threadIdx.x] = uint4{0, 0, 0, 0};
  for (unsigned k = 0; k < 60 * (i % 7); ++k)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2; cp.async.wait_all;" // one after the other
                 :
                 : "r"(place), "l"(in + 8 * i + k % 8), "r"(k % 16 + 1)
                 : "memory");
  out[i] = tile[threadIdx.x].w;
}

int main() {
  const int n = 70;
  const auto words = generate<uint4>(8 * n, [](std::size_t i) { return uint4{1, 2, 3, unsigned(i)}; });
  Device<uint4> in(words);
  Device<unsigned> out(n);
  copyMany<<<2, 35>>>(in, out);
  Verdict verdict("many_ranges");
  // The last turn is number 60 * m - 1, which copies the first (60 * m - 1) % 16 + 1 = 12 * m % 16 bytes,
  // or 16.
  verdict.equal("last words", out.read(), generate<unsigned>(n, [&](std::size_t i) {
                  if (i % 7 == 0)
                    return 0u;
                  const unsigned k = 60 * unsigned(i % 7) - 1;
                  uint4 word = {0, 0, 0, 0};
                  std::memcpy(&word, &words[8 * i + k % 8], k % 16 + 1);
                  return word.w;
                }));
  return verdict.finish();
}
