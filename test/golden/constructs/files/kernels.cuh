#pragma once
static __device__ inline int same(int value) { return value; }
static __global__ void put(int *out, int value) { out[threadIdx.x] = same(value); }
