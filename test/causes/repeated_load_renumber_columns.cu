/// The column numbers of a part of a sparse matrix (format ELL: the elements of all rows with one number
/// together), made to those of the whole matrix.
///
/// How many elements a row has stands in an array of the type that the loop stores. So the compiler must look
/// up, behind each store, whether the row has become longer.
/// Fix: load the length before the loop.
/// cause: repeated-load
///
/// SIZE: rows of the matrix, a multiple of 256; for a GPU 499968.
#include "pair.h"

namespace {

constexpr int kLongest = 64, kThreads = 256;

__global__ void renumberSlow(const int *length, int *columns, int rows, int first) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < length[row]; ++k) // <- waste: load
    columns[k * rows + row] += first;
}

__global__ void renumberFixed(const int *length, int *columns, int rows, int first) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int ofRow = length[row];
  for (int k = 0; k < ofRow; ++k)
    columns[k * rows + row] += first;
}

class RenumberColumns : public Pair {
public:
  explicit RenumberColumns(int rows)
      : rows_(rows), hostLength_(makeLength(rows)),
        hostColumns_(wholeNumbers<int>(std::size_t(rows) * kLongest, 1, rows)), length_(hostLength_),
        columns_(hostColumns_.size()) {}

  void prepare() override { columns_.assign(hostColumns_); }

  void slow() override {
    renumberSlow<<<rows_ / kThreads, kThreads>>>(length_.data(), columns_.data(), rows_, kFirst);
  }
  void fixed() override {
    renumberFixed<<<rows_ / kThreads, kThreads>>>(length_.data(), columns_.data(), rows_, kFirst);
  }

  std::vector<double> results(Version) const override { return columns_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(hostColumns_.begin(), hostColumns_.end());
    for (int row = 0; row < rows_; ++row)
      for (int k = 0; k < hostLength_[row]; ++k)
        wanted[std::size_t(k) * rows_ + row] += kFirst;
    return wanted;
  }

private:
  static constexpr int kFirst = 1000000;

  /// Rows are sorted by length, as in the format SELL: those of a warp have the same.
  static std::vector<int> makeLength(int rows) {
    std::vector<int> length;
    for (int row = 0; row < rows; ++row)
      length.push_back(kLongest - row / 32 % 32);
    return length;
  }

  int rows_;
  std::vector<int> hostLength_, hostColumns_;
  DeviceArray<int> length_, columns_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<RenumberColumns>(argc, argv, 2048, 256); }
