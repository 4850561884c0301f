// Every kind of synchronisation that is recorded (devicelib/abi/operation.def), in kernels whose threads go straight through:
// what each thread must have recorded stands in comments, which synchronisation.py reads.
//
//     //~ OPERATION [ORDER [SCOPE]] [@ADDRESS] [warps FIRST-LAST] [lanes FIRST-LAST]
//
// One line may have several, separated by `;`. ADDRESS is what stands for the address (hexadecimal); without it, it isn't looked at.
// Accesses that order something are marked as well. The program's output is its own check.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>

#include <cstdint>
#include <cstdio>

// Marks stand where the compiler says that the instruction is.
// clang-format off

constexpr int kBlocks = 6, kThreads = 128;

__global__ void barriers(int *out) {
  __shared__ int cells[kThreads];
  const int i = threadIdx.x, n = blockDim.x;
  cells[i] = i;
  __syncthreads();                                   //~ barrier acq_rel cta @0
  int sum = cells[n - 1 - i];
  sum += __syncthreads_or(i == 5);                   //~ barrier acq_rel cta @0
  sum += __syncthreads_count(i < 7);                 //~ barrier acq_rel cta @0
  __syncwarp();                                      //~ warp barrier acq_rel cta @ffffffff
  if (i < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");    //~ barrier acq_rel cta @4000000001 warps 0-1
    sum += cells[i ^ 32];
  }
  const int which = blockIdx.x == 0 ? 2 : 2;
  if (i < 64)
    asm volatile("bar.arrive %0, 128;" ::"r"(which) : "memory"); //~ barrier arrive release cta @8000000002 warps 0-1
  else
    asm volatile("bar.sync %0, %1;" ::"r"(which), "r"(128) : "memory"); //~ barrier acq_rel cta @8000000002 warps 2-3
  out[blockIdx.x * n + i] = sum;
}

__global__ void fences(int *out, int *flag, volatile int *seen) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;
  __threadfence_block();                             //~ fence sc cta
  __threadfence();                                   //~ fence sc gpu
  __threadfence_system();                            //~ fence sc sys
  asm volatile("fence.acq_rel.gpu;" ::: "memory");   //~ fence acq_rel gpu
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block); //~ fence acq_rel cta
  atomicAdd(flag, 1);                                //~ atomic add relaxed gpu
  atomicAdd_block(flag + 1, 1);                      //~ atomic add relaxed cta
  atomicAdd_system(flag + 2, 1);                     //~ atomic add relaxed sys
  atomicCAS(flag + 3, 0, 1);                         //~ atomic cas relaxed gpu
  atomicExch(flag + 4, 7);                           //~ atomic exch relaxed gpu
  cuda::atomic_ref<int, cuda::thread_scope_device> five(flag[5]);
  five.store(3, cuda::memory_order_release);         //~ store release gpu
  const int loaded = five.load(cuda::memory_order_acquire); //~ load acquire gpu
  five.fetch_add(loaded - 3, cuda::memory_order_acq_rel); //~ atomic add acq_rel gpu
  cuda::atomic_ref<int, cuda::thread_scope_block> six(flag[6]);
  six.store(1, cuda::memory_order_relaxed);          //~ store relaxed cta
  seen[i] = 1;                                       //~ store volatile sys
  out[i] += seen[i];                                 //~ load volatile sys
}

__global__ void copies(const int4 *in, int4 *out) {
  __shared__ int4 cells[2][kThreads];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&cells[0][i], &in[i], sizeof(int4));
  __pipeline_commit();                               //~ copy commit
  __pipeline_memcpy_async(&cells[1][i], &in[kThreads + i], sizeof(int4));
  asm volatile("cp.async.commit_group;" ::: "memory"); //~ copy commit
  __pipeline_wait_prior(1);                          //~ copy wait @1
  int4 sum = cells[0][i];
  asm volatile("cp.async.wait_all;" ::: "memory");   //~ copy wait @0
  sum.x += cells[1][i].x;
  out[blockIdx.x * kThreads + i] = sum;
}

