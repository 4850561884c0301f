#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "launch_configuration.cu"
/// Launches with two, three and four arguments of configuration, written in the forms that these may take.
#include "verdict.h"

__global__ void put(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void putShared(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) {
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
  put<<<1, 32>>>(cupr_launch(0), at, 1);
  put<<<grid, block>>>(cupr_launch(1), at + 32, 2);
  put<<<dim3(2, 1, 1), dim3{16}>>>(cupr_launch(2), at + 64, 3);
  put<<<
      1, // of a grid
      32 /* of a block */ >>> /* what is given: */ (cupr_launch(3), at + 96, 4);
  putShared<<<1, 32, 32 * sizeof(int)>>>(cupr_launch(4), at + 128, 5);
  put<<<1, 32, 0, stream>>>(cupr_launch(5), at + 160, 6);
  MUST(cudaStreamSynchronize(stream));
  put <<< 1, (32 > 16 ? 32 : 16), (8 >> 3) - 1, cudaStream_t() >>> (cupr_launch(6), at + 192, 7);
  Verdict verdict("launch_configuration");
  verdict.equal("out", out.read(), generate<int>(7 * 32, [](std::size_t i) { return int(i / 32 + 1); }));
  MUST(cudaStreamDestroy(stream));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "launch_configuration.cu", "4:21+48 7:27+48 20:18+16 21:24+16 22:36+16 25:53+16 26:42+16 27:29+16 29:69+16")
#endif
