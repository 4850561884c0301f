/// What is added up how, and the calls between the files of this program.
#ifndef REDUCTION_REDUCTION_H
#define REDUCTION_REDUCTION_H

#include <vector>

constexpr int kKernels = 6;    ///< ways to add up, from the first idea to the last (kernels.cuh)
constexpr int kTypes = 3;      ///< int, float, double
constexpr int kBlockSizes = 10; ///< 1, 2, 4 to 512 threads

/// Which of the 132 instances runs, where kernel and type leave a choice.
struct Plan {
  int kernel;
  int threads; ///< of a block
  int rounds;  ///< in which all is added up, after a first launch that warms up
};

/// The kernels are instantiated for each size of block from this one on.
constexpr int kFirstSized = 4;

/// The sum, by the device. False when a CUDA call failed, after saying which.
template <typename Number>
bool sumOnDevice(Number &sum, const std::vector<Number> &numbers, const Plan &plan);

#endif
