/// What the three files of `linked` share: device functions and variables that one
/// defines and others use, and a template that two of them instantiate.
#ifndef CUPR_E2E_LINKED_H
#define CUPR_E2E_LINKED_H

#include "verdict.h"

extern __device__ int total;
extern __constant__ int weights[4];
extern __device__ int (*chosen)(int);
extern __device__ int (*reader)(const int *, int);

__device__ int weighted(const int *values, int i);
__device__ int twiceAndOne(int value);
__device__ void count();

template <typename T> __global__ void fill(T *to, T value) {
  to[blockDim.x * blockIdx.x + threadIdx.x] = value;
}
/// Defined in linked_table.cu, launched from linked.cu.
__global__ void apply(int *values);
__global__ void applyDirectly(int *values);

void fillElsewhere(int *to);
void stepElsewhere(int *values);
int biasElsewhere();

#endif
