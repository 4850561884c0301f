/// Timed kernels whose records are staged in every way that they can: lanes that go apart, end early, fill only a part of a warp, call functions,
/// make accesses that are not timed in between, copy asynchronously, and dynamic shared memory of the program's own, which the stages lie behind.
///
/// Prints "right", or which kernel's results are wrong; exit status 1 then.
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
#include <vector>

constexpr int kThreads = 3 * 5 * 7, kBlocks = 40, kAll = kThreads * kBlocks;

__device__ int place() {
  return (blockIdx.x * kThreads) + threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// Lanes leave the loop one by one, and end where they leave it.
__global__ void apart(int *out, const int *in) {
  const int i = place();
  int sum = 0;
  for (int k = 0; k <= i % 37; ++k) {
    sum += in[(i * 17 + k * k * 101) % kAll];
    if (sum % 11 == 3) {
      out[i] = sum;
      return;
    }
  }
  if (i % 3 == 0)
    out[i] = -sum;
}

/// A thread in five ends where no `return` stands.
__global__ void ends(int *out, const int *in) {
  const int i = place();
  out[i] = in[i] + 1;
#ifdef __CUDA_ARCH__
  if (i % 5 == 2)
    asm volatile("exit;");
#endif
  if (i % 5 != 2)
    out[i] += in[(i * 7) % kAll];
}

__device__ __noinline__ int deepest(const int *in, int i) { return in[(i * 3 + 13) % kAll]; }
__device__ __noinline__ int deeper(const int *in, int i, int depth) {
  const int here = in[(i + depth * 13) % kAll];
  return depth == 0 ? here : here ^ deepest(in, i + depth);
}
__global__ void functions(int *out, const int *in) {
  const int i = place();
  out[i] = deeper(in, i, i % 4);
}

struct Nine {
  int of[9];
};
/// Copies of a size that is known at run time only are recorded, and not timed.
__global__ void untimed(int *out, const int *in, int words) {
  const int i = place();
  Nine nine{};
  memcpy(nine.of, in + (i * 9) % (kAll - 9), words * sizeof(int));
  int sum = in[i];
  for (int k = 0; k < 9; ++k)
    sum += nine.of[k] * (k + 1);
  out[i] = sum;
}

/// What the program has in dynamic shared memory stays as it is.
__global__ void dynamic(int *out, const int *in) {
  __shared__ int few[3];
  extern __shared__ __align__(256) int own[];
  const int i = place(), thread = i % kThreads;
  if (thread < 3)
    few[thread] = thread * 1000;
  own[thread] = in[i];
  for (int round = 0; round < 20; ++round) {
    __syncthreads();
    const int other = own[(thread * 8 + round) % kThreads] + in[(i + round * 31) % kAll];
    __syncthreads();
    own[thread] ^= other + few[round % 3];
  }
  out[i] = own[thread];
}

constexpr int kTiles = 8;

/// Each tile is under way while the one before is used.
__global__ void copies(int *out, const int *in) {
  __shared__ int tiles[2][kThreads];
  const int i = place(), thread = i % kThreads;
  const auto begin = [&](int tile) {
    __pipeline_memcpy_async(&tiles[tile % 2][thread], &in[(i * 3 + tile * 57) % kAll], sizeof(int));
    __pipeline_commit();
  };
  int sum = 0;
  begin(0);
  for (int tile = 0; tile < kTiles; ++tile) {
    if (tile + 1 < kTiles) {
      begin(tile + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    sum += tiles[tile % 2][(thread * 8 + tile) % kThreads] * (tile + 1);
    __syncthreads();
  }
  out[i] = sum;
}

__global__ void atomics(int *out, const int *in) {
  const int i = place();
  atomicAdd(&out[in[i] % kAll], 1);
  if (i % 2)
    out[kAll + i] = atomicXor(&out[2 * kAll + i], in[i]);
}

namespace {

std::vector<int> input;

template <typename Kernel> std::vector<int> run(Kernel kernel, std::size_t shared) {
  int *in = nullptr, *out = nullptr;
  std::vector<int> result(3 * kAll);
  if (cudaMalloc(&in, kAll * sizeof(int)) != cudaSuccess ||
      cudaMalloc(&out, result.size() * sizeof(int)) != cudaSuccess ||
      cudaMemcpy(in, input.data(), kAll * sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaMemset(out, 0, result.size() * sizeof(int)) != cudaSuccess)
    std::exit(2);
  kernel(dim3(kBlocks), dim3(3, 5, 7), shared, out, in);
  if (cudaMemcpy(result.data(), out, result.size() * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
    std::exit(2);
  cudaFree(in);
  cudaFree(out);
  return result;
}

bool areRight = true;
template <typename Expected> void check(const char *name, const std::vector<int> &result, Expected expected) {
  for (int i = 0; i < kAll; ++i)
    if (result[i] != expected(i)) {
      std::printf("%s: %d at %d, and %d is right\n", name, result[i], i, expected(i));
      areRight = false;
      return;
    }
}

int deeperOnHost(int i, int depth) {
  const int here = input[(i + depth * 13) % kAll];
  return depth == 0 ? here : here ^ input[((i + depth) * 3 + 13) % kAll];
}

} // namespace

int main() {
  unsigned random = 1;
  for (int i = 0; i < kAll; ++i) {
    random = random * 1664525u + 1013904223u;
    input.push_back(static_cast<int>(random >> 12));
  }
  check("apart",
        run([](dim3 grid, dim3 block, std::size_t, int *out,
               const int *in) { apart<<<grid, block>>>(out, in); },
            0),
        [](int i) {
          int sum = 0;
          for (int k = 0; k <= i % 37; ++k) {
            sum += input[(i * 17 + k * k * 101) % kAll];
            if (sum % 11 == 3)
              return sum;
          }
          return i % 3 == 0 ? -sum : 0;
        });
  check(
      "ends",
      run([](dim3 grid, dim3 block, std::size_t, int *out, const int *in) { ends<<<grid, block>>>(out, in); },
          0),
      [](int i) { return input[i] + 1 + (i % 5 != 2 ? input[(i * 7) % kAll] : 0); });
  check("functions",
        run([](dim3 grid, dim3 block, std::size_t, int *out,
               const int *in) { functions<<<grid, block>>>(out, in); },
            0),
        [](int i) { return deeperOnHost(i, i % 4); });
  check("untimed",
        run([](dim3 grid, dim3 block, std::size_t, int *out,
               const int *in) { untimed<<<grid, block>>>(out, in, 7); },
            0),
        [](int i) {
          int sum = input[i];
          for (int k = 0; k < 7; ++k)
            sum += input[(i * 9) % (kAll - 9) + k] * (k + 1);
          return sum;
        });
  const std::vector<int> shared = run([](dim3 grid, dim3 block, std::size_t bytes, int *out,
                                         const int *in) { dynamic<<<grid, block, bytes>>>(out, in); },
                                      kThreads * sizeof(int));
  for (int block = 0; block < kBlocks; ++block) {
    std::vector<int> own(input.begin() + block * kThreads, input.begin() + (block + 1) * kThreads);
    for (int round = 0; round < 20; ++round) {
      const std::vector<int> before = own;
      for (int thread = 0; thread < kThreads; ++thread)
        own[thread] ^= before[(thread * 8 + round) % kThreads] +
                       input[(block * kThreads + thread + round * 31) % kAll] + round % 3 * 1000;
    }
    for (int thread = 0; thread < kThreads; ++thread)
      if (shared[block * kThreads + thread] != own[thread] && areRight) {
        std::printf("dynamic: %d at thread %d of block %d, and %d is right\n",
                    shared[block * kThreads + thread], thread, block, own[thread]);
        areRight = false;
      }
  }
  check("copies",
        run([](dim3 grid, dim3 block, std::size_t, int *out,
               const int *in) { copies<<<grid, block>>>(out, in); },
            0),
        [](int i) {
          int sum = 0;
          for (int tile = 0; tile < kTiles; ++tile) {
            const int from = i / kThreads * kThreads + (i % kThreads * 8 + tile) % kThreads;
            sum += input[(from * 3 + tile * 57) % kAll] * (tile + 1);
          }
          return sum;
        });
  std::vector<int> counts(kAll);
  for (const int value : input)
    ++counts[value % kAll];
  check("atomics",
        run([](dim3 grid, dim3 block, std::size_t, int *out,
               const int *in) { atomics<<<grid, block>>>(out, in); },
            0),
        [&](int i) { return counts[i]; });
  if (areRight)
    std::printf("right\n");
  return areRight ? 0 : 1;
}
