/// More chains of calls than a module has sites for: 20 functions that each call the next one at two places, so that 2^20 chains lead to the last one,
/// which loads. Contexts are merged where a function has more than 8,192 (with twice as many there would be more than 32,768 in all): that is
/// step<14>, which from there on has one for each of the two calls of it. So of what leads to the load the last seven calls are known. 64 threads, one load
/// and one store each: even ones go by the first call of each function, odd ones by the second.
#include "verdict.h"

constexpr int kSteps = 20;

__device__ __noinline__ int last(const int *in, int i) { return in[i]; }

template <int number> __device__ __noinline__ int step(const int *in, int path, int i) {
  int found;
  if (path % 2 == 0)
    found = step<number + 1>(in, path / 2, i) * 3;
  else
    found = step<number + 1>(in, path / 2, i) ^ number;
  return found;
}
template <> __device__ __noinline__ int step<kSteps>(const int *in, int path, int i) {
  return path + last(in, i);
}

__global__ void many(const int *in, int *out, int odd) {
  const int i = int(threadIdx.x);
  out[i] = step<0>(in, i % 2 * odd, i);
}

int main() {
  const int n = 64, odd = (1 << kSteps) - 1;
  const auto values = generate<int>(n, [](std::size_t i) { return int(i % 3); });
  Device<int> in(values), out(n);
  many<<<1, n>>>(in, out, odd);
  Verdict verdict("merged_contexts");
  verdict.equal("many", out.read(), generate<int>(n, [&](std::size_t i) {
                  unsigned found = unsigned(values[i]);
                  for (int number = kSteps; number-- > 0;)
                    found = i % 2 ? found ^ unsigned(number) : found * 3;
                  return int(found);
                }));
  return verdict.finish();
}
