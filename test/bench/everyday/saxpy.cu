/// y = a x + y, in a grid-stride loop of as many blocks as keep the device busy.
#include "workload.h"

namespace {

constexpr int kThreads = 256;

__global__ void saxpyKernel(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

class Saxpy : public Workload {
public:
  explicit Saxpy(int n) : n_(n), x_(remainders(n, 8)), y_(remainders(n, 4)) {
    MUST(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, 0));
  }

  void run() override {
    saxpyKernel<<<32 * processors_, kThreads>>>(n_, 2.0f, x_.data(), y_.data());
    ++runs_;
  }

  /// Small whole numbers: no rounding, however often it runs.
  bool right() override {
    const std::vector<float> y = y_.values();
    for (int i = 0; i < n_; ++i)
      if (y[i] != float(i % 4) + 2.0f * float(runs_) * float(i % 8))
        return false;
    return true;
  }

private:
  static std::vector<float> remainders(int count, int divisor) {
    std::vector<float> values(count);
    for (int i = 0; i < count; ++i)
      values[i] = float(i % divisor);
    return values;
  }

  int n_, processors_ = 1, runs_ = 0;
  DeviceArray<float> x_, y_;
};

} // namespace

std::unique_ptr<Workload> saxpy(int size) { return std::make_unique<Saxpy>(size); }
