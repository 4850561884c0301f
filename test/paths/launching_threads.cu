// launching_threads THREADS LAUNCHES: so many threads, each with a stream of its own, launch at the same time. Each launch adds 1 to each number of
// its thread. Prints the seconds from the first launch until the device is done.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

namespace {

void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

__global__ void addOne(int *numbers) { ++numbers[threadIdx.x]; }

__attribute__((noinline)) void oneLaunch(cudaStream_t stream, int *numbers) {
  addOne<<<1, 32, 0, stream>>>(numbers);
  CHECK(cudaGetLastError());
}

void launchOften(int launches, int *numbers, cudaStream_t stream, std::atomic<int> &waiting) {
  --waiting;
  while (waiting.load() > 0)
    std::this_thread::yield();
  for (int i = 0; i < launches; ++i)
    oneLaunch(stream, numbers);
  CHECK(cudaStreamSynchronize(stream));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const int threadCount = std::atoi(argv[1]), launches = std::atoi(argv[2]);
  int *numbers = nullptr;
  const std::size_t bytes = static_cast<std::size_t>(threadCount) * 32 * sizeof(int);
  CHECK(cudaMalloc(&numbers, bytes));
  CHECK(cudaMemset(numbers, 0, bytes));
  std::vector<cudaStream_t> streams(static_cast<std::size_t>(threadCount));
  for (cudaStream_t &stream : streams)
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  std::atomic<int> waiting{threadCount};
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < streams.size(); ++i)
    threads.emplace_back(launchOften, launches, numbers + 32 * i, streams[i], std::ref(waiting));
  for (std::thread &thread : threads)
    thread.join();
  CHECK(cudaDeviceSynchronize());
  std::printf("%.3f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  std::vector<int> seen(static_cast<std::size_t>(threadCount) * 32);
  CHECK(cudaMemcpy(seen.data(), numbers, bytes, cudaMemcpyDeviceToHost));
  for (const int number : seen)
    if (number != launches) {
      std::fprintf(stderr, "%d instead of %d\n", number, launches);
      return 1;
    }
  return 0;
}
