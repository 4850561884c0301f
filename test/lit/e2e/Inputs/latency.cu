// Two warps that load, load and store; what they load is 0. The second load needs what the first one brings, the store what the second one does.
#include <cstdio>

__global__ void walk(int *out, const int *in) {
  const int thread = static_cast<int>(threadIdx.x);
  const int none = in[thread];
  const int nothing = in[8 * thread + none];
  out[thread + nothing] = 1;
}

int main() {
  constexpr int kThreads = 64;
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 8 * kThreads * sizeof *in);
  cudaMalloc(&out, kThreads * sizeof *out);
  cudaMemset(in, 0, 8 * kThreads * sizeof *in);
  for (int i = 0; i < 2; ++i)
    walk<<<1, kThreads>>>(out, in);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  std::printf("walked\n");
  return 0;
}
