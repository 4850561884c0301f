// Threads that order what they do: barriers of a block and of a warp, a fence, a copy in the background that is waited for, and atomic
// accesses with an order.
#include <cuda/atomic>

__global__ void order(const int *in, int *out, int *flag) {
  __shared__ int tile[64];
  const unsigned i = threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[63 - i];
  __threadfence();
  __syncwarp();
  if (i == 0)
    cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1, cuda::memory_order_release);
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 1;");
}

int main() {
  int *in, *out, *flag;
  cudaMalloc(&in, 256), cudaMalloc(&out, 256), cudaMalloc(&flag, 4);
  cudaMemset(in, 0, 256), cudaMemset(flag, 0, 4);
  order<<<2, 64>>>(in, out, flag);
  return cudaDeviceSynchronize();
}
