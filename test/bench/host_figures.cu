/// What copies and launches cost between a host and its device: the figures that docs/findings.md takes for estimates
/// (analysis/metrics/device_figures.h).
///
///     host_figures [CALLS]      default: 1000
///
/// Prints a line for each figure: the best of several runs, of so many calls each.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t kLarge = 64u << 20;
constexpr int kRuns = 10;

void must(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "host_figures: %s\n", cudaGetErrorString(status));
  std::exit(2);
}

__global__ void nothing() {}

/// The least of several runs, in seconds.
template <typename What> double least(What what) {
  double best = INFINITY;
  for (int run = 0; run < kRuns + 1; ++run) { // the first one to warm up
    const auto began = std::chrono::steady_clock::now();
    what();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (run > 0)
      best = std::min(best, took);
  }
  return best;
}

void rate(const char *what, double seconds) {
  std::printf("%-44s %8.2f GB/s\n", what, kLarge / seconds / 1e9);
}
void time(const char *what, double seconds) { std::printf("%-44s %8.2f us\n", what, 1e6 * seconds); }

} // namespace

int main(int argc, char **argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (count < 1) {
    std::fprintf(stderr, "usage: host_figures [CALLS, from 1 on]\n");
    return 2;
  }
  void *device = nullptr, *locked = nullptr, *pageable = std::malloc(kLarge);
  must(cudaMalloc(&device, kLarge));
  must(cudaMallocHost(&locked, kLarge));
  std::memset(pageable, 1, kLarge);
  std::memset(locked, 1, kLarge);
  for (void *host : {pageable, locked}) {
    rate(host == pageable ? "pageable memory to the device" : "page-locked memory to the device",
         least([&] { must(cudaMemcpy(device, host, kLarge, cudaMemcpyHostToDevice)); }));
    rate(host == pageable ? "device to pageable memory" : "device to page-locked memory",
         least([&] { must(cudaMemcpy(host, device, kLarge, cudaMemcpyDeviceToHost)); }));
    const auto calls = [&](auto call) {
      return least([&] {
               for (int i = 0; i < count; ++i)
                 call();
               must(cudaDeviceSynchronize());
             }) /
             count;
    };
    const char *const where = host == pageable ? "pageable" : "page-locked";
    std::printf("8 bytes, %s:\n", where);
    time("  blocking copy to the device",
         calls([&] { must(cudaMemcpy(device, host, 8, cudaMemcpyHostToDevice)); }));
    time("  blocking copy to the host",
         calls([&] { must(cudaMemcpy(host, device, 8, cudaMemcpyDeviceToHost)); }));
    time("  asynchronous copy to the device",
         calls([&] { must(cudaMemcpyAsync(device, host, 8, cudaMemcpyHostToDevice)); }));
  }
  time("page-locking of 64 MiB", least([&] {
         must(cudaHostRegister(pageable, kLarge, cudaHostRegisterDefault));
         must(cudaHostUnregister(pageable));
       }));
  time("launch to launch in a stream", least([&] {
                                         for (int i = 0; i < count; ++i)
                                           nothing<<<1, 32>>>();
                                         must(cudaDeviceSynchronize());
                                       }) / count);
  const int graphs = count < 10 ? 1 : count / 10;
  cudaStream_t stream;
  must(cudaStreamCreate(&stream));
  for (const int nodes : {1, 16, 256}) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < nodes; ++i)
      nothing<<<1, 32, 0, stream>>>();
    must(cudaStreamEndCapture(stream, &graph));
    must(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    char what[64];
    std::snprintf(what, sizeof what, "graph of %d kernels, launch to launch", nodes);
    time(what, least([&] {
                 for (int i = 0; i < graphs; ++i)
                   must(cudaGraphLaunch(executable, stream));
                 must(cudaStreamSynchronize(stream));
               }) / graphs);
    must(cudaGraphExecDestroy(executable));
    must(cudaGraphDestroy(graph));
  }
  std::free(pageable);
  cudaFreeHost(locked);
  cudaFree(device);
  return 0;
}
