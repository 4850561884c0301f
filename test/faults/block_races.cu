// Blocks of one launch that share global memory as if the launch had an order.
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kBlocks = 4, kThreads = 64, kSize = kBlocks * kThreads;

// Both steps of the work in one launch, where the second reads what other blocks make in the first.
__global__ void bothSteps(const int *in, int *between, int *out, bool first, bool second) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (first)
    between[i] = 3 * in[i]; //~ bothSteps: race-blocks
  if (second)
    out[i] = between[(i + kThreads) % kSize]; //~ bothSteps: race-blocks
}

// The same with memory that host and device share.
__global__ void managed(const int *in, int *between, int *out, bool first, bool second) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (first)
    between[i] = in[i] - 1; //~ managed: race-blocks
  if (second)
    out[i] = between[kSize - 1 - i]; //~ managed: race-blocks
}

// Each block waits for itself where the grid should.
__global__ void blockSync(const int *in, int *between, int *out, bool fixed) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  between[i] = in[i] + 1; //~ blockSync: race-blocks
  if (fixed)
    cg::this_grid().sync();
  else
    __syncthreads();
  out[i] = between[(i + kThreads) % kSize]; //~ blockSync: race-blocks
}

// Steps from one array to the other and back: the barrier behind each second step is missing.
__global__ void pingPong(int *a, int *b, bool fixed) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  for (int step = 0; step < 3; ++step) {
    b[i] = a[(i + kThreads) % kSize] + 1; //~ pingPong: race-blocks
    cg::this_grid().sync();
    a[i] = b[i]; //~ pingPong: race-blocks
    if (fixed)
      cg::this_grid().sync();
  }
}

// One thread of each block adds to the total, and not atomically.
__global__ void plainTotal(const int *in, int *total, bool fixed) {
  if (threadIdx.x == 0) {
    if (fixed)
      atomicAdd(total, in[blockIdx.x]);
    else
      *total += in[blockIdx.x]; //~ plainTotal: race-blocks
  }
}

// An atomic addition for the block only.
__global__ void blockTotal(const int *in, int *total, bool fixed) {
  if (threadIdx.x == 0) {
    if (fixed)
      atomicAdd(total, in[blockIdx.x]);
    else
      atomicAdd_block(total, in[blockIdx.x]); //~ blockTotal: race-blocks
  }
}

// Every block stores its result to the same place.
__global__ void oneForAll(const int *in, int *out, bool fixed) {
  if (threadIdx.x == 0)
    out[fixed ? blockIdx.x : 0] = in[blockIdx.x]; //~ oneForAll: race-blocks
}

// The block's number is missing from the index.
__global__ void withoutBlock(const int *in, int *out, bool fixed) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  out[fixed ? i : threadIdx.x] = in[i]; //~ withoutBlock: race-blocks
}

// Blocks say that they have found something, all in the same place.
__global__ void foundByAll(const int *in, int *found, bool fixed) {
  if (in[blockIdx.x * kThreads + threadIdx.x] % kThreads == 5) {
    if (fixed)
      atomicOr(found, 1);
    else
      *found = 1; //~ foundByAll: race-blocks
  }
}

// Each block writes the first element of the next one's part.
__global__ void oneTooMany(const int *in, int *out, bool fixed) {
  const int length = fixed ? kThreads : kThreads - 1;
  const int value = in[blockIdx.x * kThreads + threadIdx.x];
  out[blockIdx.x * length + threadIdx.x] = value; //~ oneTooMany: race-blocks
}

// Blocks smooth their parts in place, with edges that their neighbours change.
__global__ void inPlace(const int *in, int *out, bool fixed) {
  __shared__ int cells[kThreads + 2];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  cells[t + 1] = in[i];
  if (t == 0)
    cells[0] = i > 0 ? in[i - 1] : 0; //~ inPlace: race-blocks
  if (t == kThreads - 1)
    cells[kThreads + 1] = i < kSize - 1 ? in[i + 1] : 0; //~ inPlace: race-blocks
  __syncthreads();
  out[i] = (cells[t] + cells[t + 1] + cells[t + 2]) / 3; //~ inPlace: race-blocks
}

