/// Six ways in which a block adds up its part of the numbers, and leaves one sum.
///
/// The block has one number in shared memory for each thread, and halves them step by step. What differs is who adds what:
///
///   0 neighbours     threads whose index is a multiple of 2, 4, 8 and so on: warps diverge
///   1 strided        the first threads, elements 2, 4, 8 apart: threads meet in banks
///   2 halves         the first threads, the lower half and the upper: no conflicts
///   3 first step     as 2, but each thread brings two numbers
///   4 sized          as 3, and the block's size is known when compiling, so the loop is unrolled
///   5 many           as 4, and each thread brings as many numbers as there are for it: the grid may be small
///
/// 4 and 5 are compiled for each size of block, and for numbers of which there are a power of two and of which there are not, which spares
/// the test of the end.
#ifndef REDUCTION_KERNELS_CUH
#define REDUCTION_KERNELS_CUH

template <typename Number> __device__ Number *numbersOfBlock() {
  extern __shared__ unsigned char shared[];
  return reinterpret_cast<Number *>(shared);
}

template <typename Number> __global__ void addNeighbours(Number *sums, const Number *numbers, unsigned count) {
  Number *const mine = numbersOfBlock<Number>();
  const unsigned thread = threadIdx.x, at = blockIdx.x * blockDim.x + thread;
  mine[thread] = at < count ? numbers[at] : 0;
  __syncthreads();
  for (unsigned apart = 1; apart < blockDim.x; apart *= 2) {
    if (thread % (2 * apart) == 0)
      mine[thread] += mine[thread + apart];
    __syncthreads();
  }
  if (thread == 0)
    sums[blockIdx.x] = mine[0];
}

template <typename Number> __global__ void addStrided(Number *sums, const Number *numbers, unsigned count) {
  Number *const mine = numbersOfBlock<Number>();
  const unsigned thread = threadIdx.x, at = blockIdx.x * blockDim.x + thread;
  mine[thread] = at < count ? numbers[at] : 0;
  __syncthreads();
  for (unsigned apart = 1; apart < blockDim.x; apart *= 2) {
    const unsigned place = 2 * apart * thread;
    if (place < blockDim.x)
      mine[place] += mine[place + apart];
    __syncthreads();
  }
  if (thread == 0)
    sums[blockIdx.x] = mine[0];
}

template <typename Number> __global__ void addHalves(Number *sums, const Number *numbers, unsigned count) {
  Number *const mine = numbersOfBlock<Number>();
  const unsigned thread = threadIdx.x, at = blockIdx.x * blockDim.x + thread;
  mine[thread] = at < count ? numbers[at] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half)
      mine[thread] += mine[thread + half];
    __syncthreads();
  }
  if (thread == 0)
    sums[blockIdx.x] = mine[0];
}

template <typename Number> __global__ void addFirstStep(Number *sums, const Number *numbers, unsigned count) {
  Number *const mine = numbersOfBlock<Number>();
  const unsigned thread = threadIdx.x, at = 2 * blockIdx.x * blockDim.x + thread;
  Number sum = at < count ? numbers[at] : 0;
  if (at + blockDim.x < count)
    sum += numbers[at + blockDim.x];
  mine[thread] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half)
      mine[thread] = sum = sum + mine[thread + half];
    __syncthreads();
  }
  if (thread == 0)
    sums[blockIdx.x] = sum;
}

/// The steps of a block whose size is known; thread 0 has the sum.
template <typename Number, unsigned kThreads> __device__ Number sumOfBlock(Number *mine, Number sum) {
  mine[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      mine[threadIdx.x] = sum = sum + mine[threadIdx.x + half];
    __syncthreads();
  }
  return sum;
}

template <typename Number, unsigned kThreads, bool kIsPowerOfTwo>
__global__ void addSized(Number *sums, const Number *numbers, unsigned count) {
  const unsigned at = 2 * blockIdx.x * kThreads + threadIdx.x;
  Number sum = kIsPowerOfTwo || at < count ? numbers[at] : 0;
  if (kIsPowerOfTwo || at + kThreads < count)
    sum += numbers[at + kThreads];
  sum = sumOfBlock<Number, kThreads>(numbersOfBlock<Number>(), sum);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

template <typename Number, unsigned kThreads, bool kIsPowerOfTwo>
__global__ void addMany(Number *sums, const Number *numbers, unsigned count) {
  Number sum = 0;
  for (unsigned at = 2 * blockIdx.x * kThreads + threadIdx.x; at < count; at += 2 * gridDim.x * kThreads) {
    sum += numbers[at];
    if (kIsPowerOfTwo || at + kThreads < count)
      sum += numbers[at + kThreads];
  }
  sum = sumOfBlock<Number, kThreads>(numbersOfBlock<Number>(), sum);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

#endif
