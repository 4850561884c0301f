// Pointer chases through memories of all kinds: a chain of loads each of which needs the one before, so that a pair of clocks around the
// whole chain says what one load takes. Nothing is between two loads: what one brings is where the next one is, a pointer in global memory,
// an offset in bytes in shared and constant memory (their addresses are constants), an index in a texture. Each chase is there twice: as `chain_...`, which
// measures that and is not to be traced, and as `chase_...`, whose loads are to be timed one by one (chase.py runs both and compares).
//
// The chain `copy` has each hop copied into shared memory first, by cp.async, and loads it there: chase.py takes a load of shared memory off.
//
// All lanes of one warp follow the same chain. The chains `l1`, `copy` and `texture` go around in 16 KiB, which have been loaded before;
// that of `l2` touches each line once, all of which the copy to the device has left in L2; that of `memory` lies in the part of 256 MiB that
// the copy's end has driven out of L2.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr int kHops = 2048;
constexpr int kTable =
    256; ///< elements of the chains in shared and constant memory: 1 KiB is in the first constant cache

/// Of a list through global memory.
struct Link {
  const Link *next;
};
constexpr std::size_t kLine = 128 / sizeof(Link), kTexelsOfLine = 128 / sizeof(int);

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

/// What a chase goes through: `table` has offsets in bytes.
struct Memory {
  const unsigned *table;
  const Link *links;
  cudaTextureObject_t texture;
};

__device__ unsigned offsetIn(const unsigned *table, unsigned at) {
  return *reinterpret_cast<const unsigned *>(reinterpret_cast<const char *>(table) + at);
}
__device__ const Link *readOnlyNext(const Link *at) {
  return reinterpret_cast<const Link *>(__ldg(reinterpret_cast<const unsigned long long *>(&at->next)));
}

__device__ const Link *copiedNext(const Link *volatile *slot, const Link *at) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(const_cast<const Link **>(slot)))),
               "l"(at)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  return *slot;
}

/// `begin`: what a kernel does before its chain, which is at `first`; `hop`: the load at `at`; `place`: the number of the element at `at`.
#define CUPR_CHASE(name, begin, first, hop, place)                                                           \
  __global__ void chain_##name(Result *result, const unsigned *table, const Link *links,                     \
                               cudaTextureObject_t texture) {                                                \
    begin;                                                                                                   \
    auto at = first;                                                                                         \
    const long long before = now();                                                                          \
    _Pragma("unroll 64") for (int i = 0; i < kHops; ++i) at = hop;                                           \
    result->end = static_cast<unsigned>(place);                                                              \
    asm volatile("" ::: "memory");                                                                           \
    result->cycles = static_cast<unsigned>(now() - before);                                                  \
  }                                                                                                          \
  __global__ void chase_##name(Result *result, const unsigned *table, const Link *links,                     \
                               cudaTextureObject_t texture) {                                                \
    begin;                                                                                                   \
    auto at = first;                                                                                         \
    _Pragma("unroll 1") for (int i = 0; i < kHops; ++i) at = hop;                                            \
    result->end = static_cast<unsigned>(place);                                                              \
  }

#define CUPR_FILL_SHARED                                                                                     \
  __shared__ unsigned shared[kTable];                                                                        \
  for (int i = static_cast<int>(threadIdx.x); i < kTable; i += 32)                                           \
    shared[i] = table[i];                                                                                    \
  __syncthreads()

/// Goes around twice: a chain of 16 KiB has 128 lines, and the first records of a warp that leave for the queue empty the cache.
#define CUPR_FILL_L1                                                                                         \
  const Link *warm = links;                                                                                  \
  _Pragma("unroll 1") for (int i = 0; i < 256; ++i) warm = warm->next;                                       \
  if (!warm)                                                                                                 \
  result->end = 0
#define CUPR_FILL_TEXTURES                                                                                   \
  int warm = 0;                                                                                              \
  _Pragma("unroll 1") for (int i = 0; i < 256; ++i) warm = tex1Dfetch<int>(texture, warm);                   \
  if (warm < 0)                                                                                              \
  result->end = 0

#define CUPR_SLOTS                                                                                           \
  __shared__ const Link *volatile slots[32];                                                                 \
  const Link *volatile *const slot = &slots[threadIdx.x]

