/// Splines: in each round every number of an array is taken through eight polynomials of four coefficients.
///
/// The coefficients of each polynomial are an array of the host's, and go to the device by a copy of their own.
/// Fix: one array for all of them, and one copy.
/// cause: copies-small
///
/// SIZE: numbers, a multiple of 256; for a GPU 262144.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kRounds = 4, kPolynomials = 8, kCoefficients = 4;

__global__ void evaluate(const float *coefficients, float *numbers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = numbers[i];
  for (int polynomial = 0; polynomial < kPolynomials; ++polynomial) {
    const float *c = coefficients + polynomial * kCoefficients;
    x = fmodf(((c[3] * x + c[2]) * x + c[1]) * x + c[0], 16.0f);
  }
  numbers[i] = x;
}

class Polynomials : public Pair {
public:
  explicit Polynomials(int count)
      : host_(wholeNumbers<float>(count, 1)), coefficients_(kPolynomials * kCoefficients), numbers_(count) {
    for (int i = 0; i < kPolynomials; ++i)
      single_[i].resize(kCoefficients);
  }

  void prepare() override { numbers_.assign(host_); }

  void slow() override {
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kPolynomials; ++i) {
        single_[i] = polynomial(round, i);
        MUST(cudaMemcpy(coefficients_.data() + i * kCoefficients, single_[i].data(), // <- waste: copy
                        sizeof(float) * kCoefficients, cudaMemcpyHostToDevice));
      }
      launch();
    }
  }
  void fixed() override {
    for (int round = 0; round < kRounds; ++round) {
      std::vector<float> all;
      for (int i = 0; i < kPolynomials; ++i)
        for (const float coefficient : polynomial(round, i))
          all.push_back(coefficient);
      MUST(cudaMemcpy(coefficients_.data(), all.data(), sizeof(float) * all.size(), cudaMemcpyHostToDevice));
      launch();
    }
  }

  std::vector<double> results(Version) const override { return numbers_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> numbers(host_.begin(), host_.end());
    for (int round = 0; round < kRounds; ++round)
      for (int i = 0; i < kPolynomials; ++i) {
        const std::vector<float> c = polynomial(round, i);
        for (double &x : numbers)
          x = std::fmod(((c[3] * x + c[2]) * x + c[1]) * x + c[0], 16.0);
      }
    return numbers;
  }

private:
  void launch() {
    evaluate<<<unsigned(numbers_.size()) / kThreads, kThreads>>>(coefficients_.data(), numbers_.data());
  }
  /// Whole numbers, so that results are.
  static std::vector<float> polynomial(int round, int number) {
    return wholeNumbers<float>(kCoefficients, 1 + round * kPolynomials + number, 4);
  }

  std::vector<float> host_, single_[kPolynomials];
  DeviceArray<float> coefficients_, numbers_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Polynomials>(argc, argv, 4096, 256); }
