/// Breadth-first search level by level, a thread for each vertex. The host asks after each level whether there is
/// another one, with a synchronous copy.
#include "workload.h"

namespace {

constexpr int kThreads = 256, kDegree = 12;

__global__ void bfsKernel(const int *begin, const int *edges, int *levels, int *changed, int level,
                          int vertices) {
  const int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (vertex >= vertices || levels[vertex] != level)
    return;
  for (int i = begin[vertex]; i < begin[vertex + 1]; ++i) {
    const int next = edges[i];
    if (levels[next] < 0) {
      levels[next] = level + 1;
      *changed = 1;
    }
  }
}

class Bfs : public Workload {
public:
  explicit Bfs(int vertices)
      : vertices_(vertices), hostBegin_(makeBegin(vertices)), hostEdges_(makeEdges(vertices)),
        begin_(hostBegin_), edges_(hostEdges_), levels_(vertices), changed_(1) {}

  void run() override {
    const int source = 0;
    MUST(cudaMemset(levels_.data(), 0xff, levels_.size() * sizeof(int))); // -1: not reached
    MUST(cudaMemcpy(levels_.data(), &source, sizeof source, cudaMemcpyHostToDevice));
    int changed = 1;
    for (int level = 0; changed; ++level) {
      changed = 0;
      MUST(cudaMemcpy(changed_.data(), &changed, sizeof changed, cudaMemcpyHostToDevice));
      bfsKernel<<<(vertices_ + kThreads - 1) / kThreads, kThreads>>>(
          begin_.data(), edges_.data(), levels_.data(), changed_.data(), level, vertices_);
      MUST(cudaMemcpy(&changed, changed_.data(), sizeof changed, cudaMemcpyDeviceToHost));
    }
  }

  bool right() override {
    std::vector<int> wanted(vertices_, -1), queue{0};
    wanted[0] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (int i = hostBegin_[queue[head]]; i < hostBegin_[queue[head] + 1]; ++i)
        if (const int next = hostEdges_[i]; wanted[next] < 0) {
          wanted[next] = wanted[queue[head]] + 1;
          queue.push_back(next);
        }
    return levels_.values() == wanted;
  }

private:
  static std::vector<int> makeBegin(int vertices) {
    std::vector<int> begin(vertices + 1);
    for (int vertex = 0; vertex <= vertices; ++vertex)
      begin[vertex] = vertex * kDegree;
    return begin;
  }
  static std::vector<int> makeEdges(int vertices) {
    std::vector<int> edges(std::size_t(vertices) * kDegree);
    for (std::size_t i = 0; i < edges.size(); ++i)
      edges[i] = int(scattered(std::uint32_t(i) + 0x2545f491u) % std::uint32_t(vertices));
    return edges;
  }

  int vertices_;
  std::vector<int> hostBegin_, hostEdges_;
  DeviceArray<int> begin_, edges_, levels_, changed_;
};

} // namespace

std::unique_ptr<Workload> bfs(int size) { return std::make_unique<Bfs>(size); }
