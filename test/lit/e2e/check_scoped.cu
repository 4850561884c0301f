// What is volatile may be accessed by all at once by PTX's model, and is data by that of scoped races. By that, a fence in front of the flag
// is needed, and none behind the look at it.
//
// RUN: %cuprxx -O2 -g -w --device=cpu --spaces=global,shared --synchronisation -o %t %s
// RUN: env CUPR_DERIVE=off CUPR_TRACE=%t.cuprtrace %t
// RUN: %cupranalyze check -q --without leak %t.cuprtrace | %filecheck --check-prefix=PTX %s
// RUN: %cupranalyze check -q --json --without leak %t.cuprtrace | %filecheck --check-prefix=PTX-JSON %s
// RUN: not %cupranalyze check -q --model scoped --without leak %t.cuprtrace | %filecheck --check-prefix=SCOPED %s
// RUN: not %cupranalyze check -q --model scoped --json --without leak %t.cuprtrace | %filecheck --check-prefix=SCOPED-JSON %s
// RUN: not %cupranalyze check --model volatile %t.cuprtrace 2>&1 | %filecheck --check-prefix=NONE %s

// PTX: nothing found in {{[0-9]+}} accesses of 2 launches; looked for
// PTX-JSON: "model": "ptx"
// SCOPED: race-blocks: {{.*}}; the one that reads looks at a flag, but no fence of the device stands between
// SCOPED-NEXT: {{.*}}check_scoped.cu:[[#@LINE+11]]:11 (store)
// SCOPED: from main{{$}}
// SCOPED: check_scoped.cu:[[#@LINE+16]]:12 (load of *data)
// SCOPED: 1 fault in {{[0-9]+}} accesses of 2 launches, by the model of scoped races; looked for
// SCOPED-JSON: "model": "scoped"
// NONE: --model: volatile not in {ptx,scoped}

template <bool HasFence> __global__ void handOver(volatile int *data, int *flag, int *out) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    *data = 42;
    if (HasFence)
      __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) != 1)
      ;
    *out = *data;
  }
}

int main() {
  int *memory;
  cudaMalloc(&memory, 4 * sizeof(int));
  for (const bool hasFence : {true, false}) {
    cudaMemset(memory, 0, 4 * sizeof(int));
    if (hasFence)
      handOver<true><<<2, 32>>>(memory, memory + 1, memory + 2);
    else
      handOver<false><<<2, 32>>>(memory, memory + 1, memory + 2);
  }
  return cudaDeviceSynchronize();
}
