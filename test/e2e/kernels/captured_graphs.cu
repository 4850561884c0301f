/// Captured streams: two that fork and join, copied from, replayed after the graph is gone, and updated from
/// another capture. 2 blocks of 64 threads: scale makes 128 loads and 128 stores, sum 256
/// loads and 128 stores, each time.
#include "verdict.h"

constexpr int kCount = 128;

__global__ void scale(int *out, const int *in, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * factor;
}

__global__ void sum(int *out, const int *a, const int *b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i];
}

struct Streams {
  cudaStream_t first, second;
  cudaEvent_t fork, join;
};

/// d = a * f + a * g, by way of b and c, each in a stream of its own.
static cudaGraph_t capture(const Streams &streams, int *a, int *b, int *c, int *d, const int *host, int f,
                           int g) {
  cudaGraph_t graph;
  MUST(cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeGlobal));
  MUST(cudaMemcpyAsync(a, host, kCount * sizeof(int), cudaMemcpyHostToDevice, streams.first));
  MUST(cudaEventRecord(streams.fork, streams.first));
  MUST(cudaStreamWaitEvent(streams.second, streams.fork, 0));
  scale<<<2, 64, 0, streams.first>>>(b, a, f);
  scale<<<2, 64, 0, streams.second>>>(c, a, g);
  MUST(cudaEventRecord(streams.join, streams.second));
  MUST(cudaStreamWaitEvent(streams.first, streams.join, 0));
  sum<<<2, 64, 0, streams.first>>>(d, b, c);
  MUST(cudaStreamEndCapture(streams.first, &graph));
  return graph;
}

static std::vector<int> times(int factor) {
  return generate<int>(kCount, [factor](std::size_t i) { return int(i) * factor; });
}

int main() {
  Device<int> a(kCount), b(kCount), c(kCount), d(kCount);
  Verdict verdict("captured_graphs");
  Streams streams;
  MUST(cudaStreamCreate(&streams.first));
  MUST(cudaStreamCreate(&streams.second));
  MUST(cudaEventCreateWithFlags(&streams.fork, cudaEventDisableTiming));
  MUST(cudaEventCreateWithFlags(&streams.join, cudaEventDisableTiming));
  int *host;
  MUST(cudaMallocHost(&host, kCount * sizeof(int)));
  for (int i = 0; i < kCount; ++i)
    host[i] = i;

  cudaGraph_t graph = capture(streams, a, b, c, d, host, 2, 3);
  cudaGraphExec_t executable;
  MUST(cudaGraphInstantiate(&executable, graph, 0));
  MUST(cudaGraphDestroy(graph));
  MUST(cudaGraphLaunch(executable, streams.first));
  MUST(cudaGraphLaunch(executable, streams.first));
  MUST(cudaStreamSynchronize(streams.first));
  verdict.equal("replayed", d.read(), times(5));

  graph = capture(streams, a, b, c, d, host, 4, 5);
  cudaGraphExecUpdateResultInfo info;
  MUST(cudaGraphExecUpdate(executable, graph, &info));
  MUST(cudaGraphDestroy(graph));
  MUST(cudaGraphLaunch(executable, streams.first));
  MUST(cudaStreamSynchronize(streams.first));
  verdict.equal("updated", d.read(), times(9));
  MUST(cudaGraphExecDestroy(executable));
  MUST(cudaFreeHost(host));
  return verdict.finish();
}
