/// A sparse matrix times a vector, in the format ELL: five elements for each row, those of all rows with one
/// number together. The matrix is that of diffusion between nodes, each of which has 32 species, and a
/// species meets only its like.
///
/// Unknowns are numbered as they came out of a mesh generator. Elements of neighbouring rows have columns
/// anywhere, and a warp reads each number of the vector from a sector of its own.
/// Fix: number the unknowns anew, node by node, so that neighbouring rows have neighbouring columns (as
/// Cuthill and McKee's numbering does for other matrices).
/// cause: gather
///
/// SIZE: rows of the matrix, a multiple of 256; for a GPU 4194304.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kPerRow = 5, kSpecies = 32;
constexpr int kNodesAway[kPerRow] = {-7, -1, 0, 1, 7};

__global__ void multiplySlow(const int *columns, const float *values, const float *x, float *y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = row; i < rows * kPerRow; i += rows) {
    const int column = columns[i];
    sum += values[i] * x[column]; // <- waste: load
  }
  y[row] = sum;
}

/// The same, of a matrix whose rows and columns are numbered node by node.
__global__ void multiplyFixed(const int *columns, const float *values, const float *x, float *y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = row; i < rows * kPerRow; i += rows) {
    const int column = columns[i];
    sum += values[i] * x[column];
  }
  y[row] = sum;
}

class SparseMatrixVector : public Pair {
public:
  explicit SparseMatrixVector(int rows)
      : rows_(rows), number_(shuffled(0, rows, 1)), hostColumns_(std::size_t(rows) * kPerRow),
        hostValues_(wholeNumbers<float>(std::size_t(rows) * kPerRow, 2)),
        hostX_(wholeNumbers<float>(rows, 3)), columns_(hostColumns_.size()), values_(hostColumns_.size()),
        x_(rows), newColumns_(hostColumns_.size()), newValues_(hostValues_), newX_(hostX_), y_(rows) {
    std::vector<int> columns(hostColumns_.size());
    std::vector<float> values(hostColumns_.size()), x(rows);
    for (int row = 0; row < rows; ++row) {
      x[number_[row]] = hostX_[row];
      for (int k = 0; k < kPerRow; ++k) {
        const int column = (row + (kNodesAway[k] + rows) * kSpecies) % rows;
        hostColumns_[std::size_t(k) * rows + row] = column;
        columns[std::size_t(k) * rows + number_[row]] = number_[column];
        values[std::size_t(k) * rows + number_[row]] = hostValues_[std::size_t(k) * rows + row];
      }
    }
    columns_.assign(columns);
    values_.assign(values);
    x_.assign(x);
    newColumns_.assign(hostColumns_);
  }

  void slow() override {
    multiplySlow<<<rows_ / kThreads, kThreads>>>(columns_.data(), values_.data(), x_.data(), y_.data(),
                                                 rows_);
  }

  void fixed() override {
    multiplyFixed<<<rows_ / kThreads, kThreads>>>(newColumns_.data(), newValues_.data(), newX_.data(),
                                                  y_.data(), rows_);
  }

  std::vector<double> results(Version version) const override {
    const std::vector<double> y = y_.doubles();
    if (version == Version::Fixed)
      return y;
    std::vector<double> inOrder;
    for (const int number : number_)
      inOrder.push_back(y[number]);
    return inOrder;
  }

  std::vector<double> wanted() const override {
    std::vector<double> wanted(rows_);
    for (std::size_t i = 0; i < hostColumns_.size(); ++i)
      wanted[i % rows_] += hostValues_[i] * hostX_[hostColumns_[i]];
    return wanted;
  }

private:
  int rows_;
  std::vector<int> number_, hostColumns_; ///< number_: the generator's, of each unknown
  std::vector<float> hostValues_, hostX_;
  DeviceArray<int> columns_;
  DeviceArray<float> values_, x_;
  DeviceArray<int> newColumns_;
  DeviceArray<float> newValues_, newX_, y_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<SparseMatrixVector>(argc, argv, 32768, 256); }
