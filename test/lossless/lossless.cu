// Many host threads launch on many streams, all at once, kernels whose accesses arithmetic counts: lossless ACCESSES [THREADS [STREAMS]]
//
// Prints how many accesses of threads there were, and checks what the kernels computed.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kBlocks = 32, kThreads = 256, kLanes = kBlocks * kThreads, kTurns = 16;

/// Neighbours read and write neighbours: 2 accesses a turn.
__global__ void regular(unsigned *to, const unsigned *from) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned turn = 0; turn < kTurns; ++turn)
    to[turn * kLanes + i] = from[turn * kLanes + i] + 1;
}

/// The same with addresses that no formula gives: 2 accesses a turn.
__global__ void scattered(unsigned *to, const unsigned *from) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    const unsigned at = turn * kLanes + (i * 2654435761u ^ i >> 5) % kLanes;
    to[turn * kLanes + i] = from[at] + 1;
  }
}

/// Threads leave the loop one after the other: 1 access for each turn that they make, and 1 atomic.
__global__ void divergent(unsigned *to, const unsigned *, unsigned *sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned turn = 0; turn <= threadIdx.x % kTurns; ++turn)
    to[turn * kLanes + i] = turn;
  atomicAdd(sum + i % 32, 1u);
}

constexpr unsigned long long kEven = 2ull * kLanes * kTurns;
constexpr unsigned long long kDivergent = kLanes * (kTurns + 1ull) / 2 + kLanes;

struct Stream {
  cudaStream_t stream;
  unsigned *to, *from, *sum;
};

std::atomic<unsigned long long> accesses{0};
std::atomic<unsigned> divergentLaunches{0};

void work(std::vector<Stream> streams, unsigned long long share) {
  unsigned long long made = 0;
  for (unsigned launch = 0; made < share; ++launch) {
    const Stream &s = streams[launch % streams.size()];
    const unsigned round = (5 * launch + launch / streams.size()) % 16;
    if (round == 3) {
      scattered<<<kBlocks, kThreads, 0, s.stream>>>(s.to, s.from);
      made += kEven;
    } else if (round == 7) {
      divergent<<<kBlocks, kThreads, 0, s.stream>>>(s.to, s.from, s.sum);
      made += kDivergent;
      ++divergentLaunches;
    } else {
      regular<<<kBlocks, kThreads, 0, s.stream>>>(s.to, s.from);
      made += kEven;
    }
    if (launch % 97 == 96)
      cudaStreamSynchronize(s.stream);
  }
  accesses += made;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  const unsigned threads = argc > 2 ? std::atoi(argv[2]) : 8, count = argc > 3 ? std::atoi(argv[3]) : 64;
  std::vector<std::vector<Stream>> streams(threads);
  for (unsigned i = 0; i < count; ++i) {
    Stream s{};
    bool good = cudaStreamCreateWithFlags(&s.stream, i % 2 ? cudaStreamNonBlocking : cudaStreamDefault) ==
                cudaSuccess;
    for (unsigned **memory : {&s.to, &s.from, &s.sum}) {
      good = good && cudaMalloc(memory, sizeof(unsigned) * kLanes * kTurns) == cudaSuccess;
      good = good && cudaMemset(*memory, 0, sizeof(unsigned) * kLanes * kTurns) == cudaSuccess;
    }
    if (!good)
      return 3;
    streams[i % threads].push_back(s);
  }
  cudaDeviceSynchronize();
  std::vector<std::thread> workers;
  for (const std::vector<Stream> &own : streams)
    workers.emplace_back(work, own, std::strtoull(argv[1], nullptr, 10) / threads);
  for (std::thread &worker : workers)
    worker.join();
  const cudaError_t error = cudaDeviceSynchronize();
  unsigned long long sum = 0;
  for (const std::vector<Stream> &own : streams)
    for (const Stream &s : own) {
      unsigned part[32];
      cudaMemcpy(part, s.sum, sizeof part, cudaMemcpyDeviceToHost);
      for (const unsigned value : part)
        sum += value;
    }
  std::printf("%llu\n", accesses.load());
  return error == cudaSuccess && sum == 1ull * divergentLaunches * kLanes ? 0 : 1;
}
