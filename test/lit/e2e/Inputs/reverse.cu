__global__ void reverse(int *words) {
  __shared__ int tile[32];
  tile[threadIdx.x] = words[threadIdx.x];
  __syncthreads();
  words[threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  int *words = nullptr;
  cudaMalloc(&words, 32 * sizeof(int));
  reverse<<<1, 32>>>(words);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
