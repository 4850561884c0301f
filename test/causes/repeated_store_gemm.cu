/// C += A B of square matrices, an element for each thread.
///
/// The formula is written down as it is, with += on the element of C. The compiler can't know that A and B
/// lie elsewhere, so the sum goes to memory, and comes back, for each product.
/// Fix: add up in a local variable, and store it once.
/// cause: repeated-store
///
/// SIZE: rows of the matrices, a multiple of 32; for a GPU 1024.
#include "pair.h"

namespace {

__global__ void gemmSlow(const float *a, const float *b, float *c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int k = 0; k < n; ++k)
    c[row * n + column] += a[row * n + k] * b[k * n + column]; // <- waste: store
}

__global__ void gemmFixed(const float *a, const float *b, float *c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = c[row * n + column];
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

class Gemm : public Pair {
public:
  explicit Gemm(int n)
      : n_(n), hostA_(wholeNumbers<float>(std::size_t(n) * n, 1)),
        hostB_(wholeNumbers<float>(std::size_t(n) * n, 2)),
        hostC_(wholeNumbers<float>(std::size_t(n) * n, 3)), a_(hostA_), b_(hostB_), c_(hostC_.size()) {}

  void prepare() override { c_.assign(hostC_); }

  void slow() override {
    gemmSlow<<<dim3(n_ / 32, n_ / 8), dim3(32, 8)>>>(a_.data(), b_.data(), c_.data(), n_);
  }

  void fixed() override {
    gemmFixed<<<dim3(n_ / 32, n_ / 8), dim3(32, 8)>>>(a_.data(), b_.data(), c_.data(), n_);
  }

  std::vector<double> results(Version) const override { return c_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(hostC_.begin(), hostC_.end());
    for (int row = 0; row < n_; ++row)
      for (int k = 0; k < n_; ++k)
        for (int column = 0; column < n_; ++column)
          wanted[std::size_t(row) * n_ + column] +=
              hostA_[std::size_t(row) * n_ + k] * hostB_[std::size_t(k) * n_ + column];
    return wanted;
  }

private:
  int n_;
  std::vector<float> hostA_, hostB_, hostC_;
  DeviceArray<float> a_, b_, c_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Gemm>(argc, argv, 64, 32); }
