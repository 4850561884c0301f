/// Two devices (or twice the same, where there is one), each launched on by a host thread of its own: what their
/// launches read lies on the other device, and each has its own value of a variable. 20 launches each of 4 blocks of 64:
/// a launch loads two numbers of each of 256 elements, stores one, and adds to the variable by the first thread of each block.
#include "verdict.h"

#include <thread>

__device__ int runs;

__global__ void addOther(int *own, const int *other) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  own[i] += other[i];
  if (threadIdx.x == 0)
    atomicAdd(&runs, 1);
}

int main() {
  const int count = 256, launches = 20;
  int devices = 0;
  MUST(cudaGetDeviceCount(&devices));
  const int device[2] = {0, 1 % devices};
  int *sums[2], *numbers[2], before[2];
  for (int side = 0; side < 2; ++side) {
    MUST(cudaSetDevice(device[side]));
    if (device[1] != device[0])
      MUST(cudaDeviceEnablePeerAccess(device[1 - side], 0));
    MUST(cudaMalloc(&sums[side], count * sizeof(int)));
    MUST(cudaMalloc(&numbers[side], count * sizeof(int)));
    const std::vector<int> values(count, side + 1);
    MUST(cudaMemcpy(numbers[side], values.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    MUST(cudaMemset(sums[side], 0, count * sizeof(int)));
    MUST(cudaMemcpyFromSymbol(&before[side], runs, sizeof(int)));
    MUST(cudaDeviceSynchronize()); // before the other device's kernels read
  }
  const auto launch = [&](int side) {
    MUST(cudaSetDevice(device[side]));
    cudaStream_t stream;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int number = 0; number < launches; ++number)
      addOther<<<4, 64, 0, stream>>>(sums[side], numbers[1 - side]);
    MUST(cudaGetLastError());
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaStreamDestroy(stream));
  };
  std::thread second(launch, 1);
  launch(0);
  second.join();

  Verdict verdict("two_devices");
  std::vector<int> found(count);
  int runsFound = 0;
  for (int side = 0; side < 2; ++side) {
    MUST(cudaSetDevice(device[side]));
    MUST(cudaMemcpy(found.data(), sums[side], count * sizeof(int), cudaMemcpyDeviceToHost));
    verdict.equal("sums", found, std::vector<int>(count, launches * (2 - side)));
    MUST(cudaMemcpyFromSymbol(&runsFound, runs, sizeof(int)));
    verdict.equal("runs", std::vector<int>{runsFound - before[side]},
                  std::vector<int>{4 * launches * (device[0] == device[1] ? 2 : 1)});
  }
  return verdict.finish();
}
