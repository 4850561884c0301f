/// Atomics with a scope, on halves and pairs of halves, and of 16 bits, each on words of the thread's own, 2
/// blocks of 32. atomicSub_block and atomicSub_system are additions in CUDA's headers, and subtractions in
/// the trace.
#include "verdict.h"
#include <cuda_fp16.h>

constexpr int kThreads = 64;

__global__ void scoped(int *words, unsigned *unsignedWords, float *reals) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  atomicSub_block(&words[i], 7);
  atomicAdd_block(&words[kThreads + i], 7);
  atomicSub_system(&unsignedWords[i], 5u);
  atomicMax_system(&unsignedWords[kThreads + i], 50u);
  atomicAdd_block(&reals[i], 0.5f);
}

__global__ void small(__half *halves, __half2 *pairs, unsigned short *shorts) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  atomicAdd(&halves[i], __float2half(1.0f));
  atomicAdd(&pairs[i], __floats2half2_rn(1.0f, 2.0f));
  atomicCAS(&shorts[i], static_cast<unsigned short>(i), static_cast<unsigned short>(i + 1));
}

int main() {
  Device<int> words(generate<int>(2 * kThreads, [](std::size_t i) { return int(i); }));
  Device<unsigned> unsignedWords(generate<unsigned>(2 * kThreads, [](std::size_t i) { return unsigned(i); }));
  Device<float> reals(generate<float>(kThreads, [](std::size_t i) { return float(i); }));
  scoped<<<2, 32>>>(words, unsignedWords, reals);
  Device<__half> halves(generate<__half>(kThreads, [](std::size_t i) { return __float2half(float(i)); }));
  Device<__half2> pairs(
      generate<__half2>(kThreads, [](std::size_t i) { return __floats2half2_rn(float(i), -float(i)); }));
  Device<unsigned short> shorts(
      generate<unsigned short>(kThreads, [](std::size_t i) { return static_cast<unsigned short>(i); }));
  small<<<2, 32>>>(halves, pairs, shorts);

  Verdict verdict("scoped_atomics");
  verdict.equal("words", words.read(), generate<int>(2 * kThreads, [](std::size_t i) {
                  return i < kThreads ? int(i) - 7 : int(i) + 7;
                }));
  verdict.equal("unsigned", unsignedWords.read(), generate<unsigned>(2 * kThreads, [](std::size_t i) {
                  return i < kThreads ? unsigned(i) - 5u : i < 50 ? 50u : unsigned(i);
                }));
  verdict.equal("reals", reals.read(),
                generate<float>(kThreads, [](std::size_t i) { return float(i) + 0.5f; }));
  verdict.equal("halves", halves.read(),
                generate<__half>(kThreads, [](std::size_t i) { return __float2half(float(i) + 1.0f); }));
  verdict.equal("pairs", pairs.read(), generate<__half2>(kThreads, [](std::size_t i) {
                  return __floats2half2_rn(float(i) + 1.0f, 2.0f - float(i));
                }));
  verdict.equal("shorts", shorts.read(), generate<unsigned short>(kThreads, [](std::size_t i) {
                  return static_cast<unsigned short>(i + 1);
                }));
  return verdict.finish();
}
