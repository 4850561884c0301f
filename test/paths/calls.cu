/// Calls of the CUDA API below deep and branching paths: `calls SEED CALLS DEPTH`.
///
/// Functions of several kinds call each other as a pseudo-random sequence says, and at the inner ends copy four bytes to the device. The number that is copied
/// is the call's own, from 0, so that a debugger and the trace can be asked about the same one.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <stdexcept>

namespace {

unsigned *device;
unsigned calls, most, deepest;
unsigned long long state;

unsigned next(unsigned below) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<unsigned>(state >> 33) % below;
}

volatile int sink;

__attribute__((noinline)) void callTheApi() {
  const unsigned number = calls++;
  cudaMemcpy(device, &number, sizeof number, cudaMemcpyHostToDevice);
  sink = 1;
}

void goOn(unsigned depth);

template <int kind> struct Way {
  __attribute__((noinline)) static void go(unsigned depth) {
    goOn(depth);
    sink = kind;
  }
};
__attribute__((noinline)) void withAlloca(unsigned depth) {
  volatile char *const bytes = static_cast<volatile char *>(__builtin_alloca(16 + next(200)));
  bytes[0] = 1;
  goOn(depth);
  sink = bytes[0];
}
__attribute__((noinline)) void withAlignedFrame(unsigned depth) {
  alignas(128) volatile char bytes[100];
  bytes[0] = 2;
  goOn(depth);
  sink = bytes[0];
}
__attribute__((noinline)) void throughFunction(unsigned depth) {
  const std::function<void()> call = [=] {
    goOn(depth);
    sink = 3;
  };
  call();
  sink = 4;
}
__attribute__((noinline)) void throughException(unsigned depth) {
  try {
    goOn(depth);
    throw std::runtime_error("out");
  } catch (const std::runtime_error &) {
    sink = 5;
  }
}

/// To the depth that is wanted, and there a call or two.
__attribute__((noinline)) void goOn(unsigned depth) {
  for (unsigned times = 1 + next(2); times-- && calls < most;) {
    if (depth >= deepest || next(16) == 0)
      callTheApi();
    else
      switch (next(6)) {
      case 0:
        Way<10>::go(depth + 1);
        break;
      case 1:
        Way<11>::go(depth + 1);
        break;
      case 2:
        withAlloca(depth + 1);
        break;
      case 3:
        withAlignedFrame(depth + 1);
        break;
      case 4:
        throughFunction(depth + 1);
        break;
      default:
        throughException(depth + 1);
        break;
      }
  }
  sink = 6;
}

} // namespace

int main(int count, char **arguments) {
  if (count != 4)
    return 2;
  state = std::strtoull(arguments[1], nullptr, 10);
  most = static_cast<unsigned>(std::atoi(arguments[2]));
  deepest = static_cast<unsigned>(std::atoi(arguments[3]));
  if (cudaMalloc(&device, sizeof *device) != cudaSuccess)
    return 1;
  while (calls < most)
    goOn(0);
  unsigned last = 0;
  cudaMemcpy(&last, device, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%u calls, the last one %u\n", calls, last);
  return last == most - 1 ? 0 : 1;
}
