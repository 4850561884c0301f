// Accesses outside of what has been allocated: behind and in front of it, far away, and beyond a block's
// shared memory.
//
// Sizes are no multiples of what allocations are aligned to, so that there is a gap behind each.
#include "cases.h"

constexpr int kThreads = 64, kSize = 60;

// The last thread that works is the first that should not.
__global__ void oneTooFar(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  if (fixed ? t < kSize : t <= kSize)
    out[t] = in[t]; //~ oneTooFar: out-of-bounds
}

// Nobody looks whether there is an element for the thread.
__global__ void noGuard(int *out, bool fixed) {
  const int t = threadIdx.x;
  if (!fixed || t < kSize)
    out[t] = t; //~ noGuard: out-of-bounds
}

// The first element has a neighbour to its left.
__global__ void beforeFirst(const int *in, int *out, bool fixed) {
  const int t = threadIdx.x;
  int left = 0;
  if (t < kSize) {
    if (!fixed || t > 0)
      left = in[t - 1]; //~ beforeFirst: out-of-bounds
    out[t] = left;
  }
}

// Rows and columns are exchanged, and there are more columns than rows.
__global__ void exchanged(const int *in, int *out, bool fixed) {
  constexpr int kRows = 6, kColumns = 10;
  const int row = threadIdx.x / kColumns, column = threadIdx.x % kColumns;
  if (row < kRows)
    out[row * kColumns + column] =
        in[fixed ? row * kColumns + column : column * kColumns + row]; //~ exchanged: out-of-bounds
}

// A list of places has one that lies far outside.
__global__ void farAway(const long long *places, const int *in, int *out) {
  const int t = threadIdx.x;
  if (t < kSize)
    out[t] = in[places[t]]; //~ farAway: out-of-bounds
}

// The number of bytes is taken for a number of elements.
__global__ void bytesForElements(const short *in, int *out, int length) {
  int sum = 0;
  for (int i = threadIdx.x; i < length; i += kThreads)
    sum += in[i]; //~ bytesForElements: out-of-bounds
  if (threadIdx.x < kSize)
    out[threadIdx.x] = sum;
}

// There is no array.
__global__ void nullArray(const int *in, int *out) {
  if (threadIdx.x < kSize)
    out[threadIdx.x] = in[threadIdx.x]; //~ nullArray: out-of-bounds
}

// The last four elements are two.
__global__ void lastVector(const int4 *in, int4 *out, int vectors) {
  if (threadIdx.x < vectors)
    out[threadIdx.x] = in[threadIdx.x]; //~ lastVector: out-of-bounds
}

// A value that is too large has no bin.
__global__ void noBin(const int *in, int *bins, bool fixed) {
  const int value = in[threadIdx.x % kSize] + (threadIdx.x == 5 ? kSize : 0);
  if (!fixed || value < kSize)
    atomicAdd(&bins[value], 1); //~ noBin: out-of-bounds
}

// More is read in the last round than there is.
__global__ void lastRound(const int *in, int *out, bool fixed) {
  int sum = 0;
  for (int i = threadIdx.x; i < 2 * kThreads; i += kThreads)
    if (!fixed || i < 2 * kThreads - 8)
      sum += in[i]; //~ lastRound: out-of-bounds
  out[threadIdx.x] = sum;
}

// The launch has too little shared memory for what the block reads.
__global__ void sharedTooLittle(const int *in, int *out) {
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  if (t < 32)
    dynamic[t] = in[t];
  __syncthreads();
  dynamic[t + 32] = in[t % kSize]; //~ sharedTooLittle: out-of-bounds
  __syncthreads();
  if (t < 32)
    out[t] = dynamic[t + 32];
}

// A block's array is stored to behind its end.
__global__ void sharedBehind(const int *in, int *out, int shift) {
  __shared__ int cells[kThreads];
  const int t = threadIdx.x;
  cells[t] = in[t % kSize];
  __syncthreads();
  cells[t + shift] = t; //~ sharedBehind: out-of-bounds
  __syncthreads();
  if (t < kSize)
    out[t] = cells[t];
}

// A place in shared memory comes from a number that is too large.
__global__ void sharedFar(const int *in, int *out, int factor) {
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  dynamic[t] = in[t % kSize];
  __syncthreads();
  const int value = dynamic[factor * t]; //~ sharedFar: out-of-bounds
  if (t < kSize)
    out[t] = value;
}

#define BOUNDS_CASE(KERNEL, SIZE)                                                                            \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> in(numbers(SIZE)), out(SIZE);                                                    \
     KERNEL<<<1, kThreads>>>(in, out, fixed);                                                                \
   }}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       BOUNDS_CASE(oneTooFar, kSize),
                       BOUNDS_CASE(exchanged, kSize),
                       BOUNDS_CASE(noBin, kSize),
                       BOUNDS_CASE(lastRound, 2 * kThreads - 8),
                       {"beforeFirst",
                        [](bool fixed) {
                          const DeviceArray<int> out(kSize),
                              in(numbers(kSize)); // in this order: the gap is behind `out`
                          beforeFirst<<<1, kThreads>>>(in, out, fixed);
                        }},
                       {"noGuard",
                        [](bool fixed) {
                          const DeviceArray<int> out(kSize);
                          noGuard<<<1, kThreads>>>(out, fixed);
                        }},
                       {"farAway",
                        [](bool fixed) {
                          std::vector<long long> list(kSize, 3);
                          if (!fixed)
                            list[7] = 1LL << 40;
                          const DeviceArray<long long> places(list);
                          const DeviceArray<int> in(numbers(kSize)), out(kSize);
                          farAway<<<1, kThreads>>>(places, in, out);
                        }},
                       {"bytesForElements",
                        [](bool fixed) {
                          const DeviceArray<short> in(kSize);
                          const DeviceArray<int> out(kSize);
                          bytesForElements<<<1, kThreads>>>(in, out, fixed ? kSize : kSize * sizeof(short));
                        }},
                       {"nullArray",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), out(kSize);
                          nullArray<<<1, kThreads>>>(fixed ? in : nullptr, out);
                        }},
                       {"lastVector",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize - 2)), out(kSize);
                          lastVector<<<1, kThreads>>>(reinterpret_cast<const int4 *>(static_cast<int *>(in)),
                                                      reinterpret_cast<int4 *>(static_cast<int *>(out)),
                                                      fixed ? (kSize - 2) / 4 : kSize / 4);
                        }},
                       {"sharedTooLittle",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), out(kSize);
                          sharedTooLittle<<<1, kThreads, (fixed ? 96 : 64) * sizeof(int)>>>(in, out);
                        }},
                       {"sharedBehind",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), out(kSize);
                          sharedBehind<<<1, kThreads>>>(in, out, fixed ? 0 : kThreads);
                        }},
                       {"sharedFar",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), out(kSize);
                          sharedFar<<<1, kThreads, kThreads * sizeof(int)>>>(in, out, fixed ? 1 : 100000);
                        }},
                   });
}
