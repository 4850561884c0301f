// What is done behind a lock with what was read under it is no race with who had the lock first: neither where a branch depends on it, nor an
// address, be it one round of a loop later.
// RUN: %cuprxx --device=cpu -O2 -g --synchronisation -o %t %s
// RUN: env CUPR_DERIVE=off CUPR_CPU_THREADS=1 CUPR_TRACE=%t.trace %t && %cupranalyze check --without leak %t.trace | %filecheck %s
// CHECK: nothing found
__device__ void lock(int *place) {
  while (atomicCAS(place, 0, 1) != 0)
    ;
  __threadfence();
}
__device__ void unlock(int *place) {
  __threadfence();
  atomicExch(place, 0);
}

// The first block hands a cell over, which the second one stores to in its next round.
__global__ void handsCell(int *data, int *place, int *given, int *out, int rounds) {
  if (blockIdx.x == 0) {
    lock(place);
    *out = data[3];
    *given = 3;
    unlock(place);
  } else {
    int next = 0;
#pragma unroll 1
    for (int round = 0;; ++round) {
#pragma unroll
      for (int i = 0; i < 24; ++i) // too much to be made twice: the round begins here
        data[next + 2 * i] = 7 + i;
      if (round == rounds)
        break;
      lock(place);
      next = *given;
      unlock(place);
    }
  }
}

int main() {
  int *memory;
  if (cudaMalloc(&memory, 4096) || cudaMemset(memory, 0, 4096))
    return 1;
  handsCell<<<2, 1>>>(memory, memory + 64, memory + 128, memory + 192, 1);
  return cudaDeviceSynchronize();
}
