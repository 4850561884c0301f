/// Launches that macros write, in part or whole, once or several times.
#include "verdict.h"

#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
#define LAUNCH_NAMED(kernel, list...) kernel<<<1, 32>>>(list)
#define CHECKED(...)                                                                                         \
  do {                                                                                                       \
    __VA_ARGS__;                                                                                             \
    MUST(cudaGetLastError());                                                                                \
  } while (0)
#define CONFIGURATION 1, 32
#define CHEVRONS <<<1, 32>>>
#define PUT(place, value) put<<<1, 32>>>(place, value)
#define KERNEL(name) __global__ void name##Kernel
#define TWICE(...) __VA_ARGS__; __VA_ARGS__
#define CONTINUED(kernel, \
                  ...) \
  kernel<<<1, \
           32>>>( \
      __VA_ARGS__)
#define STORE(place, value) place[threadIdx.x] = value
#define LIST(...) (__VA_ARGS__)
#define EMPTY

__device__ int counter;
__device__ int one(EMPTY) { return 1; }
__global__ void count(EMPTY) { if (threadIdx.x == 0) counter += one(EMPTY); }
__global__ void put(int *out, int value) { STORE(out, value); }
KERNEL(add)(int *out, int value) { out[threadIdx.x] += value; }

int main() {
  Device<int> out(10 * 32);
  int *at = out;
  LAUNCH(count);
  LAUNCH(count, );
  count<<<CONFIGURATION>>>(EMPTY);
  LAUNCH_NAMED(count);
  LAUNCH(put, at, 0);
  LAUNCH_NAMED(put, at + 32, 1);
  CHECKED(put<<<1, 32>>>(at + 64, 2));
  CHECKED((put<<<CONFIGURATION>>>(at + 96, 3)));
  put CHEVRONS(at + 128, 4);
  PUT(at + 160, 5);
  PUT(at + 192, 5), PUT(at + 224, 7);
  TWICE(addKernel<<<1, 32>>>(at + 192, 1 - 0));
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
