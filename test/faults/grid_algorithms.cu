// Algorithms of a grid as people write them, with what keeps its blocks apart taken away.
#include "cases.h"

constexpr int kBlocks = 4, kThreads = 64, kSize = kBlocks * kThreads;

// A breadth-first search: blocks reach the same node, look whether it is new, and store its distance.
__global__ void searchDistance(const int *targets, int *distances, bool fixed) {
  if (threadIdx.x != 0)
    return;
  const int target = targets[blockIdx.x];
  if (fixed)
    atomicCAS(&distances[target], 0, 1);
  else if (distances[target] == 0) //~ searchDistance: race-blocks
    distances[target] = 1;         //~ searchDistance: race-blocks
}

// A breadth-first search: whoever finds a new node says that the search goes on.
__global__ void searchGoesOn(const int *targets, int *goesOn, bool fixed) {
  if (threadIdx.x != 0 || targets[blockIdx.x] < 0)
    return;
  if (fixed)
    atomicExch(goesOn, 1);
  else
    *goesOn = 1; //~ searchGoesOn: race-blocks
}

// Blocks take their work from a common counter.
__global__ void nextItem(const int *in, int *next, int *out, bool fixed) {
  if (threadIdx.x != 0)
    return;
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    int item;
    if (fixed)
      item = atomicAdd(next, 1);
    else
      item = (*next)++; //~ nextItem: race-blocks
    sum += in[item];
  }
  out[blockIdx.x] = sum;
}

// Blocks put nodes in front of a list.
__global__ void pushNode(int *nexts, int *head, bool fixed) {
  if (threadIdx.x != 0)
    return;
  const int node = blockIdx.x + 1;
  if (fixed) {
    nexts[node] = atomicExch(head, node);
  } else {
    nexts[node] = *head; //~ pushNode: race-blocks
    *head = node;        //~ pushNode: race-blocks
  }
}

// Labels go from block to block in place.
__global__ void labels(const int *from, int *to) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int other = from[(i + kThreads) % kSize]; //~ labels: race-blocks
  to[i] = other < i ? other : i;                  //~ labels: race-blocks
}

// A product whose inner dimension is shared out among blocks.
__global__ void splitProduct(const float *a, const float *b, float *c, bool fixed) {
  const int t = threadIdx.x;
  const float part = a[blockIdx.x] * b[blockIdx.x * kThreads + t];
  if (fixed)
    atomicAdd(&c[t], part);
  else
    c[t] += part; //~ splitProduct: race-blocks
}

// A relaxation in place without colours: each cell is read by its neighbours while it changes.
__global__ void relax(float *u, int first, int step) {
  const int i = 1 + first + step * (blockIdx.x * kThreads + threadIdx.x);
  if (i < kSize - 1)
    u[i] = (u[i - 1] + u[i + 1]) / 2; //~ relax: race-lanes; relax: race-warps; relax: race-blocks
}

// A lock with tickets, which the next one may enter before what was done is to be seen.
__global__ void ticketLock(int *tickets, volatile int *serving, int *total, bool fixed) {
  if (threadIdx.x != 0)
    return;
  const int ticket = atomicAdd(tickets, 1);
  while (*serving != ticket)
    ;
  __threadfence();
  *total += blockIdx.x; //~ ticketLock: race-blocks
  if (fixed)
    __threadfence();
  *serving = ticket + 1;
}

// A look at the best value so far saves an atomic operation, and is no atomic load.
__global__ void bestSoFar(const int *in, int *best, bool fixed) {
  if (threadIdx.x != 0)
    return;
  const int value = in[blockIdx.x] + 1;
  int known;
  if (fixed)
    known = *const_cast<volatile int *>(best);
  else
    known = *best; //~ bestSoFar: race-blocks
  if (known < value)
    atomicMax(best, value); //~ bestSoFar: race-blocks
}

// A sum in two steps: the first block adds up the others' sums in the same launch.
__global__ void twoSteps(const int *in, int *sums, int *total, bool first, bool second) {
  __shared__ int part[kThreads];
  const int t = threadIdx.x;
  if (first) {
    part[t] = in[blockIdx.x * kThreads + t];
    __syncthreads();
    for (int step = kThreads / 2; step > 0; step /= 2) {
      if (t < step)
        part[t] += part[t + step];
      __syncthreads();
    }
    if (t == 0)
      sums[blockIdx.x] = part[0]; //~ twoSteps: race-blocks
  }
  if (second && blockIdx.x == 0 && t == 0)
    for (int block = 0; block < kBlocks; ++block)
      *total += sums[block]; //~ twoSteps: race-blocks
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       {"searchDistance",
                        [](bool fixed) {
                          const DeviceArray<int> targets(kBlocks), distances(kSize);
                          searchDistance<<<kBlocks, kThreads>>>(targets, distances, fixed);
                        }},
                       PLAIN_CASE(searchGoesOn, kBlocks, kThreads),
                       {"nextItem",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), next(1), out(kBlocks);
                          nextItem<<<kBlocks, kThreads>>>(in, next, out, fixed);
                        }},
                       {"pushNode",
                        [](bool fixed) {
                          const DeviceArray<int> nexts(kBlocks + 1), head(1);
                          pushNode<<<kBlocks, kThreads>>>(nexts, head, fixed);
                        }},
                       {"labels",
                        [](bool fixed) {
                          const DeviceArray<int> cells(numbers(kSize)), result(kSize);
                          labels<<<kBlocks, kThreads>>>(cells, fixed ? result : cells);
                        }},
                       {"splitProduct",
                        [](bool fixed) {
                          const DeviceArray<float> a(kBlocks), b(kSize), c(kThreads);
                          splitProduct<<<kBlocks, kThreads>>>(a, b, c, fixed);
                        }},
                       {"relax",
                        [](bool fixed) {
                          const DeviceArray<float> cells(kSize);
                          if (fixed) {
                            relax<<<kBlocks, kThreads>>>(cells, 0, 2);
                            relax<<<kBlocks, kThreads>>>(cells, 1, 2);
                          } else {
                            relax<<<kBlocks, kThreads>>>(cells, 0, 1);
                          }
                        }},
                       {"ticketLock",
                        [](bool fixed) {
                          const DeviceArray<int> tickets(1), serving(1), total(1);
                          ticketLock<<<kBlocks, kThreads>>>(tickets, serving, total, fixed);
                        }},
                       PLAIN_CASE(bestSoFar, kBlocks, kThreads),
                       {"twoSteps",
                        [](bool fixed) {
                          const DeviceArray<int> in(numbers(kSize)), sums(kBlocks), total(1);
                          twoSteps<<<kBlocks, kThreads>>>(in, sums, total, true, !fixed);
                          if (fixed)
                            twoSteps<<<kBlocks, kThreads>>>(in, sums, total, false, true);
                        }},
                   });
}
