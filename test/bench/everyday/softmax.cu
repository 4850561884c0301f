/// Softmax: a block for each row of 1,024 elements, which reduces in shared memory.
#include "workload.h"

namespace {

constexpr int kColumns = 1024, kThreads = 256;

__global__ void softmaxKernel(const float *in, float *out, int columns) {
  __shared__ float partial[kThreads];
  const int thread = threadIdx.x;
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;

  float largest = -INFINITY;
  for (int i = thread; i < columns; i += kThreads)
    largest = fmaxf(largest, in[i]);
  partial[thread] = largest;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half)
      partial[thread] = fmaxf(partial[thread], partial[thread + half]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();

  float sum = 0;
  for (int i = thread; i < columns; i += kThreads)
    sum += expf(in[i] - largest);
  partial[thread] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half)
      partial[thread] += partial[thread + half];
    __syncthreads();
  }
  sum = partial[0];

  for (int i = thread; i < columns; i += kThreads)
    out[i] = expf(in[i] - largest) / sum;
}

class Softmax : public Workload {
public:
  explicit Softmax(int rows)
      : rows_(rows), host_(randomFloats(std::size_t(rows) * kColumns, 10)), in_(host_), out_(host_.size()) {}

  void run() override { softmaxKernel<<<rows_, kThreads>>>(in_.data(), out_.data(), kColumns); }

  bool right() override {
    const std::vector<float> out = out_.values();
    for (const std::size_t row : sample(rows_, 512)) {
      const float *in = &host_[row * kColumns];
      double sum = 0;
      for (int i = 0; i < kColumns; ++i)
        sum += std::exp(double(in[i]));
      for (int i = 0; i < kColumns; ++i)
        if (!isClose(out[row * kColumns + i] * sum, std::exp(double(in[i])), 1e-4))
          return false;
    }
    return true;
  }

private:
  int rows_;
  std::vector<float> host_;
  DeviceArray<float> in_, out_;
};

} // namespace

std::unique_ptr<Workload> softmax(int size) { return std::make_unique<Softmax>(size); }
