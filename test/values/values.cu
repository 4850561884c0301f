// Moves values of many types, and lets memory itself say what each access must have read or written.
//
// Every location is read while it holds its first value, and written once. So what a load reads is what the host put there, and
// what a store writes is what the host finds there in the end: the program prints both for each allocation, and values.py looks
// each access of the trace up in them. Built with `cupr++ --values` for a GPU and for the CPU device.
//
//     initial ORDINAL HEXADECIMAL      ordinal: among the calls of cudaMalloc
//     final ORDINAL HEXADECIMAL
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

struct Mixed {
  double x;
  float y;
  char c;
  short s[3];
};
struct Bytes3 {
  unsigned char b[3];
};
struct Words5 {
  unsigned w[5];
};
struct alignas(16) Vectors {
  float4 a, b, c, d;
};
struct Half10 {
  std::uint64_t a;
  unsigned short b;
};

/// Some threads of each warp, backwards: no address is regular, and no warp is whole.
template <typename T> __global__ void scatter(const T *in, T *out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || i % 7 == 3)
    return;
  const unsigned from = (i * 37u + 11u) % count;
  out[count - 1 - i] = in[from];
}
/// All threads, side by side.
template <typename T> __global__ void copy(const T *in, T *out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = in[i];
}

/// Each operation at a location of its own.
__global__ void atomics(unsigned *words, const unsigned *operands, unsigned long long *longs, float *floats,
                        double *doubles, __half2 *halves) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, operand = operands[i];
  unsigned *const mine = words + 16 * i;
  unsigned found = atomicAdd(mine + 0, operand);
  found += atomicSub(mine + 1, operand);
  found += atomicExch(mine + 2, operand);
  found += atomicMin(mine + 3, operand);
  found += atomicMax(mine + 4, operand);
  found += atomicInc(mine + 5, operand);
  found += atomicDec(mine + 6, operand);
  found += atomicAnd(mine + 7, operand);
  found += atomicOr(mine + 8, operand);
  found += atomicXor(mine + 9, operand);
  found += atomicCAS(mine + 10, operand & 1 ? operand : i, 77u + i);
  found += static_cast<unsigned>(atomicMin(reinterpret_cast<int *>(mine + 11), static_cast<int>(operand)));
  found += static_cast<unsigned>(atomicMax(reinterpret_cast<int *>(mine + 12), static_cast<int>(operand)));
  if (i % 3 == 1)
    found += atomicAdd_block(mine + 13, operand);
  mine[14] = found;
  longs[4 * i + 3] = atomicAdd(longs + 4 * i, static_cast<unsigned long long>(operand) << 9) +
                     atomicCAS(longs + 4 * i + 1, static_cast<unsigned long long>(i), 5ull << 40) +
                     atomicExch(longs + 4 * i + 2, 9ull << 33);
  floats[2 * i + 1] = atomicAdd(floats + 2 * i, static_cast<float>(operand & 15u));
  doubles[2 * i + 1] = atomicAdd(doubles + 2 * i, static_cast<double>(operand & 15u));
  halves[2 * i + 1] = atomicAdd(halves + 2 * i, __floats2half2_rn(2.0f, 3.0f));
}

/// What programs write by hand.
__global__ void assembly(const float4 *in, float4 *out, const unsigned char *bytes, unsigned short *shorts) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(in + i));
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %5, 0; @p st.global.v4.f32 [%0], {%1, %2, %3, %4}; }" ::"l"(out + i),
      "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "r"(i & 3u));
  unsigned byte;
  asm volatile("ld.global.u8 %0, [%1];" : "=r"(byte) : "l"(bytes + i));
  asm volatile("st.global.u16 [%0], %1;" ::"l"(shorts + i), "h"(static_cast<unsigned short>(byte * 3u)));
}

namespace {

constexpr unsigned kCount = 333, kThreads = 96, kBlocks = 4;
static_assert(kThreads * kBlocks >= kCount, "every element has a thread");

std::uint64_t state = 1;
unsigned char randomByte() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<unsigned char>(state >> 40);
}

struct Allocation {
  void *device;
  std::vector<unsigned char> initial;
};
std::vector<Allocation> allocations;

