/// A sparse matrix in compressed rows (CSR) times a vector: what spmv_warp.cu and spmv_thread.cu have in common.
#ifndef CUPR_TEST_BENCH_EVERYDAY_SPARSE_MATRIX_H
#define CUPR_TEST_BENCH_EVERYDAY_SPARSE_MATRIX_H

#include "workload.h"

#include <algorithm>

/// Rows of 0 to 31 entries, half of which are near the diagonal, and half anywhere.
struct SparseMatrix {
  std::vector<int> begin{0}, columns; ///< row r: entries begin[r] to begin[r + 1]
  std::vector<float> values;

  explicit SparseMatrix(int rows) {
    for (int row = 0; row < rows; ++row) {
      const int entries = int(scattered(row) % 32);
      for (int i = 0; i < entries; ++i) {
        const std::uint32_t random = scattered(std::uint32_t(columns.size()) + 0x51ed270bu);
        const int near = std::clamp(row + int(random % 64) - 32, 0, rows - 1);
        columns.push_back(i % 2 ? near : int(random % std::uint32_t(rows)));
      }
      begin.push_back(int(columns.size()));
    }
    values = randomFloats(columns.size(), 4);
  }
};

class SparseProduct : public Workload {
public:
  explicit SparseProduct(int rows)
      : rows_(rows), matrix_(rows), vector_(randomFloats(rows, 5)), begin_(matrix_.begin),
        columns_(matrix_.columns), values_(matrix_.values), x_(vector_), y_(rows) {}

  bool right() override {
    const std::vector<float> y = y_.values();
    for (int row = 0; row < rows_; ++row) {
      double sum = 0;
      for (int i = matrix_.begin[row]; i < matrix_.begin[row + 1]; ++i)
        sum += double(matrix_.values[i]) * vector_[matrix_.columns[i]];
      if (!isClose(y[row], sum, 1e-5))
        return false;
    }
    return true;
  }

protected:
  int rows_;
  SparseMatrix matrix_;
  std::vector<float> vector_;
  DeviceArray<int> begin_, columns_;
  DeviceArray<float> values_, x_, y_;
};

#endif
