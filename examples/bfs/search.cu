/// The two kernels of a round, and the loop over rounds.
#include "frontier.cuh"

#include <cstdio>

static constexpr int kBlock = 256;

/// Every node of the frontier looks at its neighbours.
__global__ void expandFrontier(Frontier state, const Node *nodes, const int *neighbours, int nodeCount,
                               int level) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodeCount || !state.frontier[node])
    return;
  state.frontier[node] = 0;
  expand(state, nodes, neighbours, node, level);
}

/// What was found becomes the next frontier; `*more` tells that there is one.
__global__ void commitFrontier(Frontier state, int nodeCount, int *more) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodeCount || !state.found[node])
    return;
  state.found[node] = 0;
  state.frontier[node] = 1;
  state.reached[node] = 1;
  *more = 1;
}

namespace {

bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "bfs: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

/// Device memory that is given back at the end of its scope.
template <typename T> class DeviceArray {
public:
  /// Does nothing when `good` is false already; sets it to false when there is no memory.
  DeviceArray(size_t count, bool &good) : bytes_(count * sizeof(T)) {
    good = good && succeeded(cudaMalloc(&data_, bytes_), "cudaMalloc");
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T *data() const { return data_; }
  bool fill(int byte) { return succeeded(cudaMemset(data_, byte, bytes_), "cudaMemset"); }
  bool from(const T *host) {
    return succeeded(cudaMemcpy(data_, host, bytes_, cudaMemcpyHostToDevice), "copying to the device");
  }
  bool to(T *host) const {
    return succeeded(cudaMemcpy(host, data_, bytes_, cudaMemcpyDeviceToHost), "copying from the device");
  }
  bool set(size_t index, T value) {
    return succeeded(cudaMemcpy(data_ + index, &value, sizeof value, cudaMemcpyHostToDevice),
                     "setting a value");
  }

private:
  T *data_ = nullptr;
  size_t bytes_;
};

} // namespace

std::vector<int> searchOnDevice(const Graph &graph, int source, int &levels) {
  const size_t count = graph.nodes.size();
  bool good = true;
  DeviceArray<Node> nodes(count, good);
  DeviceArray<int> neighbours(graph.neighbours.size(), good);
  DeviceArray<unsigned char> frontier(count, good), reached(count, good), found(count, good);
  DeviceArray<int> distance(count, good), more(1, good);
  good = good && nodes.from(graph.nodes.data()) && neighbours.from(graph.neighbours.data()) &&
         frontier.fill(0) && reached.fill(0) && found.fill(0) && distance.fill(0xff) &&
         frontier.set(source, 1) && reached.set(source, 1) && distance.set(source, 0);

  const Frontier state{frontier.data(), reached.data(), found.data(), distance.data()};
  const int nodeCount = static_cast<int>(count);
  const int grid = (nodeCount + kBlock - 1) / kBlock;
  levels = 0;
  for (int goOn = 1; good && goOn;) {
    ++levels;
    good = more.fill(0);
    expandFrontier<<<grid, kBlock>>>(state, nodes.data(), neighbours.data(), nodeCount, levels);
    commitFrontier<<<grid, kBlock>>>(state, nodeCount, more.data());
    good = good && succeeded(cudaGetLastError(), "launching a round") && more.to(&goOn);
  }

  std::vector<int> result(count);
  if (!good || !distance.to(result.data()))
    result.clear();
  return result;
}
