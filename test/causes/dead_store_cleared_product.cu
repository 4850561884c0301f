/// y = A x for a matrix that lies column by column, as the BLAS wants it.
///
/// The vector is cleared first, as sums begin with 0, by a kernel that many programs have for all their arrays. But
/// the product adds up in a register and stores over the zeros, which nobody has read.
/// Fix: leave the clearing out.
/// cause: dead-store
///
/// SIZE: rows, a multiple of 256; for a GPU 16777216.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kColumns = 4;

__global__ void clear(float *y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = 0; // <- waste: store
}

__global__ void product(const float *a, float4 x, float *y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  y[row] = a[row] * x.x + a[rows + row] * x.y + a[2 * rows + row] * x.z + a[3 * rows + row] * x.w;
}

class Product : public Pair {
public:
  explicit Product(int rows)
      : rows_(rows), host_(wholeNumbers<float>(std::size_t(rows) * kColumns, 1)), a_(host_), y_(rows) {}

  void slow() override {
    clear<<<rows_ / kThreads, kThreads>>>(y_.data());
    fixed();
  }
  void fixed() override {
    product<<<rows_ / kThreads, kThreads>>>(a_.data(), make_float4(1, 2, 3, 4), y_.data(), rows_);
  }

  std::vector<double> results(Version) const override { return y_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(rows_);
    for (int column = 0; column < kColumns; ++column)
      for (int row = 0; row < rows_; ++row)
        wanted[row] += (column + 1) * host_[std::size_t(column) * rows_ + row];
    return wanted;
  }

private:
  int rows_;
  std::vector<float> host_;
  DeviceArray<float> a_, y_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Product>(argc, argv, 65536, 256); }
