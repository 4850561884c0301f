/// Layer normalisation: a warp for each row of 1,024 elements.
#include "workload.h"

namespace {

constexpr int kColumns = 1024, kThreads = 256;
constexpr float kEpsilon = 1e-5f;

__device__ float warpSum(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

__global__ void layernormKernel(const float *in, const float *gamma, const float *beta, float *out, int rows,
                                int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  in += row * columns;
  out += row * columns;
  float sum = 0;
  for (int i = lane; i < columns; i += 32)
    sum += in[i];
  const float mean = warpSum(sum) / columns;
  float squares = 0;
  for (int i = lane; i < columns; i += 32)
    squares += (in[i] - mean) * (in[i] - mean);
  const float scale = rsqrtf(warpSum(squares) / columns + kEpsilon);
  for (int i = lane; i < columns; i += 32)
    out[i] = (in[i] - mean) * scale * gamma[i] + beta[i];
}

class Layernorm : public Workload {
public:
  explicit Layernorm(int rows)
      : rows_(rows), host_(randomFloats(std::size_t(rows) * kColumns, 7)),
        hostGamma_(randomFloats(kColumns, 8)), hostBeta_(randomFloats(kColumns, 9)), in_(host_),
        gamma_(hostGamma_), beta_(hostBeta_), out_(host_.size()) {}

  void run() override {
    const int perBlock = kThreads / 32;
    layernormKernel<<<(rows_ + perBlock - 1) / perBlock, kThreads>>>(in_.data(), gamma_.data(), beta_.data(),
                                                                     out_.data(), rows_, kColumns);
  }

  bool right() override {
    const std::vector<float> out = out_.values();
    for (const std::size_t row : sample(rows_, 512)) {
      const float *in = &host_[row * kColumns];
      double sum = 0, squares = 0;
      for (int i = 0; i < kColumns; ++i)
        sum += in[i];
      const double mean = sum / kColumns;
      for (int i = 0; i < kColumns; ++i)
        squares += (in[i] - mean) * (in[i] - mean);
      const double scale = 1 / std::sqrt(squares / kColumns + kEpsilon);
      for (int i = 0; i < kColumns; ++i)
        if (!isClose(out[row * kColumns + i], (in[i] - mean) * scale * hostGamma_[i] + hostBeta_[i], 1e-4))
          return false;
    }
    return true;
  }

private:
  int rows_;
  std::vector<float> host_, hostGamma_, hostBeta_;
  DeviceArray<float> in_, gamma_, beta_, out_;
};

} // namespace

std::unique_ptr<Workload> layernorm(int size) { return std::make_unique<Layernorm>(size); }
