/// The program's own work in the way of the trace's: in each of 64 streams a copy to the device, a kernel with more
/// records than fit into the buffer (CUPR_BUFFER) and a copy back, all given before anything is waited for, while a second
/// thread allocates and frees device memory, which waits for kernels. Whoever copies records out must not be
/// kept waiting by what waits for records to be copied out.
///
/// 4 blocks of 256 per launch, 40 rounds: 40,960 loads and as many stores of 4 bytes.
#include "verdict.h"

#include <atomic>
#include <thread>

__global__ void churn(unsigned *words, int rounds) {
  const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = 0;
  for (int round = 0; round < rounds; ++round) {
    const unsigned next = words[at * threads + i] * 5u + round;
    words[at * threads + i] = next;
    at = next >> 29; // 3 bits
  }
}

int main() {
  const int streams = 64, threads = 4 * 256, rounds = 40, count = 8 * threads;
  cudaStream_t stream[streams];
  unsigned *words[streams], *host[streams];
  for (int s = 0; s < streams; ++s) {
    MUST(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    MUST(cudaMalloc(&words[s], sizeof(unsigned) * count));
    MUST(cudaMallocHost(&host[s], sizeof(unsigned) * count));
    for (int i = 0; i < count; ++i)
      host[s][i] = (s * count + i) * 2654435761u;
  }
  std::atomic<bool> isOver(false);
  std::thread busy([&] {
    while (!isOver) {
      void *memory = nullptr;
      MUST(cudaMalloc(&memory, 1 << 20));
      MUST(cudaFree(memory));
    }
  });
  for (int s = 0; s < streams; ++s) {
    MUST(cudaMemcpyAsync(words[s], host[s], sizeof(unsigned) * count, cudaMemcpyHostToDevice, stream[s]));
    churn<<<4, 256, 0, stream[s]>>>(words[s], rounds);
    MUST(cudaMemcpyAsync(host[s], words[s], sizeof(unsigned) * count, cudaMemcpyDeviceToHost, stream[s]));
  }
  Verdict verdict("many_streams");
  for (int s = 0; s < streams; ++s) {
    MUST(cudaStreamSynchronize(stream[s]));
    std::vector<unsigned> wanted(count);
    for (int i = 0; i < count; ++i)
      wanted[i] = (s * count + i) * 2654435761u;
    for (int i = 0; i < threads; ++i) {
      unsigned at = 0;
      for (int round = 0; round < rounds; ++round) {
        const unsigned next = wanted[at * threads + i] * 5u + round;
        wanted[at * threads + i] = next;
        at = next >> 29;
      }
    }
    verdict.equal("words", std::vector<unsigned>(host[s], host[s] + count), wanted);
  }
  isOver = true;
  busy.join();
  return verdict.finish();
}