// Each thread has its own bin in its block, but not in the grid.
__global__ void binPerThread(const int *in, int *bins, bool fixed) {
  const int value = in[blockIdx.x * kThreads + threadIdx.x];
  if (fixed)
    atomicAdd(&bins[threadIdx.x], value);
  else
    bins[threadIdx.x] += value; //~ binPerThread: race-blocks
}

// The count is read as it stands, while other blocks count.
__global__ void readWhileCounted(int *count, int *out, bool fixed) {
  if (threadIdx.x == 0) {
    atomicAdd(count, 1); //~ readWhileCounted: race-blocks
    if (fixed)
      out[blockIdx.x] = atomicAdd(count, 0);
    else
      out[blockIdx.x] = *count; //~ readWhileCounted: race-blocks
  }
}

// The first block clears the count, and others may have counted by then.
__global__ void clearedByFirst(int *count, bool fixed) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      if (fixed)
        atomicExch(count, 0);
      else
        *count = 0; //~ clearedByFirst: race-blocks
    } else {
      atomicAdd(count, 1); //~ clearedByFirst: race-blocks
    }
  }
}

// What another block puts into the queue is taken as soon as there is a place for it.
__global__ void queueTaken(int *places, int *queue, int *out, bool fixed) {
  if (threadIdx.x == 0) {
    const int place = atomicAdd(places, 1);
    queue[place] = blockIdx.x + 1;                                  //~ queueTaken: race-blocks
    out[blockIdx.x] = queue[fixed ? place : (place + 1) % kBlocks]; //~ queueTaken: race-blocks
  }
}

// The store is volatile, and the others' loads are not.
__global__ void volatileAndPlain(volatile int *cell, int *out, bool fixed) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0)
      *cell = 7; //~ volatileAndPlain: race-blocks
    else if (fixed)
      out[blockIdx.x] = *cell;
    else
      out[blockIdx.x] = *const_cast<int *>(cell); //~ volatileAndPlain: race-blocks
  }
}

// Each block has a byte, and changes the word that holds the others' bytes, too.
__global__ void wordOfBytes(unsigned char *bytes, bool fixed) {
  if (threadIdx.x == 0) {
    if (fixed)
      bytes[blockIdx.x] = 1;
    else
      *reinterpret_cast<unsigned *>(bytes) |= 1u << (8 * blockIdx.x); //~ wordOfBytes: race-blocks
  }
}

// A pair is stored as one number, and one half of it is counted in.
__global__ void halfCounted(long long *pair, bool fixed) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0 && !fixed)
      *pair = 0x100000000; //~ halfCounted: race-blocks
    else
      atomicAdd(reinterpret_cast<int *>(pair), 1); //~ halfCounted: race-blocks
  }
}

// The largest number is looked for with a comparison and a store.
__global__ void comparedThenStored(const int *in, int *largest, bool fixed) {
  if (threadIdx.x == 0) {
    const int value = in[blockIdx.x] + 1;
    if (fixed)
      atomicMax(largest, value);
    else if (*largest < value) //~ comparedThenStored: race-blocks
      *largest = value;        //~ comparedThenStored: race-blocks
  }
}

__device__ int visits;

// Blocks count in a variable of the device.
__global__ void deviceVariable(bool fixed) {
  if (threadIdx.x == 0) {
    if (fixed)
      atomicAdd(&visits, 1);
    else
      ++visits; //~ deviceVariable: race-blocks
  }
}

struct Cell {
  int value, visits;
};

// Whole cells are copied to the next block's part, while that one counts in them.
__global__ void wholeCells(Cell *cells, Cell *copies, bool fixed) {
  if (threadIdx.x == 0) {
    const int mine = blockIdx.x, next = (blockIdx.x + 1) % kBlocks;
    cells[mine].visits = mine; //~ wholeCells: race-blocks
    copies[mine].value = cells[next].value;
    copies[mine].visits = fixed ? mine : cells[next].visits; //~ wholeCells: race-blocks
  }
}

