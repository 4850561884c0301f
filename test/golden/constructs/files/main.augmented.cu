#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "main.cu"
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
  put<<<1, 32>>>(cupr_launch(0), at, OUTER_VALUE);
  first<<<1, 32>>>(cupr_launch(1), at + 32, from);
  second<<<1, 32>>>(cupr_launch(2), at + 64, from);
  runPart(at + 96, from);
  Holder<int>(from).run(at + 128);
  runOther(at + 160, from);
  Verdict verdict("files");
  static const int kAdd[] = {7, 1, 1, 2, 3, 4};
  verdict.equal("out", out.read(), generate<int>(6 * 32, [](std::size_t i) { return int(i < 32 ? 0 : i % 32) + kAdd[i / 32]; }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "main.cu", "20:18+16 21:20+16 22:21+16")
#endif
