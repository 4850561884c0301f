/// Far more records than fit into the buffer: 1,024 blocks of 256 load and store a word of their own 200
/// times; 8,192 warps with 400 accesses each are 3,276,800 warp accesses, 100 times the 32,768 records of
/// 32 bytes in a buffer of 1 MiB (CUPR_BUFFER). Which of its 8 words a thread takes next depends on what it
/// has just computed, so that no access can be left out. 52,428,800 loads and as many stores.
#include "verdict.h"

__global__ void manyRounds(unsigned *words, int rounds) {
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
  const int blocks = 1024, block = 256, threads = blocks * block, rounds = 200;
  const auto start = generate<unsigned>(8 * threads, [](std::size_t i) { return unsigned(i) * 2654435761u; });
  Device<unsigned> words(start);
  manyRounds<<<blocks, block>>>(words, rounds);
  std::vector<unsigned> wanted = start;
  for (int i = 0; i < threads; ++i) {
    unsigned at = 0;
    for (int round = 0; round < rounds; ++round) {
      const unsigned next = wanted[at * threads + i] * 5u + round;
      wanted[at * threads + i] = next;
      at = next >> 29;
    }
  }
  Verdict verdict("flood");
  verdict.equal("words", words.read(), wanted);
  return verdict.finish();
}
