/// The kernels of both solvers. Scalars of the method lie in the device's memory.
#ifndef FEM_KERNELS_CUH
#define FEM_KERNELS_CUH

#include "mesh.h"

#include <cstdio>
#include <cstdlib>

inline void must(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "fem: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

constexpr int kThreads = 256, kPartThreads = 128, kParts = 192;

struct Scalars {
  double product, residual, length, turn; ///< p q; r r; the step along p; how much of p stays
};

__host__ __device__ inline double quotient(double a, double b) { return b == 0 ? 0 : a / b; }

struct DeviceMatrix {
  int rows;
  const double *values;
  const int *columns;
};

__device__ inline double timesRow(const DeviceMatrix &matrix, const double *vector, int row) {
  double sum = 0;
  for (int k = 0; k < kMostEntries; ++k)
    sum += matrix.values[k * matrix.rows + row] * vector[matrix.columns[k * matrix.rows + row]];
  return sum;
}

/// r = M u + load - A u.
static __global__ void begin(DeviceMatrix matrix, const double *mass, const double *load, const double *u,
                             double *r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < matrix.rows)
    r[i] = mass[i] * u[i] + load[i] - timesRow(matrix, u, i);
}

static __global__ void multiply(DeviceMatrix matrix, const double *p, double *q) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < matrix.rows)
    q[i] = timesRow(matrix, p, i);
}

/// Sums of a * b, one for each block.
static __global__ void multiplyInParts(const double *a, const double *b, int n, double *parts) {
  __shared__ double sums[kPartThreads];
  double sum = 0;
  for (int i = blockIdx.x * kPartThreads + threadIdx.x; i < n; i += kParts * kPartThreads)
    sum += a[i] * b[i];
  sums[threadIdx.x] = sum;
  for (int half = kPartThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    parts[blockIdx.x] = sums[0];
}

/// By one block: the sum of the parts, for thread 0.
__device__ inline double sumOf(const double *parts) {
  __shared__ double sums[kThreads];
  sums[threadIdx.x] = threadIdx.x < kParts ? parts[threadIdx.x] : 0;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[0];
}

/// u and r go along p and q.
static __global__ void advance(const Scalars *scalars, int n, const double *p, const double *q, double *u,
                               double *r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  u[i] += scalars->length * p[i];
  r[i] -= scalars->length * q[i];
}

static __global__ void turn(const Scalars *scalars, int n, const double *r, double *p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = r[i] + scalars->turn * p[i];
}

#endif