__device__ unsigned shared(const void *pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__global__ void objects(int *out) {
  __shared__ std::uint64_t barrier;
  __shared__ int cells[kThreads];
  const int i = threadIdx.x;
  if (i == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(&barrier)), "r"(kThreads + 3) : "memory"); //~ mbarrier init = {count: 131} warps 0-0 lanes 0-0
  __syncthreads();                                   //~ barrier acq_rel cta @0
  cells[i] = i * i;
  if (i == 0) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared(&barrier)), "r"(16) : "memory"); //~ mbarrier expect relaxed cta = {bytes: 16} warps 0-0 lanes 0-0
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(&barrier)), "r"(48) : "memory"); //~ mbarrier arrive release cta = {count: 1, bytes: 48} warps 0-0 lanes 0-0
    asm volatile("{ .reg .b64 s;\n mbarrier.arrive.shared.b64 s, [%0], 2; }" ::"r"(shared(&barrier)) : "memory"); //~ mbarrier arrive release cta = {count: 2, bytes: 0} warps 0-0 lanes 0-0
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(shared(&barrier)) : "memory");
  }
  std::uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared(&barrier)) : "memory"); //~ mbarrier arrive release cta = {count: 1, bytes: 0}
  int over;
  do
    asm volatile("{ .reg .pred p;\n mbarrier.test_wait.shared.b64 p, [%1], %2;\n selp.b32 %0, 1, 0, p; }" //~ mbarrier wait acquire cta
                 : "=r"(over)
                 : "r"(shared(&barrier)), "l"(state)
                 : "memory");
  while (!over);
  out[blockIdx.x * kThreads + i] = cells[kThreads - 1 - i];
  __syncthreads();                                   //~ barrier acq_rel cta @0
  if (i == 0)
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared(&barrier)) : "memory"); //~ mbarrier inval warps 0-0 lanes 0-0
}

__global__ void __cluster_dims__(2) clusters(int *out) {
  const auto cluster = cooperative_groups::this_cluster();
  cluster.sync();                                    //~ cluster arrive release cluster; cluster wait acquire cluster
  out[blockIdx.x * blockDim.x + threadIdx.x] = cluster.block_rank();
}

__global__ void lanes(int *out) {
  const int i = threadIdx.x;
  int sum = i, leader;
  if (i % 32 < 16) {
    sum += __shfl_xor_sync(0xffff, sum, 1);          //~ warp shuffle @10000ffff lanes 0-15
    sum += __popc(__ballot_sync(0xffff, sum % 2));   //~ warp vote @10000ffff lanes 0-15
    sum += __popc(__match_any_sync(0xffff, sum % 4)); //~ warp match @10000ffff lanes 0-15
    sum += __reduce_add_sync(0xffff, sum % 8);       //~ warp reduce @10000ffff lanes 0-15
    asm volatile("{ .reg .pred p;\n elect.sync _|p, %1;\n selp.b32 %0, 1, 0, p; }" : "=r"(leader) : "r"(0xffff)); //~ warp elect @10000ffff lanes 0-15
    asm volatile("shfl.sync.idx.b32 %0, %1, 3, 31, %2;" : "=r"(sum) : "r"(sum + leader), "r"(0xffff)); //~ warp shuffle @10000ffff lanes 0-15
  }
  out[blockIdx.x * kThreads + i] = sum;
}

// Its accesses and its barriers follow from the launch: they are derived.
__global__ void derived(const int *in, int *out, int steps) {
  __shared__ int cells[kThreads];
  const int i = threadIdx.x, at = blockIdx.x * kThreads + i;
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    cells[i] = in[at] + step;
    __syncthreads();                                 // recorded `steps` times
    sum += cells[(i + 1) % kThreads];
    __syncthreads();
  }
  out[at] = sum;
}

// clang-format on

int main() {
  constexpr int kCells = kBlocks * kThreads;
  int *a = nullptr, *b = nullptr, *flags = nullptr;
  cudaMallocManaged(&a, 4 * kCells * sizeof(int));
  cudaMallocManaged(&b, 4 * kCells * sizeof(int));
  cudaMallocManaged(&flags, 8 * sizeof(int));
  const auto show = [&](const char *what, const int *cells) {
    if (const cudaError_t error = cudaDeviceSynchronize()) {
      std::printf("%s: %s\n", what, cudaGetErrorString(error));
      return false;
    }
    std::uint64_t sum = 0;
    for (int i = 0; i < kCells; ++i)
      sum = sum * 31 + static_cast<unsigned>(cells[i]);
    std::printf("%s %016llx\n", what, static_cast<unsigned long long>(sum));
    return true;
  };
  for (int i = 0; i < 4 * kCells; ++i)
    a[i] = i % 1000;
  for (int i = 0; i < 8; ++i)
    flags[i] = 0;
  barriers<<<kBlocks, kThreads>>>(b);
  bool good = show("barriers", b);
  fences<<<kBlocks, kThreads>>>(b, flags, b + kCells);
  good = show("fences", b) && good;
  copies<<<kBlocks, kThreads>>>(reinterpret_cast<const int4 *>(a), reinterpret_cast<int4 *>(b));
  good = show("copies", b) && good;
  objects<<<kBlocks, kThreads>>>(b);
  good = show("objects", b) && good;
  clusters<<<kBlocks, kThreads>>>(b);
  good = show("clusters", b) && good;
  lanes<<<kBlocks, kThreads>>>(b);
  good = show("lanes", b) && good;
  derived<<<kBlocks, kThreads>>>(a, b, 3);
  good = show("derived", b) && good;
  return good ? 0 : 1;
}
