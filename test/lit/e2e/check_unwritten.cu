// However often a place is read that nobody has written, others are told as well.
// RUN: %cuprxx --device=cpu -O2 -g --synchronisation -o %t %s
// RUN: env CUPR_DERIVE=off CUPR_TRACE=%t.trace %t && not %cupranalyze check --without leak %t.trace | %filecheck %s
// CHECK: uninitialised-read
// CHECK: check_unwritten.cu:[[#@LINE+11]]:
// CHECK: 76,800 times
// CHECK: uninitialised-read
// CHECK: check_unwritten.cu:[[#@LINE+10]]:
// CHECK: 256 times
// CHECK: 2 faults
// CHECK-NOT: not checked: uninitialised-read: there was no room
__global__ void reads(const volatile int *values, int *out) {
  const int i = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 300; ++round)
    sum += values[i];
  out[i] = sum;
  out[i] += values[512 + i];
}

int main() {
  int *memory, *out;
  if (cudaMalloc(&memory, 4096) || cudaMalloc(&out, 4096))
    return 1;
  reads<<<1, 256>>>(memory, out);
  return cudaDeviceSynchronize();
}
