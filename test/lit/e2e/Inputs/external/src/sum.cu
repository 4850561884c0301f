#include <shapes/square.cuh>
__global__ void sum(int *square, int *total) { atomicAdd(total, *cell(square, threadIdx.x)); }
void launchSum(int *square, int *total) { sum<<<1, kCells>>>(square, total); }
