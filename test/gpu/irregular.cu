// Everyday kernels whose records are irregular: lanes diverge, addresses are scattered, loops are as long as the data
// says. With a small record buffer each of them waits for space in the middle of divergent code.
//
//     irregular mix|bfs|spmv|hash|sort|tree [SIZE [ROUNDS [STREAMS]]]
//
// Each stream has data of its own and checks it against the host: "good", or exit status 1. All kernels in one module are
// so many accesses that the hooks are called; built with -DPART=n only the n-th of them is there, and they are inlined.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#ifndef PART
#define PART 0
#endif
#define HAS(part) (PART == 0 || PART == (part))

namespace {

void check(cudaError_t error, int line) {
  if (error == cudaSuccess)
    return;
  std::printf("line %d: %s\n", line, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

/// Memory of the device that lives as long as the program.
template <typename T> T *onDevice(const std::vector<T> &values) {
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}
template <typename T> std::vector<T> fromDevice(const T *memory, std::size_t size, cudaStream_t stream) {
  std::vector<T> values(size);
  CHECK(cudaMemcpyAsync(values.data(), memory, size * sizeof(T), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  return values;
}

__host__ __device__ inline unsigned hash(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

struct Graph {
  std::vector<int> begins, targets;
};
/// Rows of 0 to 31 entries, most of them short.
[[maybe_unused]] Graph makeGraph(int nodes, unsigned seed) {
  Graph graph{std::vector<int>(nodes + 1), {}};
  for (int node = 0; node < nodes; ++node) {
    const unsigned h = hash(seed + node), degree = (h & 31) >> (h >> 8 & 3);
    for (unsigned i = 0; i < degree; ++i)
      graph.targets.push_back(int(hash(h + i * 977) % unsigned(nodes)));
    graph.begins[node + 1] = int(graph.targets.size());
  }
  return graph;
}

/// A launch's worth of work of one stream, and whether its results are right.
struct Work {
  std::function<void(cudaStream_t)> run;
  std::function<bool(cudaStream_t)> isRight;
};

#if HAS(1)
// Lanes active by a hash, random and regular addresses by turns.
__global__ void mix(const unsigned *in, unsigned *out, int n, int rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= unsigned(n))
    return;
  unsigned h = i * 2654435761u + 1u, sum = 0;
  for (int r = 0; r < rounds; ++r) {
    h ^= h << 13, h ^= h >> 17, h ^= h << 5;
    if (h & 1)
      sum += in[h % n];
    if (h & 6)
      sum += in[(i + r) % n];
    if ((h & 24) == 0)
      out[n + h % n] = r;
  }
  out[i] = sum;
}
Work makeMix(int n, unsigned seed) {
  std::vector<unsigned> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = hash(seed + i);
  const unsigned *const a = onDevice(in);
  unsigned *const b = onDevice(std::vector<unsigned>(2 * n));
  const int rounds = 16;
  return {[=](cudaStream_t stream) { mix<<<(n + 255) / 256, 256, 0, stream>>>(a, b, n, rounds); },
          [=](cudaStream_t stream) {
            const std::vector<unsigned> out = fromDevice(b, n, stream);
            for (int i = 0; i < n; i += 97) {
              unsigned h = i * 2654435761u + 1u, sum = 0;
              for (int r = 0; r < rounds; ++r) {
                h ^= h << 13, h ^= h >> 17, h ^= h << 5;
                sum += (h & 1 ? in[h % n] : 0) + (h & 6 ? in[(i + r) % n] : 0);
              }
              if (out[i] != sum)
                return false;
            }
            return true;
          }};
}

#endif

#if HAS(2)

__global__ void nextLevel(const int *begins, const int *targets, int *levels, int nodes, int level,
                          int *found) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || levels[node] != level)
    return;
  for (int edge = begins[node]; edge < begins[node + 1]; ++edge)
    if (levels[targets[edge]] < 0) {
      levels[targets[edge]] = level + 1;
      *found = 1;
    }
}
Work makeBfs(int nodes, unsigned seed) {
  const Graph graph = makeGraph(nodes, seed);
  std::vector<int> levels(nodes, -1);
  for (int node = 0; node < 64; ++node)
    levels[node] = 0;
  int *const begins = onDevice(graph.begins), *const targets = onDevice(graph.targets),
             *const start = onDevice(levels), *const reached = onDevice(levels),
             *const found = onDevice(std::vector<int>(1));
  return {[=](cudaStream_t stream) {
            CHECK(cudaMemcpyAsync(reached, start, nodes * sizeof(int), cudaMemcpyDeviceToDevice, stream));
            for (int level = 0, any = 1; any; ++level) {
              CHECK(cudaMemsetAsync(found, 0, sizeof any, stream));
              nextLevel<<<(nodes + 255) / 256, 256, 0, stream>>>(begins, targets, reached, nodes, level,
                                                                 found);
              CHECK(cudaMemcpyAsync(&any, found, sizeof any, cudaMemcpyDeviceToHost, stream));
              CHECK(cudaStreamSynchronize(stream));
            }
          },
          [=](cudaStream_t stream) {
            std::vector<int> expected = levels, front;
            for (int node = 0; node < 64 && node < nodes; ++node)
              front.push_back(node);
            for (int level = 1; !front.empty(); ++level) {
              std::vector<int> next;
              for (const int node : front)
                for (int edge = graph.begins[node]; edge < graph.begins[node + 1]; ++edge)
                  if (int &target = expected[graph.targets[edge]]; target < 0) {
                    target = level;
                    next.push_back(graph.targets[edge]);
                  }
              front.swap(next);
            }
            return fromDevice(reached, nodes, stream) == expected;
          }};
}

#endif

#if HAS(3)

__global__ void multiply(const int *begins, const int *columns, const int *x, int *y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  int sum = 0;
  for (int i = begins[row]; i < begins[row + 1]; ++i)
    sum += (i & 7) * x[columns[i]];
  y[row] = sum;
}
Work makeSpmv(int rows, unsigned seed) {
  const Graph matrix = makeGraph(rows, seed);
  std::vector<int> x(rows);
  std::iota(x.begin(), x.end(), 1);
  const int *const begins = onDevice(matrix.begins), *const columns = onDevice(matrix.targets),
                   *const in = onDevice(x);
  int *const out = onDevice(std::vector<int>(rows));
  return {[=](cudaStream_t stream) {
            multiply<<<(rows + 127) / 128, 128, 0, stream>>>(begins, columns, in, out, rows);
          },
          [=](cudaStream_t stream) {
            const std::vector<int> y = fromDevice(out, rows, stream);
            for (int row = 0; row < rows; ++row) {
              unsigned sum = 0;
              for (int i = matrix.begins[row]; i < matrix.begins[row + 1]; ++i)
                sum += unsigned(i & 7) * unsigned(x[matrix.targets[i]]);
              if (y[row] != int(sum))
                return false;
            }
            return true;
          }};
}

#endif

#if HAS(4)

// Open addressing: key + 1 in the table, 0 where it is free.
__global__ void insert(unsigned *table, unsigned slots, unsigned keys, unsigned seed, unsigned *inserted) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= keys)
    return;
  const unsigned key = hash(seed + i) % keys + 1;
  for (unsigned slot = hash(key) % slots;; slot = (slot + 1) % slots) {
    const unsigned before = atomicCAS(&table[slot], 0u, key);
    if (before == 0)
      atomicAdd(inserted, 1u);
    if (before == 0 || before == key)
      return;
  }
}
Work makeHash(int keys, unsigned seed) {
  const unsigned slots = 2 * keys;
  unsigned *const table = onDevice(std::vector<unsigned>(slots)), *const inserted =
                                                                      onDevice(std::vector<unsigned>(1));
  return {[=](cudaStream_t stream) {
            CHECK(cudaMemsetAsync(table, 0, slots * sizeof *table, stream));
            CHECK(cudaMemsetAsync(inserted, 0, sizeof *inserted, stream));
            insert<<<(keys + 255) / 256, 256, 0, stream>>>(table, slots, keys, seed, inserted);
          },
          [=](cudaStream_t stream) {
            std::vector<unsigned> expected;
            for (int i = 0; i < keys; ++i)
              expected.push_back(hash(seed + i) % keys + 1);
            std::sort(expected.begin(), expected.end());
            expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
            std::vector<unsigned> found = fromDevice(table, slots, stream);
            found.erase(std::remove(found.begin(), found.end(), 0u), found.end());
            std::sort(found.begin(), found.end());
            return found == expected && fromDevice(inserted, 1, stream)[0] == expected.size();
          }};
}

#endif

#if HAS(5)

// Least significant digit first, 4 bits at a time; a block counts and scatters 1,024 keys, a thread 16 of them in order.
constexpr int kDigits = 16, kSortBlock = 64, kPerThread = 16;
__global__ void countDigits(const unsigned *keys, unsigned *counts, int n, int shift) {
  __shared__ unsigned mine[kDigits];
  if (threadIdx.x < kDigits)
    mine[threadIdx.x] = 0;
  __syncthreads();
  const int first = (blockIdx.x * kSortBlock + threadIdx.x) * kPerThread;
  for (int i = first; i < first + kPerThread && i < n; ++i)
    atomicAdd(&mine[keys[i] >> shift & (kDigits - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < kDigits)
    counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}
__global__ void scan(unsigned *counts, int n) {
  __shared__ unsigned sums[256];
  const int each = (n + 255) / 256, first = threadIdx.x * each;
  unsigned sum = 0;
  for (int i = first; i < first + each && i < n; ++i)
    sum += counts[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  unsigned before = 0;
  for (unsigned t = 0; t < threadIdx.x; ++t)
    before += sums[t];
  for (int i = first; i < first + each && i < n; ++i) {
    const unsigned count = counts[i];
    counts[i] = before;
    before += count;
  }
}
__global__ void scatter(const unsigned *keys, unsigned *sorted, const unsigned *starts, int n, int shift) {
  __shared__ unsigned counts[kSortBlock][kDigits];
  for (int digit = 0; digit < kDigits; ++digit)
    counts[threadIdx.x][digit] = 0;
  const int first = (blockIdx.x * kSortBlock + threadIdx.x) * kPerThread;
  for (int i = first; i < first + kPerThread && i < n; ++i)
    ++counts[threadIdx.x][keys[i] >> shift & (kDigits - 1)];
  __syncthreads();
  if (threadIdx.x < kDigits) {
    unsigned at = starts[threadIdx.x * gridDim.x + blockIdx.x];
    for (int thread = 0; thread < kSortBlock; ++thread) {
      const unsigned count = counts[thread][threadIdx.x];
      counts[thread][threadIdx.x] = at;
      at += count;
    }
  }
  __syncthreads();
  for (int i = first; i < first + kPerThread && i < n; ++i)
    sorted[counts[threadIdx.x][keys[i] >> shift & (kDigits - 1)]++] = keys[i];
}
Work makeSort(int n, unsigned seed) {
  std::vector<unsigned> keys(n);
  for (int i = 0; i < n; ++i)
    keys[i] = hash(seed + i);
  const int blocks = (n + kSortBlock * kPerThread - 1) / (kSortBlock * kPerThread);
  const unsigned *const in = onDevice(keys);
  unsigned *const a = onDevice(keys), *const b = onDevice(keys),
                  *const counts = onDevice(std::vector<unsigned>(kDigits * blocks));
  return {[=](cudaStream_t stream) {
            CHECK(cudaMemcpyAsync(a, in, n * sizeof *a, cudaMemcpyDeviceToDevice, stream));
            unsigned *from = a, *to = b;
            for (int shift = 0; shift < 32; shift += 4, std::swap(from, to)) {
              countDigits<<<blocks, kSortBlock, 0, stream>>>(from, counts, n, shift);
              scan<<<1, 256, 0, stream>>>(counts, kDigits * blocks);
              scatter<<<blocks, kSortBlock, 0, stream>>>(from, to, counts, n, shift);
            }
          },
          [=](cudaStream_t stream) {
            std::vector<unsigned> expected = keys;
            std::sort(expected.begin(), expected.end());
            return fromDevice(a, n, stream) == expected;
          }};
}

#endif

#if HAS(6)

// A quadtree of points, built with a lock per cell as Barnes-Hut programs do. child: 0 nothing, -1 locked, k > 0 point
// k - 1, below -1 cell -k - 2.
struct Tree {
  int *children, *cells, *depths;
  const float2 *points;
};
__device__ inline int quarter(float2 p, float2 centre) { return (p.x >= centre.x) + 2 * (p.y >= centre.y); }
__device__ inline float2 moved(float2 centre, int child, float half) {
  return {centre.x + (child & 1 ? half : -half), centre.y + (child & 2 ? half : -half)};
}
__global__ void build(Tree tree, int points) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points)
    return;
  const float2 p = tree.points[point];
  for (bool isDone = false; !isDone;) {
    int cell = 0;
    float2 centre{0.5f, 0.5f};
    float half = 0.25f;
    volatile int *place = &tree.children[quarter(p, centre)];
    int child = *place;
    while (child < -1) {
      centre = moved(centre, quarter(p, centre), half);
      half *= 0.5f;
      cell = -child - 2;
      place = &tree.children[4 * cell + quarter(p, centre)];
      child = *place;
    }
    if (child == -1 || atomicCAS(const_cast<int *>(place), child, -1) != child) {
      __nanosleep(100);
      continue; // another thread is at it
    }
    isDone = true;
    if (child == 0) {
      __threadfence();
      *place = point + 1;
      continue;
    }
    // Two points: cells down to where they part, made before anybody sees them.
    const float2 other = tree.points[child - 1];
    int top = 0, last = -1, lastQuarter = 0;
    while (true) {
      const int made = atomicAdd(tree.cells, 1);
      if (last < 0)
        top = made;
      else
        tree.children[4 * last + lastQuarter] = -made - 2;
      centre = moved(centre, quarter(p, centre), half);
      half *= 0.5f;
      const int mine = quarter(p, centre), others = quarter(other, centre);
      last = made;
      lastQuarter = mine;
      if (mine == others && half > 1e-6f)
        continue;
      tree.children[4 * made + mine] = point + 1;
      if (mine != others)
        tree.children[4 * made + others] = child;
      break;
    }
    __threadfence();
    *place = -top - 2;
  }
}
__global__ void measureDepth(Tree tree, int points) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points)
    return;
  const float2 p = tree.points[point];
  float2 centre{0.5f, 0.5f};
  float half = 0.25f;
  int depth = 1, child = tree.children[quarter(p, centre)];
  while (child < -1) {
    centre = moved(centre, quarter(p, centre), half);
    half *= 0.5f;
    child = tree.children[4 * (-child - 2) + quarter(p, centre)];
    ++depth;
  }
  tree.depths[point] = child == point + 1 ? depth : -1;
}
Work makeTree(int points, unsigned seed) {
  std::vector<float2> places(points);
  for (int i = 0; i < points; ++i)
    places[i] = {float(hash(seed + 2 * i) >> 8) * 0x1p-24f, float(hash(seed + 2 * i + 1) >> 8) * 0x1p-24f};
  const int cells = 4 * points + 64;
  const Tree tree{onDevice(std::vector<int>(4 * cells)), onDevice(std::vector<int>(1)),
                  onDevice(std::vector<int>(points)), onDevice(places)};
  return {[=](cudaStream_t stream) {
            const int first = 1;
            CHECK(cudaMemsetAsync(tree.children, 0, 4 * cells * sizeof(int), stream));
            CHECK(cudaMemcpyAsync(tree.cells, &first, sizeof first, cudaMemcpyHostToDevice, stream));
            build<<<(points + 127) / 128, 128, 0, stream>>>(tree, points);
            measureDepth<<<(points + 127) / 128, 128, 0, stream>>>(tree, points);
          },
          [=](cudaStream_t stream) {
            // A point's depth is one more than the digits that it shares with its nearest neighbour in the order of the
            // curve that visits the quarters.
            std::vector<std::pair<unsigned long long, int>> order;
            for (int i = 0; i < points; ++i) {
              unsigned long long code = 0;
              const unsigned x = unsigned(places[i].x * 0x1p24f), y = unsigned(places[i].y * 0x1p24f);
              for (int bit = 23; bit >= 0; --bit)
                code = code << 2 | (y >> bit & 1) << 1 | (x >> bit & 1);
              order.push_back({code, i});
            }
            std::sort(order.begin(), order.end());
            const auto shared = [&](int i, int k) {
              if (k < 0 || k >= points)
                return -1;
              const unsigned long long apart = order[i].first ^ order[k].first;
              return apart ? (__builtin_clzll(apart) - 16) / 2 : 24;
            };
            const std::vector<int> depths = fromDevice(tree.depths, points, stream);
            for (int i = 0; i < points; ++i) {
              const int expected = std::max(shared(i, i - 1), shared(i, i + 1)) + 1;
              if (expected < 18 && depths[order[i].second] != expected)
                return false;
            }
            return true;
          }};
}

