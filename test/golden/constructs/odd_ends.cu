/// A byte order mark, carriage returns, a last line without an end, tabs and letters outside of ASCII.
#include "verdict.h"

/* ä */ __device__ int load(const int *größe) { return größe[threadIdx.x]; }
	__global__ void	tabs(int *out, const int *in) {	/* ü */	out[threadIdx.x] = load(in); }
#define LAUNCH(kernel, ...) \
  kernel<<<1, 32>>>( \
      __VA_ARGS__)

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  LAUNCH(tabs, out, in);
  Verdict verdict("odd_ends");
  verdict.equal("out", out.read(), generate<int>(32, [](std::size_t i) { return int(i); }));
  return verdict.finish();
}