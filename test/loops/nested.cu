// Loops of every kind on host and device. loops.py knows by arithmetic how many calls and accesses are made in each; it finds a loop by
// the name behind it. `set` makes the call, and `volatile` keeps accesses as they are written. Nothing ends with a call, which would
// leave the path.
#include "nested.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <initializer_list>

extern "C" int foreign(void (*function)());
int beside();

static void *memory;
static volatile int work;

__attribute__((noinline)) void set() {
  cudaMemset(memory, 0, 4);
  work = work + 1;
}

#define REPEAT(count) for (int each = 0; each < (count); ++each)
#define REPEAT_IT(count, what)                                                                               \
  for (int each = 0; each < (count); ++each) {                                                               \
    what;                                                                                                    \
  }

static int setOnce() {
  set();
  return 0;
}

__attribute__((noinline)) void kinds() {
  for (int i = setOnce(); i < 3; ++i) { // loop: for
    set();
    int j = 0;
    while (j < 2) { // loop: while
      set();
      set();
      int k = 0;
      do { // loop: do
        set();
      } while (++k < 4);
      ++j;
    }
  }
  for (const int value : {1, 2, 3, 4, 5}) { // loop: range-for
    set();
    work = value;
  }
  // clang-format off
  for (int i = 0; i < 2; ++i) for (int j = 0; j < 7; ++j) set(); // loop: line
  // clang-format on
  set();
  work = work + 1;
}

__attribute__((noinline)) void macros() {
  REPEAT(6) // loop: macro
  set();
  REPEAT_IT(3, set(); set())    // loop: macro-with-body
  for (int i = 0; i < 2; ++i) { // loop: around-macro
    REPEAT(2) set();            // loop: macro-inside
  }
  work = work + 1;
}

static inline __attribute__((always_inline)) void inlined() {
  for (int i = 0; i < 2; ++i) // loop: inlined
    set();
}

template <class T> __attribute__((noinline)) void generic(T) {
  for (int i = 0; i < 3; ++i) // loop: template
    set();
  work = work + 1;
}

__attribute__((noinline)) void functions() {
  for (int i = 0; i < 3; ++i) // loop: around-inlined
    inlined();
  generic(1);
  generic(1.0f);
  for (int i = 0; i < 4; ++i) { // loop: around-lambda
    const auto lambda = [](int count) {
      for (int j = 0; j < count; ++j) // loop: in-lambda
        set();
      set();
    };
    lambda(2);
  }
  inHeader();
  work = work + beside();
}

__attribute__((noinline)) void recurse(int depth) {
  for (int i = 0; i < 2; ++i) { // loop: recursion
    set();
    if (depth != 0)
      recurse(depth - 1);
  }
  work = work + 1;
}

static void calledBack() {
  for (int i = 0; i < 2; ++i) // loop: called-back
    set();
  work = work + 1;
}

__attribute__((noinline)) void callbacks() {
  for (int i = 0; i < 3; ++i) // loop: around-foreign
    work = work + foreign(calledBack);
}

__device__ int deviceInlined(const volatile int *in) {
  int sum = 0;
  for (int i = 0; i < 2; ++i) // loop: device-inlined
    sum += in[i];
  return sum;
}

__device__ __noinline__ int deviceRecursion(const volatile int *in, int depth) {
  int sum = 0;
  for (int i = 0; i < 2; ++i) { // loop: device-recursion
    sum += in[depth];
    if (depth != 0)
      sum += deviceRecursion(in, depth - 1);
  }
  return sum;
}

__global__ void kernel(const volatile int *in, int *out, const volatile int (*rows)[4]) {
  int sum = 0;
  for (int i = in[0]; i < 3; ++i) { // loop: device-for
    sum += in[i];
    int j = 0;
    while (j < 2) { // loop: device-while
      sum += in[j] + in[j + 1];
      int k = 0;
      do { // loop: device-do
        sum += in[k];
      } while (++k < 4);
      ++j;
    }
  }
  for (const volatile int &value : *rows) // loop: device-range-for
    sum += value;
  REPEAT(6) // loop: device-macro
  sum += in[each];
  for (int i = 0; i < 3; ++i) // loop: device-around
    sum += deviceInlined(in) + instances<3>(in);
  sum += instances<5>(in);
  for (int i = 0; i < 2; ++i) { // loop: device-around-lambda
    const auto lambda = [&](int count) {
      int sum = in[0];                // access: lambda
      for (int j = 0; j < count; ++j) // loop: device-in-lambda
        sum += in[j];
      return sum;
    };
    sum += lambda(3);
  }
  for (int i = 0; i < 3; ++i) // loop: device-around-recursion
    sum += deviceRecursion(in, 2);
#ifdef __CUDA_ARCH__
  for (int i = 0; i < 7; ++i) // loop: device-only
    sum += in[i];
#endif
  out[threadIdx.x] = sum;
}

int main(int, char **arguments) {
  cudaMalloc(&memory, 4096);
  cudaMemset(memory, 0, 4096);
  kinds();
  macros();
  functions();
  recurse(2);
  callbacks();
  int *const data = static_cast<int *>(memory);
  const auto *const rows = reinterpret_cast<const volatile int (*)[4]>(data + 16);
  for (int i = 0; i < 2; ++i) // loop: launches
    // clang-format off
    kernel<<<1, 4>>>(data, data + 512, rows); kernel<<<1, 4>>>(data, data + 512, rows); // the second one is behind the loop
  // clang-format on
  if (void *const library = dlopen(arguments[1], RTLD_NOW))
    work = work + reinterpret_cast<int (*)(int *, void (*)())>(dlsym(library, "fromLibrary"))(data, set);
  cudaDeviceSynchronize();
  return cudaFree(memory) == cudaSuccess ? 0 : 1;
}
