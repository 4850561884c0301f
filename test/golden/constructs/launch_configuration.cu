/// Launches with two, three and four arguments of configuration, written in the forms that these may take.
#include "verdict.h"

__global__ void put(int *out, int value) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void putShared(int *out, int value) {
  extern __shared__ int room[];
  room[threadIdx.x] = value;
  __syncthreads();
  out[threadIdx.x] = room[31 - threadIdx.x];
}

int main() {
  Device<int> out(7 * 32);
  int *at = out;
  cudaStream_t stream;
  MUST(cudaStreamCreate(&stream));
  const dim3 grid(2), block(16);
  put<<<1, 32>>>(at, 1);
  put<<<grid, block>>>(at + 32, 2);
  put<<<dim3(2, 1, 1), dim3{16}>>>(at + 64, 3);
  put<<<
      1, // of a grid
      32 /* of a block */ >>> /* what is given: */ (at + 96, 4);
  putShared<<<1, 32, 32 * sizeof(int)>>>(at + 128, 5);
  put<<<1, 32, 0, stream>>>(at + 160, 6);
  MUST(cudaStreamSynchronize(stream));
  put <<< 1, (32 > 16 ? 32 : 16), (8 >> 3) - 1, cudaStream_t() >>> (at + 192, 7);
  Verdict verdict("launch_configuration");
  verdict.equal("out", out.read(), generate<int>(7 * 32, [](std::size_t i) { return int(i / 32 + 1); }));
  MUST(cudaStreamDestroy(stream));
  return verdict.finish();
}