/// `fill`: the memory's first bytes; else random ones.
void *make(std::size_t bytes, const void *fill = nullptr) {
  Allocation allocation{nullptr, std::vector<unsigned char>(bytes)};
  for (unsigned char &byte : allocation.initial)
    byte = randomByte();
  if (fill)
    std::memcpy(allocation.initial.data(), fill, bytes);
  if (cudaMalloc(&allocation.device, bytes) != cudaSuccess ||
      cudaMemcpy(allocation.device, allocation.initial.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
    std::exit(2);
  allocations.push_back(allocation);
  return allocation.device;
}

template <typename T> void move() {
  const T *const in = static_cast<T *>(make(kCount * sizeof(T)));
  scatter<T><<<kBlocks, kThreads>>>(in, static_cast<T *>(make(kCount * sizeof(T))), kCount);
  copy<T><<<kBlocks, kThreads>>>(in, static_cast<T *>(make(kCount * sizeof(T))), kCount);
}
/// Values of a step, which are recorded in another way.
template <typename T> void moveSteps(T first, T step) {
  std::vector<T> values(kCount);
  for (unsigned i = 0; i < kCount; ++i)
    values[i] = static_cast<T>(first + static_cast<T>(step * static_cast<T>(i)));
  const T *const in = static_cast<T *>(make(kCount * sizeof(T), values.data()));
  scatter<T><<<kBlocks, kThreads>>>(in, static_cast<T *>(make(kCount * sizeof(T))), kCount);
  copy<T><<<kBlocks, kThreads>>>(in, static_cast<T *>(make(kCount * sizeof(T))), kCount);
}

void print(const char *when, unsigned number, const std::vector<unsigned char> &bytes) {
  std::printf("%s %u ", when, number);
  for (const unsigned char byte : bytes)
    std::printf("%02x", byte);
  std::printf("\n");
}

} // namespace

int main() {
  move<char>();
  move<unsigned short>();
  move<int>();
  move<long long>();
  move<float>();
  move<double>();
  move<__half>();
  move<__nv_bfloat16>();
  move<float2>();
  move<float3>();
  move<float4>();
  move<double2>();
  move<uchar4>();
  move<Bytes3>();
  move<Half10>();
  move<Words5>();
  move<Mixed>();
  move<Vectors>();
  moveSteps<signed char>(-100, 3);
  moveSteps<unsigned>(0xffffff00u, 7u);
  moveSteps<long long>(-(1ll << 62), 1ll << 33);
  moveSteps<int>(50, -3);
  moveSteps<short>(7, 0);

  const unsigned threads = kThreads * kBlocks;
  std::vector<float> floats(2 * threads);
  std::vector<double> doubles(2 * threads);
  std::vector<__half2> halves(2 * threads);
  for (unsigned i = 0; i < 2 * threads; ++i) {
    floats[i] = .5f * static_cast<float>(i);
    doubles[i] = .25 * i;
    halves[i] = __floats2half2_rn(static_cast<float>(i % 64), 1.0f);
  }
  atomics<<<kBlocks, kThreads>>>(static_cast<unsigned *>(make(64 * threads)),
                                 static_cast<unsigned *>(make(4 * threads)),
                                 static_cast<unsigned long long *>(make(32 * threads)),
                                 static_cast<float *>(make(8 * threads, floats.data())),
                                 static_cast<double *>(make(16 * threads, doubles.data())),
                                 static_cast<__half2 *>(make(8 * threads, halves.data())));
  assembly<<<kBlocks, kThreads>>>(
      static_cast<float4 *>(make(16 * threads)), static_cast<float4 *>(make(16 * threads)),
      static_cast<unsigned char *>(make(threads)), static_cast<unsigned short *>(make(2 * threads)));
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  for (unsigned i = 0; i < allocations.size(); ++i) {
    Allocation &allocation = allocations[i];
    print("initial", i, allocation.initial);
    if (cudaMemcpy(allocation.initial.data(), allocation.device, allocation.initial.size(),
                   cudaMemcpyDeviceToHost) != cudaSuccess)
      return 2;
    print("final", i, allocation.initial);
  }
}
