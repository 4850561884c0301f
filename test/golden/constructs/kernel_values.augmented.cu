#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "kernel_values.cu"
/// Kernels as values: pointers with and without a type of their own, tables, members, template arguments, parameters,
/// results, in `?:`. A kernel whose type matters keeps its signature; its launches are traced all the same.
#include "verdict.h"

typedef void (*Kernel)(int *, int);
using Same = void(int *, int);

__global__ void put(int *out, int value) { out[threadIdx.x] = value; }
__global__ void add(int *out, int value) { out[threadIdx.x] += value; }
template <class T> __global__ void scale(T *out, T by) { out[threadIdx.x] *= by; }
template <class T> __global__ void negate(T *out) { out[threadIdx.x] = -out[threadIdx.x]; }
__global__ void direct(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) { out[threadIdx.x] = value; }

struct Step {
  Kernel kernel;
  int value;
  void run(int *out) const { kernel<<<cupr_place(0)->*1, 32>>>(out, value); }
};
static const Kernel table[] = {put, &add, scale<int>};
template <Kernel K> void runFixed(int *out, int value) { K<<<cupr_place(1)->*1, 32>>>(out, value); }
template <class K, class... A> void runAny(K kernel, A... arguments) { kernel<<<cupr_place(2)->*1, 32>>>(arguments...); }
template <Same &K> struct ByReference {
  static void run(int *out, int value) { K<<<cupr_place(3)->*1, 32>>>(out, value); }
};
static Kernel chosen(bool first) { return first ? put : add; }

int main(int argc, char **) {
  Device<int> out(9 * 32);
  int *at = out;
  auto deduced = put;
  deduced<<<cupr_place(4)->*1, 32>>>(at, 0);
  Kernel typed = &put;
  (*typed)<<<cupr_place(5)->*1, 32>>>(at + 32, 1);
  table[0]<<<cupr_place(6)->*1, 32>>>(at + 64, 1);
  table[2]<<<cupr_place(7)->*1, 32>>>(at + 64, 2);
  Step{put, 3}.run(at + 96);
  runFixed<put>(at + 128, 4);
  runAny(put, at + 160, -5);
  runAny(negate<int>, at + 160);
  chosen(true)<<<cupr_place(8)->*1, 32>>>(at + 192, 5);
  (argc > 100 ? put : add)<<<cupr_place(9)->*1, 32>>>(at + 192, 1);
  ByReference<put>::run(at + 224, 7);
  direct<<<1, 32>>>(cupr_launch(10), at + 256, 8);
  auto instance = scale<int>;
  instance<<<cupr_place(11)->*1, 32>>>(at + 256, 1);
  Verdict verdict("kernel_values");
  verdict.equal("out", out.read(), generate<int>(9 * 32, [](std::size_t i) { return int(i / 32); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "kernel_values.cu", "12:24+48 17:39+16 20:62+16 21:81+16 23:46+16 31:13+16 33:14+16 34:14+16 35:14+16 40:18+16 41:30+16 43:21+17 45:14+17")
#endif
