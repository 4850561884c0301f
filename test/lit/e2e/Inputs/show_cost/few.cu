__global__ void __launch_bounds__(512) reverse(int *data) {
  __shared__ int tile[256];
  tile[threadIdx.x & 255] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[255 - (threadIdx.x & 255)];
}
