/// The 132 instances of the kernels, and the rounds in which they add up what they have left themselves.
#include "kernels.cuh"
#include "reduction.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace {

constexpr unsigned kMostBlocks = 64; ///< of a kernel whose threads bring many numbers

bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "reduction: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

template <typename Number> using Kernel = void (*)(Number *, const Number *, unsigned);

/// Of one kernel, those for blocks of 1, 2, 4 to 512 threads.
template <typename Number, bool kIsPowerOfTwo> struct Sized {
  template <std::size_t... kPowers>
  static Kernel<Number> of(int kernel, unsigned threads, std::index_sequence<kPowers...>) {
    static constexpr Kernel<Number> kSized[] = {addSized<Number, 1u << kPowers, kIsPowerOfTwo>...};
    static constexpr Kernel<Number> kMany[] = {addMany<Number, 1u << kPowers, kIsPowerOfTwo>...};
    unsigned power = 0;
    while (1u << power < threads)
      ++power;
    return kernel == kFirstSized ? kSized[power] : kMany[power];
  }
};

template <typename Number> Kernel<Number> instanceOf(int kernel, unsigned threads, bool isPowerOfTwo) {
  static constexpr Kernel<Number> kPlain[] = {addNeighbours<Number>, addStrided<Number>, addHalves<Number>,
                                              addFirstStep<Number>};
  static_assert(std::size(kPlain) == kFirstSized);
  if (kernel < kFirstSized)
    return kPlain[kernel];
  const std::make_index_sequence<kBlockSizes> powers;
  return isPowerOfTwo ? Sized<Number, true>::of(kernel, threads, powers)
                      : Sized<Number, false>::of(kernel, threads, powers);
}

/// A launch: from `count` numbers to the sums of its blocks, whose number is given back.
template <typename Number>
unsigned addUp(Number *sums, const Number *numbers, unsigned count, const Plan &plan) {
  const unsigned threads = static_cast<unsigned>(plan.threads);
  const unsigned share = plan.kernel < 3 ? threads : 2 * threads; // numbers of a block
  unsigned blocks = (count + share - 1) / share;
  if (plan.kernel == kKernels - 1)
    blocks = std::min(blocks, kMostBlocks);
  // Without a rest: then no thread need look where the numbers end.
  const bool isPowerOfTwo = (count & (count - 1)) == 0 && count >= share;
  instanceOf<Number>(plan.kernel, threads, isPowerOfTwo)<<<blocks, threads, threads * sizeof(Number)>>>(
      sums, numbers, count);
  return blocks;
}

} // namespace

template <typename Number>
bool sumOnDevice(Number &sum, const std::vector<Number> &numbers, const Plan &plan) {
  const size_t bytes = sizeof(Number) * numbers.size();
  const auto count = static_cast<unsigned>(numbers.size());
  Number *data = nullptr, *sums[2] = {};
  bool good = succeeded(cudaMalloc(&data, bytes), "cudaMalloc of the numbers") &&
              succeeded(cudaMalloc(&sums[0], bytes), "cudaMalloc of the sums") &&
              succeeded(cudaMalloc(&sums[1], bytes), "cudaMalloc of the sums of sums") &&
              succeeded(cudaMemcpy(data, numbers.data(), bytes, cudaMemcpyHostToDevice), "copying the numbers");
  if (good) {
    addUp(sums[0], data, count, plan);
    for (int round = 0; round < plan.rounds; ++round) {
      unsigned left = addUp(sums[0], data, count, plan);
      while (left > 1) {
        left = addUp(sums[1], sums[0], left, plan);
        std::swap(sums[0], sums[1]);
      }
    }
    good = succeeded(cudaGetLastError(), "launching the kernels") &&
           succeeded(cudaMemcpy(&sum, sums[0], sizeof sum, cudaMemcpyDeviceToHost), "copying the sum");
  }
  cudaFree(sums[1]);
  cudaFree(sums[0]);
  cudaFree(data);
  return good;
}

template bool sumOnDevice(int &, const std::vector<int> &, const Plan &);
template bool sumOnDevice(float &, const std::vector<float> &, const Plan &);
template bool sumOnDevice(double &, const std::vector<double> &, const Plan &);
