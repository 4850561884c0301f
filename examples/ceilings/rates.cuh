/// Kernels that do one thing as fast as a multiprocessor can, and nothing else.
///
/// The compiler must not see through them: what they compute depends on arguments, chains of dependent operations are long enough to be
/// no constants, and their results are stored under a condition that only an argument makes true. Each thread has kChains chains, so that
/// the latency of one is hidden by the others.
#ifndef CEILINGS_RATES_CUH
#define CEILINGS_RATES_CUH

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kChains = 8, kThreads = 256;
/// Steps of a loop's round; numbers of steps are multiples.
constexpr int kUnrolled = 8;

/// What one step of a chain does, and how many operations that is.
struct Fp64 {
  using Value = double;
  static constexpr double kOperations = 2;
  static __device__ Value step(Value x, Value a) { return fma(x, a, a); }
  static __device__ Value from(float x) { return x; }
};
struct Fp32 {
  using Value = float;
  static constexpr double kOperations = 2;
  static __device__ Value step(Value x, Value a) { return fmaf(x, a, a); }
  static __device__ Value from(float x) { return x; }
};
struct Fp16 {
  using Value = __half2;
  static constexpr double kOperations = 4;
  static __device__ Value step(Value x, Value a) { return __hfma2(x, a, a); }
  static __device__ Value from(float x) { return __float2half2_rn(x); }
};
struct Bf16 {
  using Value = __nv_bfloat162;
  static constexpr double kOperations = 4;
  static __device__ Value step(Value x, Value a) { return __hfma2(x, a, a); }
  static __device__ Value from(float x) { return __float2bfloat162_rn(x); }
};
struct Int32 {
  using Value = std::uint32_t;
  static constexpr double kOperations = 2;
  static __device__ Value step(Value x, Value a) { return x * a + a; }
  static __device__ Value from(float x) { return static_cast<std::uint32_t>(x) | 1u; }
};
struct Special {
  using Value = float;
  static constexpr double kOperations = 1;
  static __device__ Value step(Value x, Value) {
    float y;
    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static __device__ Value from(float x) { return x; }
};

/// Makes kChains * `steps` steps in each thread.
template <typename Kind> __global__ void compute(typename Kind::Value *out, float start, int steps, bool never) {
  typename Kind::Value chain[kChains];
  const typename Kind::Value factor = Kind::from(start);
#pragma unroll
  for (int i = 0; i < kChains; ++i)
    chain[i] = Kind::from(start + static_cast<float>(threadIdx.x + i));
  for (int step = 0; step < steps; step += kUnrolled)
#pragma unroll
    for (int i = 0; i < kUnrolled * kChains; ++i)
      chain[i % kChains] = Kind::step(chain[i % kChains], factor);
  if (never)
#pragma unroll
    for (int i = 0; i < kChains; ++i)
      out[threadIdx.x * kChains + i] = chain[i];
}

/// Products of matrices by whole warps, in registers (mma.sync): 2 * m * n * k operations each. `letter`: of a register of the result.
#define CEILINGS_TENSOR(name, Type, letter, k, instruction)                                                   \
  struct name {                                                                                              \
    using Result = Type;                                                                                     \
    static constexpr double kOperations = 2.0 * 16 * 8 * (k);                                                \
    static constexpr int kResults = 4;                                                                       \
    static __device__ void step(Result *c, const std::uint32_t *a, const double *) {                         \
      asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};"                      \
                   : "+" letter(c[0]), "+" letter(c[1]), "+" letter(c[2]), "+" letter(c[3])                  \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));                                            \
    }                                                                                                        \
  }
CEILINGS_TENSOR(TensorF16, float, "f", 16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
CEILINGS_TENSOR(TensorBf16, float, "f", 16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
CEILINGS_TENSOR(TensorS8, int, "r", 32, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32");
#undef CEILINGS_TENSOR

struct TensorF64 {
  using Result = double;
  static constexpr double kOperations = 2.0 * 16 * 8 * 16;
  static constexpr int kResults = 4;
  static __device__ void step(Result *c, const std::uint32_t *, const double *a) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%4,%5,%6,%7}, {%4,%5,%6,%7}, "
                 "{%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]));
  }
};

template <typename Kind> __global__ void multiply(typename Kind::Result *out, float start, int steps, bool never) {
  typename Kind::Result chain[kChains][Kind::kResults];
  std::uint32_t words[4];
  for (int i = 0; i < 4; ++i)
    words[i] = static_cast<std::uint32_t>(start) + threadIdx.x;
  const double numbers[4] = {start, start + 1, start + 2, start + 3};
#pragma unroll
  for (int i = 0; i < kChains; ++i)
#pragma unroll
    for (int j = 0; j < Kind::kResults; ++j)
      chain[i][j] = static_cast<typename Kind::Result>(start);
  for (int step = 0; step < steps; step += kUnrolled)
#pragma unroll
    for (int i = 0; i < kUnrolled * kChains; ++i)
      Kind::step(chain[i % kChains], words, numbers);
  if (never)
#pragma unroll
    for (int i = 0; i < kChains; ++i)
      out[threadIdx.x * kChains + i] = chain[i][0] + chain[i][Kind::kResults - 1];
}

/// Loads of 16 bytes; by volatile assembly, since nobody wants what they bring.
#define CEILINGS_LOAD(name, instruction, letter, Address)                                                     \
  __device__ inline uint4 name(Address address) {                                                            \
    uint4 piece;                                                                                             \
    asm volatile(instruction ".v4.u32 {%0,%1,%2,%3}, [%4];"                                                  \
                 : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)                                \
                 : letter(address));                                                                         \
    return piece;                                                                                            \
  }
CEILINGS_LOAD(loadPastL1, "ld.global.cg", "l", const uint4 *)
CEILINGS_LOAD(loadByL1, "ld.global.ca", "l", const uint4 *)
CEILINGS_LOAD(loadShared, "ld.shared", "r", std::uint32_t)
#undef CEILINGS_LOAD

__device__ inline void add(uint4 &sum, const uint4 &piece) {
  sum.x ^= piece.x, sum.y ^= piece.y, sum.z ^= piece.z, sum.w ^= piece.w;
}

/// Reads `count` pieces of 16 bytes, all blocks together, `times` times; past L1, so that what fits into L2 comes from there.
__global__ void readMemory(const uint4 *in, std::size_t count, int times, uint4 *out, bool never) {
  uint4 sum{};
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (int time = 0; time < times; ++time)
    for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; first < count; first += kUnrolled * stride) {
      uint4 pieces[kUnrolled]{};
#pragma unroll
      for (int i = 0; i < kUnrolled; ++i)
        if (first + i * stride < count)
          pieces[i] = loadPastL1(in + first + i * stride);
#pragma unroll
      for (int i = 0; i < kUnrolled; ++i)
        add(sum, pieces[i]);
    }
  if (never)
    out[threadIdx.x] = sum;
}

__global__ void copyMemory(const uint4 *in, uint4 *out, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 piece = loadPastL1(in + i);
    asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(out + i), "r"(piece.x), "r"(piece.y), "r"(piece.z), "r"(piece.w)
                 : "memory");
  }
}

