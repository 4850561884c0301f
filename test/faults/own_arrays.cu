// Arrays of a thread in its local memory: indices beyond them, and elements that are read before anything is stored there.
//
// Indices come from memory, so that the arrays stay. What lies beside them is the thread's own, too: nothing else goes wrong.
#include "cases.h"

constexpr int kThreads = 64, kLength = 8;

// The loop takes one element too many.
__global__ void ownTooMany(const int *in, int *out, bool fixed) {
  int cells[kLength], around[4];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; ++i)
    around[(in[t] + i) % 4] = t;
#pragma unroll 1
  for (int i = 0; i < kLength; ++i)
    cells[(i + in[t]) % kLength] = in[i];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < (fixed ? kLength : kLength + 1); ++i)
    sum += cells[i]; //~ ownTooMany: out-of-bounds
  out[t] = sum + around[in[t] % 4];
}

// A stack from which more is taken than was put there.
__global__ void stackUnderflow(const int *in, int *out, bool fixed) {
  int stack[kLength], height = 0;
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 3 + in[t] % 2; ++i)
    stack[height++] = in[i];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < (fixed ? 3 : 5); ++i)
    sum += stack[--height]; //~ stackUnderflow: out-of-bounds
  out[t] = sum;
}

// The index of the last row is not looked at.
__global__ void rowBeyond(const int *in, int *out, bool fixed) {
  int table[4][4];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 16; ++i)
    table[i / 4][(i + in[t]) % 4] = i;
  const int row = in[t] % (fixed ? 4 : 5);
  table[row][in[t] % 3] += 1; //~ rowBeyond: out-of-bounds
  out[t] = table[in[t] % 4][1];
}

// A place to insert that may be the one behind the last.
__global__ void insertBehind(const int *in, int *out, bool fixed) {
  int best[4], filled = 0;
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < (fixed ? 4 : 5); ++i) {
    best[filled] = in[(t + i) % kThreads]; //~ insertBehind: out-of-bounds
    filled += best[0] >= 0;
  }
  out[t] = best[in[t] % 4];
}

// Counters that nobody has set to 0.
__global__ void countersNotSet(const int *in, int *out, bool fixed) {
  int counters[kLength];
  const int t = threadIdx.x;
  if (fixed)
#pragma unroll 1
    for (int i = 0; i < kLength; ++i)
      counters[(i + in[t]) % kLength] = 0;
#pragma unroll 1
  for (int i = 0; i < 16; ++i)
    counters[in[t + i] % kLength] += 1; //~ countersNotSet: uninitialised-read
  out[t] = counters[in[t] % kLength];
}

// Half of the array is filled, and all of it read.
__global__ void halfFilled(const int *in, int *out, bool fixed) {
  int cells[kLength];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < (fixed ? kLength : kLength / 2); ++i)
    cells[i] = in[i + t];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < kLength; ++i)
    sum += cells[(i + in[t]) % kLength]; //~ halfFilled: uninitialised-read
  out[t] = sum;
}

__device__ __noinline__ void fill(int *cells, const int *in, int count) {
#pragma unroll 1
  for (int i = 0; i < count; ++i)
    cells[i] = in[i];
}

// A function fills less than is read behind.
__global__ void filledByCall(const int *in, int *out, bool fixed) {
  int cells[kLength];
  const int t = threadIdx.x;
  fill(cells, in + t, fixed ? kLength : kLength - 1);
  out[t] = cells[in[t] % kLength]; //~ filledByCall: uninitialised-read
}

__device__ __noinline__ int sumOfOwn(const int *in, int t, bool isFilled) {
  int cells[kLength];
#pragma unroll 1
  for (int i = 0; i < kLength; ++i)
    if (isFilled)
      cells[(i + in[t]) % kLength] = in[i];
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 3; ++i)
    sum += cells[(in[t] + i) % kLength]; //~ filledBefore: uninitialised-read
  return sum;
}

// The second call finds what the first has left at the same place.
__global__ void filledBefore(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  const int sum = sumOfOwn(in, t, true);
  out[t] = sum + sumOfOwn(in, t, fixed);
}

// Each call has an array of its own, of which the innermost one reads too much.
__device__ __noinline__ int descend(const int *in, int t, int depth, bool fixed) {
  int cells[4];
#pragma unroll 1
  for (int i = 0; i < (fixed || depth != 0 ? 4 : 2); ++i)
    cells[i] = in[i] + depth;
  const int below = depth == 0 ? 0 : descend(in, t, depth - 1, fixed);
  return below + cells[(in[t] + below) & 3]; //~ ownOfEachCall: uninitialised-read
}

__global__ void ownOfEachCall(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  out[t] = descend(in, t, 3 + in[t] % 2, fixed);
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {PLAIN_CASE(ownTooMany, 1, kThreads), PLAIN_CASE(stackUnderflow, 1, kThreads),
                    PLAIN_CASE(rowBeyond, 1, kThreads), PLAIN_CASE(insertBehind, 1, kThreads),
                    PLAIN_CASE(countersNotSet, 1, kThreads), PLAIN_CASE(halfFilled, 1, kThreads),
                    PLAIN_CASE(filledByCall, 1, kThreads), PLAIN_CASE(filledBefore, 1, kThreads),
                    PLAIN_CASE(ownOfEachCall, 1, kThreads)});
}
