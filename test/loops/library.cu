// A library that is opened by its path, with loops and a kernel of its own.
#include <cuda_runtime.h>

__global__ void libraryKernel(volatile int *data) {
  for (int i = 0; i < 5; ++i) // loop: library-device
    data[threadIdx.x] = i;
}

extern "C" int fromLibrary(int *data, void (*function)());
extern "C" int fromLibrary(int *data, void (*function)()) {
  for (int i = 0; i < 3; ++i) { // loop: library
    function();
    libraryKernel<<<1, 4>>>(data);
  }
  return 1;
}
