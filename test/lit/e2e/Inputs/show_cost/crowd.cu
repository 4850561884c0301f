// More kernels that call hooks than ptxas should compile these for.
template <int N> __global__ void scatter(int *to) {
  __shared__ int tile[256];
  tile[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[tile[255 - threadIdx.x] + N] = tile[N];
}

template <int N> void launch(int *to) {
  scatter<N><<<1, 256>>>(to);
  if constexpr (N > 0)
    launch<N - 1>(to);
}

void launchAll(int *to) { launch<16>(to); }
