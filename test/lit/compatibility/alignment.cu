// Variables that are accessed as vectors, which their own types don't ask for: nvcc aligns dynamic shared memory by 16 bytes whatever it
// consists of, and a thread's structures as the accesses want that go to known places in them.
// RUN: %cuprxx --device=both -O2 -arch=sm_90 -o %t %s && env CUPR_TRACE=%t.cuprtrace %t | %filecheck %s
// RUN: %cupranalyze verify %t.cuprtrace
// RUN: %cuprxx --device=cpu --no-trace -O2 -o %t %s && %t | %filecheck %s
// RUN: %cuprxx --no-trace -O2 -arch=sm_90 -ptx -o %t.ptx %s && %filecheck %s --check-prefix=PTX --input-file=%t.ptx
#include <cstdio>

struct Row {
  short values[32];
};

// PTX: .extern .shared .align 16 .b8 rows[];
extern __shared__ char rows[];

// PTX-LABEL: .entry {{.*}}keepRow
// PTX: .local .align {{8|16}}
__global__ void keepRow(const int4 *in, int *out, int n) {
  __shared__ char odd[3]; // dynamic memory lies behind
  char before[9];         // and the row behind what is no multiple either
  Row row;
  for (int i = 0; i < 9; ++i)
    before[i] = static_cast<char>(i * n);
  long long *const pieces = reinterpret_cast<long long *>(&row);
  for (int i = 0; i < 8; ++i)
    pieces[i] = reinterpret_cast<const long long *>(in)[i];
  odd[n % 3] = static_cast<char>(n);
  reinterpret_cast<int4 *>(rows)[n % 2] = in[n % 4];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += row.values[i * n % 32] + before[i * n % 9] + rows[16 * (n % 2) + i * n % 16];
  *out = sum + odd[n % 3];
  out[1] = static_cast<int>(reinterpret_cast<unsigned long long>(pieces) % 8);
}

int main() {
  int4 *in;
  int *out;
  cudaMallocManaged(&in, 4 * sizeof *in);
  cudaMallocManaged(&out, 2 * sizeof *out);
  for (int i = 0; i < 4; ++i)
    in[i] = make_int4(i + 1, 0, 0, 0); // shorts: 1 at 0, 2 at 8, 3 at 16, 4 at 24
  keepRow<<<1, 1, 32>>>(in, out, 5);
  const cudaError_t error = cudaDeviceSynchronize();
  // i = 0 .. 4: row[0, 5, 10, 15, 20]: 1; before[0, 5, 1, 6, 2]: 0 + 25 + 5 + 30 + 10; rows[16 + (0, 5, 10, 15, 4)]: 2; odd: 5
  // CHECK: no error 78 0
  std::printf("%s %d %d\n", cudaGetErrorString(error), out[0], out[1]);
}
