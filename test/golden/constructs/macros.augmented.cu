#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "macros.cu"
/// Launches that macros write, in part or whole, once or several times.
#include "verdict.h"

#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(cupr_launch(0) __VA_OPT__(,) __VA_ARGS__)
#define LAUNCH_NAMED(kernel, list...) kernel<<<1, 32>>>(cupr_launch(1), ##list)
#define CHECKED(...)                                                                                         \
  do {                                                                                                       \
    __VA_ARGS__;                                                                                             \
    MUST(cudaGetLastError());                                                                                \
  } while (0)
#define CONFIGURATION 1, 32
#define CHEVRONS <<<1, 32>>>
#define PUT(place, value) put<<<1, 32>>>(cupr_launch(2), place, value)
#define KERNEL(name) __global__ void name##Kernel
#define TWICE(...) __VA_ARGS__; __VA_ARGS__
#define CONTINUED(kernel, \
                  ...) \
  kernel<<<1, \
           32>>>(cupr_launch(3) __VA_OPT__(,)  \
      __VA_ARGS__)
#define STORE(place, value) place[threadIdx.x] = value
#define LIST(...) (cupr_launch(4) __VA_OPT__(,) __VA_ARGS__)
#define EMPTY

__device__ int counter;
__device__ int one(const cupr::Trace &cupr_trace EMPTY) { return 1; }
__global__ void count(const __grid_constant__ cupr::Trace cupr_trace EMPTY) { if (threadIdx.x == 0) counter += one(cupr_trace EMPTY); }
__global__ void put(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) { STORE(out, value); }
KERNEL(add)(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) { out[threadIdx.x] += value; }

int main() {
  Device<int> out(10 * 32);
  int *at = out;
  LAUNCH(count);
  LAUNCH(count, );
  count<<<CONFIGURATION>>>(cupr_launch(5) EMPTY);
  LAUNCH_NAMED(count);
  LAUNCH(put, at, 0);
  LAUNCH_NAMED(put, at + 32, 1);
  CHECKED(put<<<1, 32>>>(cupr_launch(6), at + 64, 2));
  CHECKED((put<<<CONFIGURATION>>>(cupr_launch(7), at + 96, 3)));
  put CHEVRONS(cupr_launch(8), at + 128, 4);
  PUT(at + 160, 5);
  PUT(at + 192, 5), PUT(at + 224, 7);
  TWICE(addKernel<<<1, 32>>>(cupr_launch(9), at + 192, 1 - 0));
  CONTINUED(addKernel, at + 192, -1);
  put<<<1, 32>>>LIST(at + 256, 8);
  CHECKED(LAUNCH(put, at + 288, 9));
  int counted;
  MUST(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  Verdict verdict("macros");
  verdict.equal("counted", std::vector<int>{counted}, {4});
  verdict.equal("out", out.read(), generate<int>(10 * 32, [](std::size_t i) { return int(i / 32); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "macros.cu", "4:47+29 5:57+18 13:42+16 19:18+29 22:20+29 26:20+30 27:23+47 27:69+11 28:21+48 29:13+48 36:28+15 40:26+16 41:35+16 42:16+16 45:30+16")
#endif
