/// A program of several files: a chain of headers of which one holds kernels, a header that two sources see with
/// different macros, a source that is included, a class template with kernels.
#include "outer.h"
#define SHAPE(T) T *
#define NAME first
#include "shaped.cuh"
#undef NAME
#define NAME second
#include "shaped.cuh"
#include "part.cu"
#include "holder.cuh"
#include "verdict.h"

void runOther(int *out, const int *in);

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(6 * 32);
  int *at = out;
  const int *from = in;
  put<<<1, 32>>>(at, OUTER_VALUE);
  first<<<1, 32>>>(at + 32, from);
  second<<<1, 32>>>(at + 64, from);
  runPart(at + 96, from);
  Holder<int>(from).run(at + 128);
  runOther(at + 160, from);
  Verdict verdict("files");
  static const int kAdd[] = {7, 1, 1, 2, 3, 4};
  verdict.equal("out", out.read(), generate<int>(6 * 32, [](std::size_t i) { return int(i < 32 ? 0 : i % 32) + kAdd[i / 32]; }));
  return verdict.finish();
}
