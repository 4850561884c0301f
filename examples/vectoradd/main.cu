/// vectoradd: the sum of two vectors, a thread for each number.
///
///     vectoradd [numbers]      default: 50000
///
/// Exit 1 when a sum is not the host's.
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kThreads = 256; ///< of a block

bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "vectoradd: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

} // namespace

__global__ void add(float *sum, const float *left, const float *right, int numbers) {
  const int at = blockIdx.x * kThreads + threadIdx.x;
  if (at < numbers)
    sum[at] = left[at] + right[at];
}

/// Empty when a CUDA call failed, after saying which.
static std::vector<float> addOnDevice(const std::vector<float> &left, const std::vector<float> &right) {
  const int numbers = static_cast<int>(left.size());
  const size_t bytes = sizeof(float) * left.size();
  float *deviceLeft = nullptr, *deviceRight = nullptr, *deviceSum = nullptr;
  bool good =
      succeeded(cudaMalloc(&deviceLeft, bytes), "cudaMalloc of the left vector") &&
      succeeded(cudaMalloc(&deviceRight, bytes), "cudaMalloc of the right vector") &&
      succeeded(cudaMalloc(&deviceSum, bytes), "cudaMalloc of the sum") &&
      succeeded(cudaMemcpy(deviceLeft, left.data(), bytes, cudaMemcpyHostToDevice), "copying the left vector") &&
      succeeded(cudaMemcpy(deviceRight, right.data(), bytes, cudaMemcpyHostToDevice), "copying the right vector");
  if (good) {
    add<<<(numbers + kThreads - 1) / kThreads, kThreads>>>(deviceSum, deviceLeft, deviceRight, numbers);
    good = succeeded(cudaGetLastError(), "launching add");
  }
  std::vector<float> sum(left.size());
  if (!good || !succeeded(cudaMemcpy(sum.data(), deviceSum, bytes, cudaMemcpyDeviceToHost), "copying the sum"))
    sum.clear();
  cudaFree(deviceSum);
  cudaFree(deviceRight);
  cudaFree(deviceLeft);
  return sum;
}

int main(int argc, char **argv) {
  const int numbers = argc > 1 ? std::atoi(argv[1]) : 50000;
  if (numbers < 1 || numbers > 1 << 28) {
    std::fprintf(stderr, "usage: vectoradd [numbers, 1 to 268435456]\n");
    return 2;
  }
  std::vector<float> left(numbers), right(numbers);
  for (int at = 0; at < numbers; ++at) {
    left[at] = static_cast<float>(at % 1013) / 8;
    right[at] = static_cast<float>(at % 727) / 4;
  }
  const std::vector<float> sum = addOnDevice(left, right);
  if (sum.empty())
    return 1;
  int wrong = 0;
  for (int at = 0; at < numbers; ++at)
    wrong += sum[at] != left[at] + right[at];
  std::printf("vectoradd: %d numbers, the last sum is %g, %s\n", numbers, sum.back(),
              wrong == 0 ? "as on the host" : "WRONG: differs from the host");
  return wrong == 0 ? 0 : 1;
}
