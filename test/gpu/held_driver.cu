// A kernel that makes more records than the record buffer holds, and right behind it a copy that waits for it.
//
//     held_driver runtime|driver
//
// By the runtime's call the copy is foreseen, and waits without the driver; by the driver's own, which is looked up where no
// tracer sees it, it holds the driver while the kernel runs. Prints "good" when the numbers are right.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <dlfcn.h>

namespace {

constexpr unsigned kBlocks = 4096, kThreads = 256, kRounds = 16, kSize = kBlocks * kThreads;

__global__ void scatter(const unsigned *from, unsigned *to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < kRounds; ++round)
    to[(i * 40503u + round * 9973u) % kSize] = from[(i + round) % kSize];
}

void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Status 0: copied.
int copyByDriver(void *to, const void *from, std::size_t bytes) {
  void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto copy = driver ? reinterpret_cast<int (*)(void *, unsigned long long, std::size_t)>(
                                 dlsym(driver, "cuMemcpyDtoH_v2"))
                           : nullptr;
  return copy ? copy(to, reinterpret_cast<unsigned long long>(from), bytes) : -1;
}

} // namespace

int main(int count, char **arguments) {
  const char *const way = count > 1 ? arguments[1] : "";
  const bool isDriver = std::strcmp(way, "driver") == 0;
  if (!isDriver && std::strcmp(way, "runtime") != 0) {
    std::fprintf(stderr, "usage: held_driver runtime|driver\n");
    return 2;
  }
  unsigned *from, *to;
  check(cudaMalloc(&from, kSize * sizeof *from));
  check(cudaMalloc(&to, kSize * sizeof *to));
  auto *const host = static_cast<unsigned *>(std::malloc(kSize * sizeof *from));
  std::memset(host, 0x5a, kSize * sizeof *from);
  check(cudaMemcpy(from, host, kSize * sizeof *from, cudaMemcpyHostToDevice));
  check(cudaDeviceSynchronize());
  scatter<<<kBlocks, kThreads>>>(from, to);
  std::memset(host, 0, kSize * sizeof *to);
  if (!isDriver)
    check(cudaMemcpy(host, to, kSize * sizeof *to, cudaMemcpyDeviceToHost));
  else if (const int status = copyByDriver(host, to, kSize * sizeof *to)) {
    std::printf("cuMemcpyDtoH: %d\n", status);
    return 1;
  }
  for (unsigned i = 0; i < kSize; ++i)
    if (host[i] != 0x5a5a5a5au) {
      std::printf("WRONG at %u: %08x\n", i, host[i]);
      return 1;
    }
  std::printf("good\n");
  return 0;
}
