// Blocks that do the same are not all followed; what is told is the same as where they are, also how often.
// RUN: %cuprxx --device=cpu -O2 -g --spaces=global,shared --synchronisation -o %t %s
// RUN: env CUPR_TRACE=%t.derived %t && not %cupranalyze check --json %t.derived > %t.derived.json
// RUN: env CUPR_TRACE=%t.recorded CUPR_DERIVE=off %t && not %cupranalyze check --json %t.recorded > %t.recorded.json
// RUN: not %cupranalyze check --json --threads 1 %t.derived | cmp - %t.derived.json
// RUN: %cupranalyze info %t.derived | %filecheck --check-prefix=INFO %s
// RUN: %python -c "import json, sys; a, b = (json.load(open(path)) for path in sys.argv[1:]); print(a['accesses'] == b['accesses'], a['faults'] == b['faults'], len(a['faults'])); [print(fault['rule'], fault['count'], *{access['line'] for access in fault['accesses']}) for fault in a['faults']]" %t.derived.json %t.recorded.json | %filecheck %s
// INFO: derived
// CHECK: True True 4
// CHECK-DAG: race-lanes 1984 {{[0-9 ]+}}
// CHECK-DAG: race-warps 38400 {{[0-9 ]+}}
// CHECK-DAG: race-warps 4064 {{[0-9 ]+}}
// CHECK-DAG: uninitialised-read 9600 [[#@LINE+12]]
__global__ void reversed(int *out, const int *in) { // a barrier is missing
  __shared__ int tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void shifted(int *out, const int *in) { // the first element is missing
  __shared__ int tile[160];
  if (threadIdx.x >= 32)
    tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x];
}

__global__ void right(int *out, const int *in) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void moving(int *out) { // what is one thread's own in the first block is two threads' in the others
  __shared__ int tile[192];
  tile[threadIdx.x] = 0;
  if (threadIdx.x < 64)
    tile[128 + threadIdx.x] = 0;
  __syncthreads();
  tile[threadIdx.x + blockIdx.x] = 1;
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x];
}

int main() {
  const int blocks = 300;
  int *in, *out;
  if (cudaMalloc(&in, blocks * 512) || cudaMalloc(&out, blocks * 512) || cudaMemset(in, 1, blocks * 512))
    return 1;
  right<<<blocks, 128>>>(out, in);
  reversed<<<blocks, 128>>>(out, in);
  shifted<<<blocks, 128>>>(out, in);
  moving<<<64, 128>>>(out);
  return cudaDeviceSynchronize() || cudaFree(in) || cudaFree(out);
}
