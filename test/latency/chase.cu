// Pointer chases through memories of all kinds: a chain of loads each of which needs the one before, so that a pair of clocks around the
// whole chain says what one load takes. Each chase is there twice: as `chain_...`, which measures that and is not to be traced, and as
// `chase_...`, whose loads are to be timed one by one (chase.py runs both and compares).
//
// All lanes of one warp follow the same chain. The chain of the row buffer `l1` goes around in 16 KiB, which have been loaded before;
// that of `l2` touches each line once, all of which the copy to the device has left in L2; that of `memory` lies in the part of 256 MiB that
// the copy's end has driven out of L2.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr int kHops = 2048, kTable = 1024; ///< elements of the chains in shared and constant memory
constexpr std::size_t kLine = 128 / sizeof(unsigned);

void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

__constant__ unsigned constantNext[kTable];

__device__ long long now() {
  long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
  return clock;
}

struct Result {
  unsigned end, cycles;
};

/// `begin`: what a kernel does before its chain; `hop`: the load at `at`.
#define CUPR_CHASE(name, begin, hop)                                                                         \
  __global__ void chain_##name(Result *result, const unsigned *next, cudaTextureObject_t texture) {          \
    begin;                                                                                                   \
    unsigned at = 0;                                                                                         \
    const long long before = now();                                                                          \
    _Pragma("unroll 1") for (int i = 0; i < kHops; ++i) at = hop;                                            \
    asm volatile("" ::"r"(at) : "memory");                                                                   \
    result->end = at;                                                                                        \
    result->cycles = static_cast<unsigned>(now() - before);                                                  \
  }                                                                                                          \
  __global__ void chase_##name(Result *result, const unsigned *next, cudaTextureObject_t texture) {          \
    begin;                                                                                                   \
    unsigned at = 0;                                                                                         \
    _Pragma("unroll 1") for (int i = 0; i < kHops; ++i) at = hop;                                            \
    result->end = at;                                                                                        \
  }

#define CUPR_FILL_SHARED                                                                                     \
  __shared__ unsigned shared[kTable];                                                                        \
  for (int i = static_cast<int>(threadIdx.x); i < kTable; i += 32)                                           \
    shared[i] = next[i];                                                                                     \
  __syncthreads()

/// Goes around once: a chain of 16 KiB has 128 lines.
#define CUPR_FILL_L1                                                                                         \
  unsigned warm = 0;                                                                                         \
  _Pragma("unroll 1") for (int i = 0; i < 128; ++i) warm = next[warm];                                       \
  if (warm == ~0u)                                                                                           \
  result->end = warm

CUPR_CHASE(shared, CUPR_FILL_SHARED, shared[at])
CUPR_CHASE(constant, (void)0, constantNext[at])
CUPR_CHASE(l1, CUPR_FILL_L1, next[at])
CUPR_CHASE(l2, (void)0, next[at])
CUPR_CHASE(memory, (void)0, next[at])
CUPR_CHASE(readonly, (void)0, __ldg(next + at))
CUPR_CHASE(texture, (void)0, tex1Dfetch<unsigned>(texture, static_cast<int>(at)))

/// A chain through the places, in an order by chance that begins at the first and comes back to it.
std::vector<unsigned> chainThrough(std::size_t elements, std::vector<unsigned> places) {
  std::mt19937 random(1);
  for (std::size_t i = places.size() - 1; i > 1; --i)
    std::swap(places[i], places[1 + random() % i]);
  std::vector<unsigned> next(elements);
  for (std::size_t i = 0; i < places.size(); ++i)
    next[places[i]] = places[(i + 1) % places.size()];
  return next;
}

/// `count` places, `stride` elements apart.
std::vector<unsigned> placesOf(std::size_t count, std::size_t stride) {
  std::vector<unsigned> places(count);
  for (std::size_t i = 0; i < count; ++i)
    places[i] = static_cast<unsigned>(i * stride);
  return places;
}

unsigned endOf(const std::vector<unsigned> &next) {
  unsigned at = 0;
  for (int i = 0; i < kHops; ++i)
    at = next[at];
  return at;
}

using Chase = void (*)(Result *, const unsigned *, cudaTextureObject_t);

void run(const char *name, Chase chain, Chase chase, const std::vector<unsigned> &next) {
  unsigned *onDevice = nullptr;
  Result *result = nullptr;
  const std::size_t bytes = next.size() * sizeof(unsigned);
  CHECK(cudaMalloc(&onDevice, bytes));
  CHECK(cudaMalloc(&result, sizeof *result));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = onDevice;
  resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
  resource.res.linear.sizeInBytes = std::min<std::size_t>(bytes, 1 << 20);
  cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  Result seen{};
  for (const Chase kernel : {chain, chase}) {
    CHECK(cudaMemcpy(onDevice, next.data(), bytes, cudaMemcpyHostToDevice)); // again: the caches as before
    kernel<<<1, 32>>>(result, onDevice, texture);
    CHECK(cudaDeviceSynchronize());
    const unsigned cycles = seen.cycles;
    CHECK(cudaMemcpy(&seen, result, sizeof seen, cudaMemcpyDeviceToHost));
    if (seen.end != endOf(next)) {
      std::fprintf(stderr, "%s: ends at %u instead of %u\n", name, seen.end, endOf(next));
      std::exit(1);
    }
    if (kernel == chase)
      std::printf("%s %.1f\n", name, static_cast<double>(cycles) / kHops);
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(result));
  CHECK(cudaFree(onDevice));
}

} // namespace

int main() {
  const std::vector<unsigned> table = chainThrough(kTable, placesOf(kTable, 1));
  CHECK(cudaMemcpyToSymbol(constantNext, table.data(), sizeof constantNext));
  const std::vector<unsigned> around = chainThrough(128 * kLine, placesOf(128, kLine));
  const std::vector<unsigned> lines = chainThrough((kHops + 1) * kLine, placesOf(kHops + 1, kLine));
  constexpr std::size_t kMegabyte = (1u << 20) / sizeof(unsigned);
  run("shared", chain_shared, chase_shared, table);
  run("constant", chain_constant, chase_constant, table);
  run("l1", chain_l1, chase_l1, around);
  run("readonly", chain_readonly, chase_readonly, lines);
  run("texture", chain_texture, chase_texture, around);
  run("l2", chain_l2, chase_l2, lines);
  // 2,049 places in the first 64 of 256 MiB.
  run("memory", chain_memory, chase_memory,
      chainThrough(256 * kMegabyte, placesOf(kHops + 1, 64 * kMegabyte / (kHops + 1) / kLine * kLine)));
}
