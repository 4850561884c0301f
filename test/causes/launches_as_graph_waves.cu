/// A wave on a string: its velocity follows from its form, and its form from its velocity, step by step.
///
/// Each of the two launches of a step takes the device less time than the host needs to launch it.
/// Fix: a CUDA graph of all steps.
/// cause: launches-as-graph
///
/// SIZE: points, a multiple of 64; for a GPU 65536.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kSteps = 40;

__global__ void accelerate(const float *form, float *velocity, int points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float before = i == 0 ? 0 : form[i - 1], behind = i == points - 1 ? 0 : form[i + 1];
  velocity[i] += 0.25f * (before + behind - 2 * form[i]);
}

__global__ void move(const float *velocity, float *form) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  form[i] += velocity[i];
}

class Waves : public Pair {
public:
  explicit Waves(int points)
      : points_(points), host_(wholeNumbers<float>(points, 1)), form_(host_), velocity_(points) {
    MUST(cudaStreamCreate(&stream_));
    cudaGraph_t graph;
    MUST(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    for (int step = 0; step < kSteps; ++step) {
      accelerate<<<blocks(), threads(), 0, stream_>>>(form_.data(), velocity_.data(), points_);
      move<<<blocks(), threads(), 0, stream_>>>(velocity_.data(), form_.data());
    }
    MUST(cudaStreamEndCapture(stream_, &graph));
    MUST(cudaGraphInstantiateWithFlags(&steps_, graph, 0));
    MUST(cudaGraphDestroy(graph));
  }
  ~Waves() override {
    cudaGraphExecDestroy(steps_);
    cudaStreamDestroy(stream_);
  }

  void prepare() override {
    form_.assign(host_);
    velocity_.clear();
  }

  void slow() override {
    for (int step = 0; step < kSteps; ++step) {
      accelerate<<<blocks(), threads()>>>(form_.data(), velocity_.data(), points_); // <- waste: launch
      move<<<blocks(), threads()>>>(velocity_.data(), form_.data());
    }
  }
  void fixed() override { MUST(cudaGraphLaunch(steps_, stream_)); }

  std::vector<double> results(Version) const override { return form_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> form(host_.begin(), host_.end()), velocity(points_);
    for (int step = 0; step < kSteps; ++step) {
      for (int i = 0; i < points_; ++i)
        velocity[i] +=
            0.25 * ((i == 0 ? 0 : form[i - 1]) + (i == points_ - 1 ? 0 : form[i + 1]) - 2 * form[i]);
      for (int i = 0; i < points_; ++i)
        form[i] += velocity[i];
    }
    return form;
  }

private:
  /// Of a block; fewer, where there is less to do.
  int threads() const { return std::min(points_, kThreads); }
  int blocks() const { return points_ / threads(); }

  int points_;
  std::vector<float> host_;
  DeviceArray<float> form_, velocity_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t steps_ = nullptr;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Waves>(argc, argv, 34048, 64); }