// In a grid with two dimensions, blocks of one column have the same place.
__global__ void sameColumn(const int *in, int *out, bool fixed) {
  const int column = blockIdx.x * kThreads + threadIdx.x;
  const int row = fixed ? blockIdx.y : 0;
  out[row * 2 * kThreads + column] = in[column]; //~ sameColumn: race-blocks
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       PLAIN_CASE(plainTotal, kBlocks, kThreads),
                       PLAIN_CASE(blockTotal, kBlocks, kThreads),
                       PLAIN_CASE(oneForAll, kBlocks, kThreads),
                       PLAIN_CASE(withoutBlock, kBlocks, kThreads),
                       PLAIN_CASE(foundByAll, kBlocks, kThreads),
                       PLAIN_CASE(oneTooMany, kBlocks, kThreads),
                       PLAIN_CASE(binPerThread, kBlocks, kThreads),
                       PLAIN_CASE(comparedThenStored, kBlocks, kThreads),
                       PLAIN_CASE(sameColumn, dim3(2, 2), kThreads),
                       {"bothSteps",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), between(kSize), out(kSize);
                          bothSteps<<<kBlocks, kThreads>>>(in, between, out, true, !fixed);
                          if (fixed)
                            bothSteps<<<kBlocks, kThreads>>>(in, between, out, false, true);
                        }},
                       {"managed",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), out(kSize);
                          int *between = nullptr;
                          cudaMallocManaged(&between, kSize * sizeof(int));
                          managed<<<kBlocks, kThreads>>>(in, between, out, true, !fixed);
                          if (fixed)
                            managed<<<kBlocks, kThreads>>>(in, between, out, false, true);
                          cudaDeviceSynchronize();
                          cudaFree(between);
                        }},
                       {"blockSync",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), between(kSize), out(kSize);
                          const int *from = in;
                          int *through = between, *to = out;
                          void *arguments[] = {&from, &through, &to, &fixed};
                          cudaLaunchCooperativeKernel(reinterpret_cast<void *>(blockSync), kBlocks, kThreads,
                                                      arguments, 0, nullptr);
                        }},
                       {"pingPong",
                        [](bool fixed) {
                          const DeviceArray<int> a(numbers(kSize)), b(kSize);
                          int *first = a, *second = b;
                          void *arguments[] = {&first, &second, &fixed};
                          cudaLaunchCooperativeKernel(reinterpret_cast<void *>(pingPong), kBlocks, kThreads,
                                                      arguments, 0, nullptr);
                        }},
                       {"inPlace",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), out(kSize);
                          inPlace<<<kBlocks, kThreads>>>(in, fixed ? out : in, fixed);
                        }},
                       {"readWhileCounted",
                        [](bool fixed) {
                          const DeviceArray<int> count(1), out(kBlocks);
                          readWhileCounted<<<kBlocks, kThreads>>>(count, out, fixed);
                        }},
                       {"clearedByFirst",
                        [](bool fixed) {
                          const DeviceArray<int> count(1);
                          clearedByFirst<<<kBlocks, kThreads>>>(count, fixed);
                        }},
                       {"queueTaken",
                        [](bool fixed) {
                          const DeviceArray<int> places(1), queue(kBlocks), out(kBlocks);
                          queueTaken<<<kBlocks, kThreads>>>(places, queue, out, fixed);
                        }},
                       {"volatileAndPlain",
                        [](bool fixed) {
                          const DeviceArray<int> cell(1), out(kBlocks);
                          volatileAndPlain<<<kBlocks, kThreads>>>(cell, out, fixed);
                        }},
                       {"wordOfBytes",
                        [](bool fixed) {
                          const DeviceArray<unsigned char> bytes(kBlocks);
                          wordOfBytes<<<kBlocks, kThreads>>>(bytes, fixed);
                        }},
                       {"halfCounted",
                        [](bool fixed) {
                          const DeviceArray<long long> pair(1);
                          halfCounted<<<kBlocks, kThreads>>>(pair, fixed);
                        }},
                       {"deviceVariable", [](bool fixed) { deviceVariable<<<kBlocks, kThreads>>>(fixed); }},
                       {"wholeCells",
                        [](bool fixed) {
                          const DeviceArray<Cell> cells(kBlocks), copies(kBlocks);
                          wholeCells<<<kBlocks, kThreads>>>(cells, copies, fixed);
                        }},
                   });
}
