/// Programmatic dependent launches: each kernel lets the next one of its stream begin before it ends itself, and the
/// next one reads its own numbers before it waits for what the one before has made. 4 rounds, 16 blocks of 64: 1,024
/// elements; a launch loads two numbers of each and stores one.
#include "verdict.h"

__global__ void addTo(int *out, const int *in, const int *numbers) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const int number = numbers[i]; // nobody writes these
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
  out[i] = in[i] + number;
}

int main() {
  const int count = 1024, rounds = 4;
  const std::vector<int> numbers = generate<int>(count, [](std::size_t i) { return static_cast<int>(i % 7); });
  Device<int> of(numbers), first(std::vector<int>(count, 1)), second(count);
  cudaStream_t stream;
  MUST(cudaStreamCreate(&stream));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 16;
  config.blockDim = 64;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  for (int round = 0; round < rounds; ++round) {
    int *out = round % 2 ? first : second;
    const int *in = round % 2 ? second : first;
    MUST(cudaLaunchKernelEx(&config, addTo, out, in, static_cast<const int *>(of)));
  }
  MUST(cudaStreamSynchronize(stream));
  Verdict verdict("dependent_launches");
  verdict.equal("sums", first.read(), generate<int>(count, [&](std::size_t i) { return 1 + rounds * numbers[i]; }));
  MUST(cudaStreamDestroy(stream));
  return verdict.finish();
}
