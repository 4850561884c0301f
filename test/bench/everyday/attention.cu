/// Attention, softmax(Q K^T / sqrt(d)) V, in one kernel: a block for each query of each of 8 heads of 64 dimensions.
#include "workload.h"

#include <algorithm>

namespace {

constexpr int kHeads = 8, kDimensions = 64, kThreads = 128;

__device__ float blockReduce(float value, float *scratch, bool sum) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = scratch[threadIdx.x + half];
      scratch[threadIdx.x] = sum ? scratch[threadIdx.x] + other : fmaxf(scratch[threadIdx.x], other);
    }
    __syncthreads();
  }
  const float result = scratch[0];
  __syncthreads();
  return result;
}

__global__ void attentionKernel(const float *q, const float *k, const float *v, float *out, int length) {
  extern __shared__ float scores[]; // one for each key
  __shared__ float query[kDimensions], scratch[kThreads];
  const int position = blockIdx.x;
  const size_t head = size_t(blockIdx.y) * length * kDimensions;
  q += head;
  k += head;
  v += head;
  out += head;
  if (threadIdx.x < kDimensions)
    query[threadIdx.x] = q[position * kDimensions + threadIdx.x] * rsqrtf(kDimensions);
  __syncthreads();

  float largest = -INFINITY;
  for (int key = threadIdx.x; key < length; key += blockDim.x) {
    float score = 0;
    for (int d = 0; d < kDimensions; ++d)
      score += query[d] * k[key * kDimensions + d];
    scores[key] = score;
    largest = fmaxf(largest, score);
  }
  largest = blockReduce(largest, scratch, false);
  float sum = 0;
  for (int key = threadIdx.x; key < length; key += blockDim.x) {
    scores[key] = expf(scores[key] - largest);
    sum += scores[key];
  }
  sum = blockReduce(sum, scratch, true);

  for (int d = threadIdx.x; d < kDimensions; d += blockDim.x) {
    float value = 0;
    for (int key = 0; key < length; ++key)
      value += scores[key] * v[key * kDimensions + d];
    out[position * kDimensions + d] = value / sum;
  }
}

class Attention : public Workload {
public:
  explicit Attention(int length)
      : length_(length), hostQ_(randomFloats(elements(), 13)), hostK_(randomFloats(elements(), 14)),
        hostV_(randomFloats(elements(), 15)), q_(hostQ_), k_(hostK_), v_(hostV_), out_(elements()) {}

  void run() override {
    attentionKernel<<<dim3(length_, kHeads), kThreads, length_ * sizeof(float)>>>(
        q_.data(), k_.data(), v_.data(), out_.data(), length_);
  }

  bool right() override {
    const std::vector<float> out = out_.values();
    for (const std::size_t row : sample(std::size_t(length_) * kHeads, 128)) {
      const std::size_t head = row / length_ * length_ * kDimensions;
      std::vector<double> wanted(kDimensions);
      double sum = 0;
      for (int key = 0; key < length_; ++key) {
        double score = 0;
        for (int d = 0; d < kDimensions; ++d)
          score += double(hostQ_[row * kDimensions + d]) * hostK_[head + key * kDimensions + d];
        const double weight = std::exp(score / std::sqrt(double(kDimensions)));
        sum += weight;
        for (int d = 0; d < kDimensions; ++d)
          wanted[d] += weight * hostV_[head + key * kDimensions + d];
      }
      for (int d = 0; d < kDimensions; ++d)
        if (!isClose(out[row * kDimensions + d], wanted[d] / sum, 1e-4))
          return false;
    }
    return true;
  }

private:
  std::size_t elements() const { return std::size_t(length_) * kHeads * kDimensions; }

  int length_;
  std::vector<float> hostQ_, hostK_, hostV_;
  DeviceArray<float> q_, k_, v_, out_;
};

} // namespace

std::unique_ptr<Workload> attention(int size) { return std::make_unique<Attention>(size); }
