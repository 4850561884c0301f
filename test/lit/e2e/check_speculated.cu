// What the compiler loads ahead of the program's conditions is no race; what it only moves, makes one of two or takes apart is as before.
// RUN: %cuprxx --device=cpu -O2 -g --spaces=global,shared --synchronisation -o %t %s
// RUN: env CUPR_TRACE=%t.trace %t && not %cupranalyze check --json %t.trace > %t.json
// RUN: %python -c "import json, sys; [print(fault['accesses'][0]['kernel'].split('(')[0], fault['rule']) for fault in json.load(open(sys.argv[1]))['faults']]" %t.json | sort -u | %filecheck %s
struct Counter {
  int at;
  unsigned bits;
};
struct Pair {
  int from, to;
};

// One thread finds something; LLVM loads `bits` in front of the loop, in all threads.
__global__ void findsOne(const int *values, int n, unsigned *out) {
  __shared__ Counter counter;
  if (threadIdx.x == 0)
    counter = {0, 0};
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (values[i] == 77) {
      counter.at = i;
      counter.bits |= i << 4;
    }
  __syncthreads();
  if (threadIdx.x == 0)
    *out = counter.bits + counter.at;
}

// The condition becomes a select, and all threads load.
__global__ void choosesOne(unsigned *out) {
  __shared__ unsigned first;
  if (threadIdx.x == 5)
    first = out[64];
  out[threadIdx.x] = threadIdx.x == 5 ? first : 3;
}

// The same where a thread compares what it loads: of the largest value of those warps that there are.
__global__ void largestOfWarps(const int *values, int n, unsigned *out) {
  __shared__ int largest[8];
  int mine = values[threadIdx.x];
  if (threadIdx.x % 32 == 0)
    largest[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll
    for (int warp = 1; warp < 8; ++warp)
      if (warp * 32 < n)
        mine = mine > largest[warp] ? mine : largest[warp];
    *out = mine;
  }
}

// As above, but that nothing in the loop stores there.
__global__ void readsInLoop(const int *values, int n, unsigned *out) {
  __shared__ unsigned step;
  if (threadIdx.x == 0)
    step = n;
  unsigned sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (values[i] == 1) // only of thread 0
      sum += step;
  out[threadIdx.x] = sum;
}

// Two loads of each round become one in front of the loop.
// CHECK: hoists race-lanes
// CHECK-NEXT: hoists race-warps
__global__ void hoists(const int *values, int n, unsigned *out) {
  __shared__ unsigned factor;
  if (threadIdx.x == 0)
    factor = n;
  unsigned sum = 0;
  int i = threadIdx.x;
  do {
    sum += values[i] * factor + (values[i] ^ factor);
    i += blockDim.x;
  } while (i < n);
  out[threadIdx.x] = sum;
}

// A structure is loaded whole.
// CHECK-NEXT: takesPair race-lanes
// CHECK-NEXT: takesPair race-warps
__global__ void takesPair(unsigned *out) {
  __shared__ Pair pair;
  if (threadIdx.x == 0)
    pair = {int(out[64]), 4};
  Pair mine = pair;
  if (mine.from == 3)
    mine.to = 1;
  out[threadIdx.x] = mine.from * mine.to;
}
// CHECK-NOT: {{.}}

int main() {
  constexpr int kValues = 256, kThreads = 64;
  int values[kValues] = {};
  values[79] = 77;
  values[0] = values[64] = 1;
  int *in;
  unsigned *out;
  if (cudaMalloc(&in, sizeof(values)) || cudaMalloc(&out, (kThreads + 1) * sizeof(unsigned)) ||
      cudaMemset(out, 0, (kThreads + 1) * sizeof(unsigned)) ||
      cudaMemcpy(in, values, sizeof(values), cudaMemcpyHostToDevice))
    return 1;
  findsOne<<<1, kThreads>>>(in, kValues, out);
  choosesOne<<<1, kThreads>>>(out);
  largestOfWarps<<<1, kThreads>>>(in, kThreads, out);
  readsInLoop<<<1, kThreads>>>(in, kValues, out);
  hoists<<<1, kThreads>>>(in, kValues, out);
  takesPair<<<1, kThreads>>>(out);
  return cudaDeviceSynchronize() || cudaFree(in) || cudaFree(out);
}
