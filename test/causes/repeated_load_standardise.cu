/// The columns of a table of measurements, each less its mean and times its scale, as before a regression.
///
/// A thread takes a column. Its mean and its scale stay as they are, but the compiler can't know that the
/// result lies elsewhere: behind each store it loads both again.
/// Fix: load them before the loop (or say __restrict__).
/// cause: repeated-load
///
/// SIZE: columns of the table, a multiple of 256; for a GPU 499968.
#include "pair.h"

namespace {

constexpr int kRows = 64, kThreads = 256;

__global__ void standardiseSlow(const float *in, float *out, const float *mean, const float *scale,
                                int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = column; i < kRows * columns; i += columns) {
    const float value = in[i];
    out[i] = (value - mean[column]) * scale[column]; // <- waste: load
  }
}

__global__ void standardiseFixed(const float *in, float *out, const float *mean, const float *scale,
                                 int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const float ofColumn = mean[column], times = scale[column];
  for (int i = column; i < kRows * columns; i += columns) {
    const float value = in[i];
    out[i] = (value - ofColumn) * times;
  }
}

class Standardise : public Pair {
public:
  explicit Standardise(int columns)
      : columns_(columns), host_(wholeNumbers<float>(std::size_t(columns) * kRows, 1)),
        hostMean_(wholeNumbers<float>(columns, 2)), hostScale_(wholeNumbers<float>(columns, 3)), in_(host_),
        out_(host_.size()), mean_(hostMean_), scale_(hostScale_) {}

  void slow() override {
    standardiseSlow<<<columns_ / kThreads, kThreads>>>(in_.data(), out_.data(), mean_.data(), scale_.data(),
                                                       columns_);
  }

  void fixed() override {
    standardiseFixed<<<columns_ / kThreads, kThreads>>>(in_.data(), out_.data(), mean_.data(), scale_.data(),
                                                        columns_);
  }

  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (std::size_t i = 0; i < host_.size(); ++i)
      wanted.push_back((host_[i] - hostMean_[i % columns_]) * hostScale_[i % columns_]);
    return wanted;
  }

private:
  int columns_;
  std::vector<float> host_, hostMean_, hostScale_;
  DeviceArray<float> in_, out_, mean_, scale_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Standardise>(argc, argv, 2048, 256); }
