// An MPI program: rank r doubles 256 * (r + 1) numbers in two launches, and all ranks add up what they got.
#include <cstdio>
#include <mpi.h>

__global__ void fill(int *numbers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  numbers[i] = i;
}

__global__ void twice(const int *numbers, int *doubled) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  doubled[i] = 2 * numbers[i];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int blocks = rank + 1, count = 256 * blocks;
  int *numbers, *doubled;
  cudaMalloc(&numbers, count * sizeof(int));
  cudaMalloc(&doubled, count * sizeof(int));
  fill<<<blocks, 256>>>(numbers);
  twice<<<blocks, 256>>>(numbers, doubled);
  int last = 0, sum = 0;
  cudaMemcpy(&last, doubled + count - 1, sizeof last, cudaMemcpyDeviceToHost);
  MPI_Allreduce(&last, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("sum %d\n", sum);
  cudaFree(numbers);
  cudaFree(doubled);
  MPI_Finalize();
}
