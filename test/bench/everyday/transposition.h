/// A square matrix and its transpose: what transpose_naive.cu and transpose_tiled.cu have in common.
#ifndef CUPR_TEST_BENCH_EVERYDAY_TRANSPOSITION_H
#define CUPR_TEST_BENCH_EVERYDAY_TRANSPOSITION_H

#include "workload.h"

class Transposition : public Workload {
public:
  explicit Transposition(int n)
      : n_(n), host_(randomFloats(std::size_t(n) * n, 6)), in_(host_), out_(host_.size()) {}

  bool right() override {
    const std::vector<float> out = out_.values();
    for (int row = 0; row < n_; ++row)
      for (int column = 0; column < n_; ++column)
        if (out[std::size_t(column) * n_ + row] != host_[std::size_t(row) * n_ + column])
          return false;
    return true;
  }

protected:
  int n_;
  std::vector<float> host_;
  DeviceArray<float> in_, out_;
};

#endif
