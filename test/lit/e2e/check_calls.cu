// Copies that race are one fault for each pair of calls, however often these are made: here ten times, of 64 words each.
// RUN: %cuprxx --device=cpu -O2 -g --synchronisation -o %t %s
// RUN: env CUPR_TRACE=%t.trace %t && not %cupranalyze check --without leak %t.trace | %filecheck %s
// CHECK: race-launches: Two launches, copies or sets access the same bytes
// CHECK-NEXT: check_calls.cu:[[#@LINE+14]]:
// CHECK: check_calls.cu:[[#@LINE+13]]:
// CHECK: byte 0 of to (256 bytes, cudaMalloc
// CHECK: 640 times
// CHECK: race-launches
// CHECK-NEXT: check_calls.cu:[[#@LINE+11]]:
// CHECK: check_calls.cu:[[#@LINE+10]]:
// CHECK: 640 times
// CHECK: 2 faults
#include <cuda_runtime.h>

void copies(int *to, int *other, const int *from, cudaStream_t *streams) {
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 2; ++i)
      cudaMemcpyAsync(to, from, 256, cudaMemcpyHostToDevice, streams[i]);
    for (int i = 0; i < 2; ++i)
      cudaMemsetAsync(other, i, 256, streams[i]);
    cudaDeviceSynchronize();
  }
}

int main() {
  int *to, *other, *from;
  cudaStream_t streams[2];
  if (cudaMalloc(&to, 256) || cudaMalloc(&other, 256) || cudaMallocHost(&from, 256))
    return 1;
  for (cudaStream_t &stream : streams)
    cudaStreamCreate(&stream);
  copies(to, other, from, streams);
  return cudaDeviceSynchronize();
}
