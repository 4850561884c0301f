// Launches, allocates and frees so many times, and says what that took: launches N [STREAMS] | graphs N | allocations N
//
//     nanoseconds of processor time per act, bytes that the process has grown by in the second half
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>
#include <vector>

__global__ void store(int *x, int value) { x[threadIdx.x] = value; }
__global__ void add(int *x, int value) { x[threadIdx.x] += value; }

/// Bytes of memory that are the process's own and in use.
static long long residentBytes() {
  long long total = 0, resident = 0, shared = 0;
  std::FILE *const file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%lld %lld %lld", &total, &resident, &shared) != 3)
    std::abort();
  std::fclose(file);
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

/// That the process has taken so far.
static long long processorNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

constexpr int kNodes = 5;

/// A graph of so many kernels, one behind the other.
static cudaGraphExec_t graphOf(int *memory) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < kNodes; ++i)
    add<<<1, 1, 0, stream>>>(memory, 1);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  return executable;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const bool launches = std::strcmp(argv[1], "launches") == 0;
  const bool graphs = std::strcmp(argv[1], "graphs") == 0;
  const long count = std::atol(argv[2]);
  std::vector<cudaStream_t> streams(argc > 3 ? std::atoi(argv[3]) : 1);
  for (std::size_t i = 1; i < streams.size(); ++i) // the first is the default stream
    cudaStreamCreate(&streams[i]);
  int *memory = nullptr;
  cudaMalloc(&memory, 32 * sizeof *memory);
  cudaGraphExec_t graph = graphs ? graphOf(memory) : nullptr;
  long long grown = 0, nanoseconds = 0;
  const auto act = [&](long i) {
    if (launches) {
      const cudaStream_t stream = streams[i % streams.size()];
      if (i % 3 == 0)
        store<<<1, 1, 0, stream>>>(memory, int(i));
      else
        add<<<1, 1, 0, stream>>>(memory, 1);
    } else if (graphs) {
      if (i % kNodes == 0)
        cudaGraphLaunch(graph, nullptr);
    } else {
      int *other = nullptr;
      cudaMalloc(&other, 4096);
      cudaFree(other);
    }
  };
  // Buffers on their way to the file are as many as ever by then.
  const long settled = count / 2;
  for (long i = 0; i < settled; ++i)
    act(i);
  cudaDeviceSynchronize();
  grown -= residentBytes();
  nanoseconds -= processorNanoseconds();
  for (long i = settled; i < count; ++i)
    act(i);
  cudaDeviceSynchronize();
  nanoseconds += processorNanoseconds();
  grown += residentBytes();
  int last = 0;
  cudaMemcpy(&last, memory, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%.1f %lld %d %s\n", double(nanoseconds) / double(count - settled), grown, last,
              cudaGetErrorName(cudaGetLastError()));
  return 0;
}
