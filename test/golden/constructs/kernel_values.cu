/// Kernels as values: pointers with and without a type of their own, tables, members, template arguments, parameters,
/// results, in `?:`. A kernel whose type matters keeps its signature; its launches are traced all the same.
#include "verdict.h"

typedef void (*Kernel)(int *, int);
using Same = void(int *, int);

__global__ void put(int *out, int value) { out[threadIdx.x] = value; }
__global__ void add(int *out, int value) { out[threadIdx.x] += value; }
template <class T> __global__ void scale(T *out, T by) { out[threadIdx.x] *= by; }
template <class T> __global__ void negate(T *out) { out[threadIdx.x] = -out[threadIdx.x]; }
__global__ void direct(int *out, int value) { out[threadIdx.x] = value; }

struct Step {
  Kernel kernel;
  int value;
  void run(int *out) const { kernel<<<1, 32>>>(out, value); }
};
static const Kernel table[] = {put, &add, scale<int>};
template <Kernel K> void runFixed(int *out, int value) { K<<<1, 32>>>(out, value); }
template <class K, class... A> void runAny(K kernel, A... arguments) { kernel<<<1, 32>>>(arguments...); }
template <Same &K> struct ByReference {
  static void run(int *out, int value) { K<<<1, 32>>>(out, value); }
};
static Kernel chosen(bool first) { return first ? put : add; }

int main(int argc, char **) {
  Device<int> out(9 * 32);
  int *at = out;
  auto deduced = put;
  deduced<<<1, 32>>>(at, 0);
  Kernel typed = &put;
  (*typed)<<<1, 32>>>(at + 32, 1);
  table[0]<<<1, 32>>>(at + 64, 1);
  table[2]<<<1, 32>>>(at + 64, 2);
  Step{put, 3}.run(at + 96);
  runFixed<put>(at + 128, 4);
  runAny(put, at + 160, -5);
  runAny(negate<int>, at + 160);
  chosen(true)<<<1, 32>>>(at + 192, 5);
  (argc > 100 ? put : add)<<<1, 32>>>(at + 192, 1);
  ByReference<put>::run(at + 224, 7);
  direct<<<1, 32>>>(at + 256, 8);
  auto instance = scale<int>;
  instance<<<1, 32>>>(at + 256, 1);
  Verdict verdict("kernel_values");
  verdict.equal("out", out.read(), generate<int>(9 * 32, [](std::size_t i) { return int(i / 32); }));
  return verdict.finish();
}
