// Reads the clock of the multiprocessor around accesses of all kinds, and prints what it saw: clock.py looks up in the trace whether each of
// these accesses has a clock between. Built with `cupr++ --clock` for a GPU and for the CPU device.
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kBlocks = 3, kBlock = 96, kThreads = kBlocks * kBlock, kMarks = 16;

/// Of two sizes, whose copies have values and a clock, or the clock alone.
struct Middle {
  float part[12];
};
struct Large {
  float part[16];
};

struct Memory {
  int numbers[2 * kThreads];
  unsigned long long sums[4];
  Middle middle[2 * kThreads];
  Large large[2 * kThreads];
};

/// What a thread saw.
struct Mark {
  long long begin, end;
  int accesses;
};
struct Marks {
  int count, sum;
  Mark all[kMarks];
};

__device__ long long now() {
  long long clock;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
  return clock;
}

#define MARKED(made, statement)                                                                              \
  do {                                                                                                       \
    const long long begin = now();                                                                           \
    statement;                                                                                               \
    const long long end = now();                                                                             \
    mine.all[mine.count++] = Mark{begin, end, made};                                                         \
  } while (false)

/// Reads so many bytes: a size that is known now.
__device__ void copyAtMost(void *to, const void *from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes)
               : "memory");
}

__global__ void marked(Memory *memory, Marks *marks) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  Marks &mine = marks[thread];
  int sum = 0;
  MARKED(1, sum += memory->numbers[thread]);
  MARKED(1, memory->numbers[kThreads + thread] = sum);
  MARKED(1, atomicAdd(&memory->sums[0], 1ull));
  MARKED(1, sum += static_cast<int>(atomicCAS(&memory->sums[1], 0ull, 1ull)));
  __syncthreads();
  if (thread % 3 == 0)
    MARKED(1, memory->numbers[kThreads + thread] = sum);
  for (int i = 0; i < thread % 4; ++i)
    MARKED(1, sum += memory->numbers[(thread + 5 * i) % kThreads]);
  MARKED(2, memory->middle[kThreads + thread] = memory->middle[thread]);
  MARKED(2, memory->large[kThreads + thread] = memory->large[thread]);
  __shared__ int4 cells[kBlock];
  const int bytes = thread % 5 * 4; // 0: no access
  MARKED(bytes != 0, copyAtMost(&cells[threadIdx.x], &memory->numbers[thread / 4 * 4], bytes));
  asm volatile("cp.async.wait_all;" ::: "memory");
  mine.sum = sum; // what nobody needs isn't read
}

void check(cudaError_t result) {
  if (result != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
    std::exit(1);
  }
}

} // namespace

int main() {
  Memory *memory;
  Marks *marks;
  check(cudaMalloc(&memory, sizeof *memory));
  check(cudaMalloc(&marks, kThreads * sizeof *marks));
  check(cudaMemset(memory, 0, sizeof *memory));
  check(cudaMemset(marks, 0, kThreads * sizeof *marks));
  marked<<<kBlocks, kBlock>>>(memory, marks);
  std::vector<Marks> seen(kThreads);
  check(cudaMemcpy(seen.data(), marks, kThreads * sizeof *marks, cudaMemcpyDeviceToHost));
  std::printf("memory %llu %llu\n", reinterpret_cast<unsigned long long>(memory),
              reinterpret_cast<unsigned long long>(memory + 1));
  for (int thread = 0; thread < kThreads; ++thread)
    for (int i = 0; i < seen[thread].count; ++i) {
      const Mark &mark = seen[thread].all[i];
      std::printf("mark %d %d %lld %lld %d\n", thread / kBlock, thread % kBlock, mark.begin, mark.end,
                  mark.accesses);
    }
}
