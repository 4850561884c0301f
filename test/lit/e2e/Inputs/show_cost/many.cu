template <int N> __device__ void store(int *to) {
  to[threadIdx.x * 37 + N * N * 41] = N;
  if constexpr (N > 0)
    store<N - 1>(to);
}

// More accesses than hooks are inlined for.
__global__ void scatter(int *to) {
  __shared__ int tile[256];
  tile[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  store<80>(to + tile[255 - threadIdx.x]);
}
