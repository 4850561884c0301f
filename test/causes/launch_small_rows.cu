/// The rows of a table of measurements, each less its first number.
///
/// Each row has a launch of its own, of one block, so all multiprocessors but one have nothing to do.
/// Fix: one launch, with a block for each row.
/// cause: launch-small
///
/// SIZE: rows, a multiple of 32; for a GPU 4096.
#include "pair.h"

namespace {

constexpr int kColumns = 256;

__global__ void shiftRow(const float *table, float *shifted, int row) {
  const int i = row * kColumns + threadIdx.x;
  shifted[i] = table[i] - table[row * kColumns];
}

__global__ void shiftRows(const float *table, float *shifted) {
  const int row = blockIdx.x, i = row * kColumns + threadIdx.x;
  shifted[i] = table[i] - table[row * kColumns];
}

class Rows : public Pair {
public:
  explicit Rows(int rows)
      : rows_(rows), host_(wholeNumbers<float>(std::size_t(rows) * kColumns, 1)), table_(host_),
        shifted_(host_.size()) {}

  void slow() override {
    for (int row = 0; row < rows_; ++row)
      shiftRow<<<1, kColumns>>>(table_.data(), shifted_.data(), row); // <- waste: launch
  }
  void fixed() override { shiftRows<<<rows_, kColumns>>>(table_.data(), shifted_.data()); }

  std::vector<double> results(Version) const override { return shifted_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> shifted(host_.size());
    for (std::size_t i = 0; i < host_.size(); ++i)
      shifted[i] = host_[i] - host_[i / kColumns * kColumns];
    return shifted;
  }

private:
  int rows_;
  std::vector<float> host_;
  DeviceArray<float> table_, shifted_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Rows>(argc, argv, 64, 32); }