/// A block reads the same 16 KiB over and over, of which L1 has all after the first time, and shared memory always. Where a thread reads
/// moves on from load to load: the assembler would take loads of one place out of the loop.
constexpr unsigned kPieces = 1024, kStep = kThreads + 32;

__global__ void readL1(const uint4 *in, int times, uint4 *out, bool never) {
  uint4 sum{};
  unsigned at = threadIdx.x;
  for (int time = 0; time < times; time += kUnrolled)
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) {
      add(sum, loadByL1(in + at));
      at = (at + kStep) % kPieces;
    }
  if (never)
    out[threadIdx.x] = sum;
}

__global__ void readShared(int times, uint4 *out, bool never) {
  __shared__ uint4 pieces[kPieces];
  for (unsigned i = threadIdx.x; i < kPieces; i += kThreads)
    pieces[i] = make_uint4(i, i, i, i);
  __syncthreads();
  const auto begin = static_cast<std::uint32_t>(__cvta_generic_to_shared(pieces));
  uint4 sum{};
  unsigned at = threadIdx.x;
  for (int time = 0; time < times; time += kUnrolled)
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) {
      add(sum, loadShared(begin + at * 16));
      at = (at + kStep) % kPieces;
    }
  if (never)
    out[threadIdx.x] = sum;
}

#endif
