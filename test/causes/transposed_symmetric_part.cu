/// The symmetric part of a square matrix, the mean of it and of its transpose, as of a matrix of distances or
/// covariances that has lost its symmetry by rounding.
///
/// An element and its counterpart across the diagonal are read by one thread. When threads of a warp go along
/// a row for the one, they go along a column for the other, and no order of the threads suits both.
/// Fix: read the counterparts of a tile along their own rows, and turn them in shared memory.
/// cause: transposed
///
/// SIZE: rows of the matrix, a multiple of 32; for a GPU 8192.
#include "pair.h"

namespace {

constexpr int kTile = 32, kRows = 8; ///< a block has kRows rows of threads; fixed: for a tile of kTile rows

__global__ void symmetricPartSlow(const float *a, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float across = a[x * n + y]; // <- waste: load
  out[y * n + x] = (a[y * n + x] + across) / 2;
}

__global__ void symmetricPartFixed(const float *a, float *out, int n) {
  __shared__ float across[kTile][kTile + 1];
  const int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  for (int row = threadIdx.y; row < kTile; row += kRows)
    across[row][threadIdx.x] = a[(left + row) * n + top + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < kTile; row += kRows) {
    const int i = (top + row) * n + left + threadIdx.x;
    out[i] = (a[i] + across[threadIdx.x][row]) / 2;
  }
}

class SymmetricPart : public Pair {
public:
  explicit SymmetricPart(int n)
      : n_(n), host_(wholeNumbers<float>(std::size_t(n) * n, 1)), a_(host_), out_(host_.size()) {}

  void slow() override {
    symmetricPartSlow<<<dim3(n_ / 32, n_ / kRows), dim3(32, kRows)>>>(a_.data(), out_.data(), n_);
  }

  void fixed() override {
    symmetricPartFixed<<<dim3(n_ / kTile, n_ / kTile), dim3(kTile, kRows)>>>(a_.data(), out_.data(), n_);
  }

  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int y = 0; y < n_; ++y)
      for (int x = 0; x < n_; ++x)
        wanted.push_back((host_[std::size_t(y) * n_ + x] + host_[std::size_t(x) * n_ + y]) / 2);
    return wanted;
  }

private:
  int n_;
  std::vector<float> host_;
  DeviceArray<float> a_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<SymmetricPart>(argc, argv, 256, 32); }
