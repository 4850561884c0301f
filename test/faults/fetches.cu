// Copies to the host of memory that nobody has written.
#include "cases.h"

constexpr int kThreads = 64, kSize = 1000;
constexpr int kBytes = kSize * sizeof(float);

__global__ void square(float *out, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    out[i] = static_cast<float>(i) * static_cast<float>(i);
}

// The division leaves out the last block, which has but a part of its threads to do.
void lastBlock(bool fixed) {
  const DeviceArray<float> out(kSize, Content::Nothing);
  std::vector<float> results(kSize);
  square<<<fixed ? (kSize + kThreads - 1) / kThreads : kSize / kThreads, kThreads>>>(out, kSize);
  cudaMemcpy(results.data(), out, kBytes, cudaMemcpyDeviceToHost); //~ lastBlock: uninitialised-read
}

// The kernel writes to one array, and the host fetches the other.
void otherArray(bool fixed) {
  const DeviceArray<float> out(kSize, Content::Nothing), next(kSize, Content::Nothing);
  std::vector<float> results(kSize);
  square<<<kSize / kThreads + 1, kThreads>>>(out, kSize);
  const float *const from = fixed ? out : next;
  cudaMemcpy(results.data(), from, kBytes, cudaMemcpyDeviceToHost); //~ otherArray: uninitialised-read on cpu
}

// The compacted numbers are fetched with all the room that there is for them.
__global__ void compact(const int *in, int *out, int *count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (in[i] % 3 == 0)
    out[atomicAdd(count, 1)] = in[i];
}
void wholeRoom(bool fixed) {
  const DeviceArray<int> in(numbers(kPlain)), count(1);
  const DeviceArray<int> out(kPlain, Content::Nothing);
  compact<<<kPlain / kThreads, kThreads>>>(in, out, count);
  int found = 0;
  cudaMemcpy(&found, count, sizeof found, cudaMemcpyDeviceToHost);
  std::vector<int> results(kPlain);
  cudaMemcpy(results.data(), out, (fixed ? found : kPlain) * sizeof(int), //~ wholeRoom: uninitialised-read
             cudaMemcpyDeviceToHost);
}

// Rows are fetched with their pitch, of which the end was never filled.
__global__ void fillRows(float *rows, int pitch, int width) {
  rows[blockIdx.x * pitch + threadIdx.x] = threadIdx.x < width ? 1.0f : 0.0f;
}
void wholePitch(bool fixed) {
  constexpr int kRows = 8, kWidth = 48, kFloats = 128;
  constexpr std::size_t kPitch = kFloats * sizeof(float);
  const DeviceArray<float> rows(kRows * kFloats, Content::Nothing);
  std::vector<float> results(kRows * kFloats);
  float *const to = results.data();
  fillRows<<<kRows, kWidth>>>(rows, kFloats, kWidth);
  const std::size_t width = fixed ? kWidth * sizeof(float) : kPitch;
  cudaMemcpy2D(to, kPitch, rows, kPitch, width, kRows, //~ wholePitch: uninitialised-read
               cudaMemcpyDeviceToHost);
}

// The set has the number of elements where it needs the number of bytes; the sums are fetched as they are.
void sumsSetTooFew(bool fixed) {
  const DeviceArray<int> sums(kThreads, Content::Nothing);
  int results[kThreads];
  cudaMemset(sums, 0, fixed ? sizeof results : kThreads);
  cudaMemcpy(results, sums, sizeof results, cudaMemcpyDeviceToHost); //~ sumsSetTooFew: uninitialised-read
}

// What an allocation holds is gone with it, be the next one at the same address.
void fromBefore(bool fixed) {
  float *out = nullptr;
  cudaMalloc(&out, kBytes);
  square<<<kSize / kThreads + 1, kThreads>>>(out, kSize);
  if (!fixed) {
    cudaFree(out);
    cudaMalloc(&out, kBytes);
  }
  std::vector<float> results(kSize);
  square<<<1, kThreads>>>(out, kThreads);
  cudaMemcpy(results.data(), out, kBytes, cudaMemcpyDeviceToHost); //~ fromBefore: uninitialised-read
  cudaFree(out);
}

// Each of the streams fetches its part, but the third one has no kernel.
void partOfStreams(bool fixed) {
  constexpr int kStreams = 4, kPart = 256;
  const DeviceArray<float> out(kStreams * kPart, Content::Nothing);
  float *results = nullptr;
  cudaMallocHost(&results, kStreams * kPart * sizeof(float));
  cudaStream_t streams[kStreams];
  for (int i = 0; i < kStreams; ++i) {
    cudaStreamCreate(&streams[i]);
    if (fixed || i != 2)
      square<<<kPart / kThreads, kThreads, 0, streams[i]>>>(out + i * kPart, kPart);
  }
  for (cudaStream_t stream : streams)
    cudaStreamSynchronize(stream);
  cudaMemcpyAsync(results, out, kStreams * kPart * sizeof(float), //~ partOfStreams: uninitialised-read
                  cudaMemcpyDeviceToHost, streams[0]);
  cudaStreamSynchronize(streams[0]);
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  cudaFreeHost(results);
}

// Filling is nobody's to write; an array in the structure that is not set is another matter.
struct Particle {
  double mass;
  int kind;
  float position[6];
};
__global__ void makeParticles(Particle *particles, bool withPosition) {
  Particle &particle = particles[blockIdx.x * kThreads + threadIdx.x];
  particle.mass = 1;
  particle.kind = threadIdx.x;
  for (int i = 0; withPosition && i < 6; ++i)
    particle.position[i] = static_cast<float>(i);
}
void noPosition(bool fixed) {
  const DeviceArray<Particle> particles(2 * kThreads, Content::Nothing);
  std::vector<Particle> results(2 * kThreads);
  makeParticles<<<2, kThreads>>>(particles, fixed);
  cudaMemcpy(results.data(), particles, 2 * kThreads * sizeof(Particle), //~ noPosition: uninitialised-read
             cudaMemcpyDeviceToHost);
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       {"lastBlock", lastBlock},
                       {"otherArray", otherArray},
                       {"wholeRoom", wholeRoom},
                       {"wholePitch", wholePitch},
                       {"sumsSetTooFew", sumsSetTooFew},
                       {"fromBefore", fromBefore},
                       {"partOfStreams", partOfStreams},
                       {"noPosition", noPosition},
                   });
}
