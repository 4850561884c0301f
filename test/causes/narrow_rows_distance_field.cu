/// The union of two bodies that are given by signed distance fields: of each two distances the lesser.
///
/// The fields are kept in bricks of 4 x 4 x 4 points by the program that the kernel is from, and blocks are
/// such cubes still, though the fields lie row by row here. A row of 4 numbers is half of a sector, and a
/// warp covers eight such rows.
/// Fix: blocks as wide as a warp, 32 x 4.
/// cause: narrow-rows
///
/// SIZE: edge of the fields, a multiple of 32; for a GPU 384.
#include "pair.h"

namespace {

__global__ void uniteSlow(const float *a, const float *b, float *both, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = ((blockIdx.z * blockDim.z + threadIdx.z) * n + y) * n + x;
  both[i] = fminf(a[i], b[i]); // <- waste: load
}

__global__ void uniteFixed(const float *a, const float *b, float *both, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = ((blockIdx.z * blockDim.z + threadIdx.z) * n + y) * n + x;
  both[i] = fminf(a[i], b[i]);
}

class DistanceField : public Pair {
public:
  explicit DistanceField(int n)
      : n_(n), hostA_(wholeNumbers<float>(std::size_t(n) * n * n, 1)),
        hostB_(wholeNumbers<float>(hostA_.size(), 2)), a_(hostA_), b_(hostB_), both_(hostA_.size()) {}

  void slow() override {
    uniteSlow<<<dim3(n_ / 4, n_ / 4, n_ / 4), dim3(4, 4, 4)>>>(a_.data(), b_.data(), both_.data(), n_);
  }

  void fixed() override {
    uniteFixed<<<dim3(n_ / 32, n_ / 4, n_), dim3(32, 4)>>>(a_.data(), b_.data(), both_.data(), n_);
  }

  std::vector<double> results(Version) const override { return both_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (std::size_t i = 0; i < hostA_.size(); ++i)
      wanted.push_back(std::min(hostA_[i], hostB_[i]));
    return wanted;
  }

private:
  int n_;
  std::vector<float> hostA_, hostB_;
  DeviceArray<float> a_, b_, both_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<DistanceField>(argc, argv, 64, 32); }
