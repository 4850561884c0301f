/// One access of shared memory by one warp in each launch, at the addresses that a file says: what a GPU's counters make of each is what
/// bank_wavefronts.h has to compute. rules.py writes the file and compares.
///
///     rules FILE        a line for each launch: operation, lane mask (hexadecimal), 32 byte offsets
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Pattern {
  std::uint32_t mask, offset[32];
};

#define CUDA(call)                                                                                           \
  if (const cudaError_t error = call; error != cudaSuccess) {                                                \
    std::fprintf(stderr, "rules: %s: %s\n", #call, cudaGetErrorString(error));                               \
    std::exit(1);                                                                                            \
  }

constexpr std::uint32_t kBytes = 32768;

// What each operation does with the address `at` in shared memory, `x` being four registers.
#define R "+r"(x.x), "+r"(x.y), "+r"(x.z), "+r"(x.w)
#define OPERATIONS(X)                                                                                        \
  X(ld1, "ld.shared.u8 %0, [%4];")                                                                           \
  X(ld2, "ld.shared.u16 %0, [%4];")                                                                          \
  X(ld4, "ld.shared.u32 %0, [%4];")                                                                          \
  X(ld8, "ld.shared.v2.u32 {%0, %1}, [%4];")                                                                 \
  X(ld16, "ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];")                                                        \
  X(st1, "st.shared.u8 [%4], %0;")                                                                           \
  X(st2, "st.shared.u16 [%4], %0;")                                                                          \
  X(st4, "st.shared.u32 [%4], %0;")                                                                          \
  X(st8, "st.shared.v2.u32 [%4], {%0, %1};")                                                                 \
  X(st16, "st.shared.v4.u32 [%4], {%0, %1, %2, %3};")                                                        \
  X(add4, "atom.shared.add.u32 %0, [%4], %1;")                                                               \
  X(min4, "atom.shared.min.s32 %0, [%4], %1;")                                                               \
  X(exch4, "atom.shared.exch.b32 %0, [%4], %1;")                                                             \
  X(cas4, "atom.shared.cas.b32 %0, [%4], %1, %2;")                                                           \
  X(inc4, "atom.shared.inc.u32 %0, [%4], %1;")                                                               \
  X(and4, "red.shared.and.b32 [%4], %0;")                                                                    \
  X(red4, "red.shared.add.u32 [%4], %0;")                                                                    \
  X(count4, "red.shared.add.u32 [%4], %1;")                                                                  \
  X(matrix1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%4];")                                         \
  X(matrix2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%4];")                                     \
  X(matrix4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];")                             \
  X(stmatrix1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%4], {%0};")                                       \
  X(stmatrix2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%4], {%0, %1};")                                   \
  X(stmatrix4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};")

#define KERNEL(name, text)                                                                                   \
  __global__ void name(const Pattern *pattern, uint4 *sink) {                                                \
    extern __shared__ uint4 memory[];                                                                        \
    const unsigned lane = threadIdx.x;                                                                       \
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) + pattern->offset[lane];    \
    uint4 x = make_uint4(lane, 1, 2, 3);                                                                     \
    if (pattern->mask >> lane & 1)                                                                           \
      asm volatile(text : R : "r"(at) : "memory");                                                           \
    sink[lane] = x;                                                                                          \
  }
OPERATIONS(KERNEL)

#define COPY(name, bytes)                                                                                    \
  __global__ void name(const Pattern *pattern, uint4 *sink) {                                                \
    extern __shared__ uint4 memory[];                                                                        \
    const unsigned lane = threadIdx.x;                                                                       \
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) + pattern->offset[lane];    \
    if (pattern->mask >> lane & 1)                                                                           \
      asm volatile("cp.async.ca.shared.global [%0], [%1], " #bytes "; cp.async.wait_all;"                    \
                   :                                                                                         \
                   : "r"(at), "l"(reinterpret_cast<char *>(sink) + bytes * lane)                             \
                   : "memory");                                                                              \
  }
COPY(cp4, 4)
COPY(cp8, 8)
COPY(cp16, 16)

#define WIDE(name, text)                                                                                     \
  __global__ void name(const Pattern *pattern, uint4 *sink) {                                                \
    extern __shared__ uint4 memory[];                                                                        \
    const unsigned lane = threadIdx.x;                                                                       \
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) + pattern->offset[lane];    \
    std::uint64_t x = lane;                                                                                  \
    if (pattern->mask >> lane & 1)                                                                           \
      asm volatile(text : "+l"(x) : "r"(at) : "memory");                                                     \
    sink[lane] = make_uint4(static_cast<unsigned>(x), 0, 0, 0);                                              \
  }
WIDE(exch8, "atom.shared.exch.b64 %0, [%1], %0;")
WIDE(cas8, "atom.shared.cas.b64 %0, [%1], %0, %0;")

struct Named {
  const char *name;
  void (*kernel)(const Pattern *, uint4 *);
};
#define NAMED(name, text) {#name, name},
constexpr Named kKernels[] = {
    OPERATIONS(NAMED){"cp4", cp4}, {"cp8", cp8}, {"cp16", cp16}, {"exch8", exch8}, {"cas8", cas8}};

} // namespace

int main(int argc, char **argv) {
  std::FILE *file = argc == 2 ? std::fopen(argv[1], "r") : nullptr;
  if (!file) {
    std::fprintf(stderr, "usage: rules FILE\n");
    return 1;
  }
  Pattern *pattern = nullptr, given;
  uint4 *sink = nullptr;
  CUDA(cudaMalloc(&pattern, sizeof *pattern));
  CUDA(cudaMalloc(&sink, 32 * sizeof *sink));
  char operation[16];
  while (std::fscanf(file, "%15s %x", operation, &given.mask) == 2) {
    for (std::uint32_t &offset : given.offset)
      if (std::fscanf(file, "%u", &offset) != 1)
        return 1;
    CUDA(cudaMemcpy(pattern, &given, sizeof given, cudaMemcpyHostToDevice));
    for (const Named &each : kKernels)
      if (std::strcmp(each.name, operation) == 0)
        each.kernel<<<1, 32, kBytes>>>(pattern, sink);
    CUDA(cudaDeviceSynchronize());
  }
  return 0;
}