#endif

} // namespace

int main(int count, char **arguments) {
  const std::map<std::string, Work (*)(int, unsigned)> kernels{
#if HAS(1)
      {"mix", makeMix},
#endif
#if HAS(2)
      {"bfs", makeBfs},
#endif
#if HAS(3)
      {"spmv", makeSpmv},
#endif
#if HAS(4)
      {"hash", makeHash},
#endif
#if HAS(5)
      {"sort", makeSort},
#endif
#if HAS(6)
      {"tree", makeTree},
#endif
  };
  const auto make = kernels.find(count > 1 ? arguments[1] : "");
  const auto number = [&](int i, int otherwise) { return count > i ? std::atoi(arguments[i]) : otherwise; };
  const int size = number(2, 1 << 16), rounds = number(3, 1), streams = number(4, 1);
  if (make == kernels.end() || size < 1024 || rounds < 1 || streams < 1) {
    std::fprintf(stderr,
                 "usage: irregular mix|bfs|spmv|hash|sort|tree [size, 1024 or more [rounds [streams]]]\n");
    return 2;
  }
  std::vector<Work> works;
  std::vector<cudaStream_t> queues(streams);
  for (int i = 0; i < streams; ++i) {
    works.push_back(make->second(size, 1000003u * i));
    CHECK(cudaStreamCreateWithFlags(&queues[i], cudaStreamNonBlocking));
  }
  CHECK(cudaDeviceSynchronize());
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin, queues[0]));
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < streams; ++i)
      works[i].run(queues[i]);
  CHECK(cudaEventRecord(end, queues[0]));
  CHECK(cudaDeviceSynchronize());
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  bool isRight = true;
  for (int i = 0; i < streams; ++i)
    isRight &= works[i].isRight(queues[i]);
  std::printf("%s %.3f ms\n", isRight ? "good" : "WRONG", ms);
  return isRight ? 0 : 1;
}
