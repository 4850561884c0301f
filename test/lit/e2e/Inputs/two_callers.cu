__device__ __noinline__ void add(int *cell) { *cell += 1; }
__device__ __noinline__ void twice(int *cells) {
  add(cells);
  add(cells + 1);
}
__global__ void both(int *cells) {
  twice(cells);
  add(cells);
}

int main() {
  int *cells = nullptr;
  if (cudaMalloc(&cells, 2 * sizeof(int)) != cudaSuccess || cudaMemset(cells, 0, 2 * sizeof(int)) != cudaSuccess)
    return 1;
  both<<<1, 1>>>(cells);
  int first = 0;
  if (cudaMemcpy(&first, cells, sizeof first, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  return first == 2 ? 0 : 1;
}
