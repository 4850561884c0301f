#pragma once
extern __device__ double table[16];
extern __constant__ int limits[4];
template <class T> inline __device__ T scratch[8];
struct Holder {
  static inline __device__ short held[4];
};
__device__ float fromOther(unsigned t);
void runSecond(double *out);
#define SHARED_INTS(name) __shared__ int name[32]