CUPR_CHASE(shared, CUPR_FILL_SHARED, 0u, offsetIn(shared, at), at / sizeof(unsigned))
CUPR_CHASE(constant, (void)0, 0u, offsetIn(constantNext, at), at / sizeof(unsigned))
CUPR_CHASE(l1, CUPR_FILL_L1, links, at->next, at - links)
CUPR_CHASE(l2, (void)0, links, at->next, at - links)
CUPR_CHASE(memory, (void)0, links, at->next, at - links)
CUPR_CHASE(readonly, (void)0, links, readOnlyNext(at), at - links)
CUPR_CHASE(copy, CUPR_SLOTS; CUPR_FILL_L1, links, copiedNext(slot, at), at - links)
CUPR_CHASE(texture, CUPR_FILL_TEXTURES, 0, tex1Dfetch<int>(texture, at), at)

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

/// Memory of the device, with what the host has put there.
template <typename T> class Copied {
public:
  explicit Copied(std::size_t count) : count_(count) { CHECK(cudaMalloc(&memory_, count * sizeof(T))); }
  Copied(const Copied &) = delete;
  ~Copied() { CHECK(cudaFree(memory_)); }
  T *get() const { return memory_; }
  void copy(const std::vector<T> &from) const {
    CHECK(cudaMemcpy(memory_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }

private:
  std::size_t count_;
  T *memory_ = nullptr;
};

using Chase = void (*)(Result *, const unsigned *, const Link *, cudaTextureObject_t);

/// `copy` is called in front of each kernel, so that it finds the caches as the others did; the first one, which finds no translations of addresses, does not count.
template <typename Copy>
void run(const char *name, Chase chain, Chase chase, const Memory &memory, unsigned end, Copy copy) {
  const Copied<Result> result(1);
  Result seen{};
  for (const Chase kernel : {chain, chain, chase}) {
    copy();
    kernel<<<1, 32>>>(result.get(), memory.table, memory.links, memory.texture);
    CHECK(cudaDeviceSynchronize());
    const unsigned cycles = seen.cycles;
    CHECK(cudaMemcpy(&seen, result.get(), sizeof seen, cudaMemcpyDeviceToHost));
    if (seen.end != end) {
      std::fprintf(stderr, "%s: ends at %u instead of %u\n", name, seen.end, end);
      std::exit(1);
    }
    if (kernel == chase)
      std::printf("%s %.1f\n", name, static_cast<double>(cycles) / kHops);
  }
}

void runInTable(const char *name, Chase chain, Chase chase, const std::vector<unsigned> &next) {
  std::vector<unsigned> offsets;
  for (const unsigned each : next)
    offsets.push_back(each * static_cast<unsigned>(sizeof(unsigned)));
  const Copied<unsigned> table(offsets.size());
  CHECK(cudaMemcpyToSymbol(constantNext, offsets.data(), sizeof constantNext));
  run(name, chain, chase, {table.get(), nullptr, 0}, endOf(next), [&] { table.copy(offsets); });
}

void runInLinks(const char *name, Chase chain, Chase chase, const std::vector<unsigned> &next) {
  const Copied<Link> links(next.size());
  std::vector<Link> list;
  for (const unsigned each : next)
    list.push_back({links.get() + each});
  run(name, chain, chase, {nullptr, links.get(), 0}, endOf(next), [&] { links.copy(list); });
}

void runInTexture(const char *name, Chase chain, Chase chase, const std::vector<unsigned> &next) {
  const Copied<unsigned> elements(next.size());
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = elements.get();
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = next.size() * sizeof(unsigned);
  cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  run(name, chain, chase, {nullptr, nullptr, texture}, endOf(next), [&] { elements.copy(next); });
  CHECK(cudaDestroyTextureObject(texture));
}

} // namespace

int main() {
  const std::vector<unsigned> table = chainThrough(kTable, placesOf(kTable, 1));
  const std::vector<unsigned> around = chainThrough(128 * kLine, placesOf(128, kLine));
  const std::vector<unsigned> lines = chainThrough((kHops + 1) * kLine, placesOf(kHops + 1, kLine));
  constexpr std::size_t kMegabyte = (1u << 20) / sizeof(Link);
  runInTable("shared", chain_shared, chase_shared, table);
  runInTable("constant", chain_constant, chase_constant, table);
  runInLinks("l1", chain_l1, chase_l1, around);
  runInLinks("readonly", chain_readonly, chase_readonly, lines);
  runInTexture("texture", chain_texture, chase_texture,
               chainThrough(128 * kTexelsOfLine, placesOf(128, kTexelsOfLine)));
  runInLinks("l2", chain_l2, chase_l2, lines);
  runInLinks("copy", chain_copy, chase_copy, around);
  // 2,049 places in the first 64 of 256 MiB.
  runInLinks(
      "memory", chain_memory, chase_memory,
      chainThrough(256 * kMegabyte, placesOf(kHops + 1, 64 * kMegabyte / (kHops + 1) / kLine * kLine)));
}
