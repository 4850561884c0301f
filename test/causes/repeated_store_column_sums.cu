/// The sum of each column of a table, as of a batch's gradients to those of a bias.
///
/// A thread walks down its column, and adds each element to the result in memory. The compiler can't know
/// that the table lies elsewhere, so the sum goes to memory, and comes back, for each row.
/// Fix: add up in a local variable, and store it once.
/// cause: repeated-store
///
/// SIZE: columns of the table, a multiple of 256; for a GPU 1048576.
#include "pair.h"

namespace {

constexpr int kRows = 64, kThreads = 256;

__global__ void columnSumsSlow(const float *table, float *sums, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  sums[column] = 0;
  for (int row = 0; row < kRows; ++row)
    sums[column] += table[row * columns + column]; // <- waste: store
}

__global__ void columnSumsFixed(const float *table, float *sums, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int row = 0; row < kRows; ++row)
    sum += table[row * columns + column];
  sums[column] = sum;
}

class ColumnSums : public Pair {
public:
  explicit ColumnSums(int columns)
      : columns_(columns), host_(wholeNumbers<float>(std::size_t(columns) * kRows, 1)), table_(host_),
        sums_(columns) {}

  void slow() override {
    columnSumsSlow<<<columns_ / kThreads, kThreads>>>(table_.data(), sums_.data(), columns_);
  }
  void fixed() override {
    columnSumsFixed<<<columns_ / kThreads, kThreads>>>(table_.data(), sums_.data(), columns_);
  }

  std::vector<double> results(Version) const override { return sums_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(columns_);
    for (std::size_t i = 0; i < host_.size(); ++i)
      wanted[i % columns_] += host_[i];
    return wanted;
  }

private:
  int columns_;
  std::vector<float> host_;
  DeviceArray<float> table_, sums_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<ColumnSums>(argc, argv, 2048, 256); }
