/// What a call of the CUDA API costs below a deep path: `api_calls CALLS DEPTH`. Prints nanoseconds for each, by the clock and of the thread's processor time.
///
/// The calls record an event, which is little work on either device. From call to call the innermost few functions change, as they do in programs.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_runtime.h>

namespace {

cudaEvent_t event;
long left;
volatile int sink;

double nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <int number> struct Inner {
  __attribute__((noinline)) static void go() {
    cudaEventRecord(event, nullptr);
    sink = number;
  }
};
template <int number> struct Middle {
  __attribute__((noinline)) static void go(long way) {
    if (way & 1)
      Inner<2 * number>::go();
    else
      Inner<2 * number + 1>::go();
    sink = number;
  }
};

__attribute__((noinline)) void atTheEnd() {
  while (left-- > 0) {
    switch (left >> 1 & 3) {
    case 0:
      Middle<0>::go(left);
      break;
    case 1:
      Middle<1>::go(left);
      break;
    case 2:
      Middle<2>::go(left);
      break;
    default:
      Middle<3>::go(left);
      break;
    }
  }
  sink = -1;
}

__attribute__((noinline)) void goDown(int depth) {
  if (depth > 0)
    goDown(depth - 1);
  else
    atTheEnd();
  sink = depth;
}

} // namespace

int main(int count, char **arguments) {
  if (count != 3)
    return 2;
  const long calls = std::atol(arguments[1]);
  if (cudaEventCreate(&event) != cudaSuccess)
    return 1;
  left = 1000; // what happens once
  goDown(std::atoi(arguments[2]));
  left = calls;
  const double began = nanoseconds(CLOCK_MONOTONIC), used = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  goDown(std::atoi(arguments[2]));
  std::printf("%.1f %.1f\n", (nanoseconds(CLOCK_MONOTONIC) - began) / static_cast<double>(calls),
              (nanoseconds(CLOCK_THREAD_CPUTIME_ID) - used) / static_cast<double>(calls));
  cudaEventDestroy(event);
}
