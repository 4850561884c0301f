// A shared library with a kernel of its own.
__global__ void add(int *x, int value) { atomicAdd(x, value); }

extern "C" int runInLibrary(int value) {
  int *x = nullptr, sum = -1;
  cudaMalloc(&x, sizeof *x);
  cudaMemset(x, 0, sizeof *x);
  add<<<1, 32>>>(x, value);
  cudaMemcpy(&sum, x, sizeof sum, cudaMemcpyDeviceToHost);
  cudaFree(x);
  return sum;
}
