// Memory that is accessed as several types: nvcc's device code reads it again, whatever the types; and local arrays are
// aligned for vectors, as nvcc aligns them.
// RUN: %cuprxx --device=both -O3 -arch=sm_90 -o %t %s && env CUPR_TRACE=%t.cuprtrace %t | %filecheck %s
// RUN: %cupranalyze verify %t.cuprtrace
// RUN: %cuprxx --device=cpu --no-trace -O2 -o %t %s && %t | %filecheck %s
// RUN: %cuprxx --device=cpu --no-trace -O0 -o %t %s && %t | %filecheck %s
#include <cstdio>

__global__ void pun(int *asInt, short *asShort, float *asFloat, int *out) {
  *asInt = 1;
  *asShort = 2; // the lower half
  out[0] = *asInt;
  *asFloat = 1;
  out[1] = *asInt;
}

__global__ void vectors(const float4 *in, float *out, int n) {
  char offset[9]; // what comes behind is not aligned by chance
  for (int i = 0; i < 9; ++i)
    offset[i] = static_cast<char>(i * n);
  int three[3] = {n, n, n};
  float values[8];
  short pairs[4];
  char bytes[16];
  *reinterpret_cast<float4 *>(values) = in[0];
  *reinterpret_cast<float4 *>(values + 4) = in[1];
  *reinterpret_cast<int2 *>(pairs) = make_int2(n, n + 1);
  *reinterpret_cast<float4 *>(bytes) = in[1];
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += values[i * n % 8] + pairs[i * n % 4] + bytes[i * n % 16] + offset[i * n % 9];
  *out = sum + three[n % 3] + 1000 * (reinterpret_cast<unsigned long long>(values) % 16);
}

int main() {
  int *memory, *out;
  float4 *in;
  float *sum;
  cudaMallocManaged(&memory, sizeof *memory);
  cudaMallocManaged(&out, 2 * sizeof *out);
  cudaMallocManaged(&in, 2 * sizeof *in);
  cudaMallocManaged(&sum, sizeof *sum);
  pun<<<1, 1>>>(memory, reinterpret_cast<short *>(memory), reinterpret_cast<float *>(memory), out);
  in[0] = make_float4(1, 2, 3, 4), in[1] = make_float4(5, 6, 7, 8);
  vectors<<<1, 1>>>(in, sum, 5);
  cudaDeviceSynchronize();
  // CHECK: 2 3f800000 147
  std::printf("%d %x %g\n", out[0], out[1], *sum);
}
