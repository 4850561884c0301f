/// One of the three files of `linked`: see linked.cu. The host knows nothing of it. Here, and only here, the
/// addresses of two functions are taken: one of this file, one of linked_table.cu.
#include "linked.cuh"

__device__ int total = 100;

__device__ void count() { atomicAdd(&total, 1); }

__device__ int twiceAndOne(int value) { return 2 * value + 1; }

__device__ int (*chosen)(int) = twiceAndOne;
__device__ int (*reader)(const int *, int) = weighted;
