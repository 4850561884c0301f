/// A step of an iteration whose result the host looks at twice: for how far it has come, and for its largest number.
///
/// Each of the two fetches it from the device.
/// Fix: fetch it once.
/// cause: copied-again
///
/// SIZE: numbers, a multiple of 256; for a GPU 4194304.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

__global__ void halve(const float *from, float *to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = 0.5f * from[i];
}

class Residual : public Pair {
public:
  explicit Residual(int count)
      : host_(wholeNumbers<float>(count, 1)), from_(host_), to_(count), fetched_(count) {}

  void slow() override {
    launch();
    MUST(cudaMemcpy(fetched_.data(), to_.data(), bytes(), cudaMemcpyDeviceToHost));
    sum_ = sumOf(fetched_);
    MUST(cudaMemcpy(fetched_.data(), to_.data(), bytes(), cudaMemcpyDeviceToHost)); // <- waste: copy
    largest_ = largestOf(fetched_);
  }
  void fixed() override {
    launch();
    MUST(cudaMemcpy(fetched_.data(), to_.data(), bytes(), cudaMemcpyDeviceToHost));
    sum_ = sumOf(fetched_);
    largest_ = largestOf(fetched_);
  }

  std::vector<double> results(Version) const override { return {sum_, largest_}; }

  std::vector<double> wanted() const override {
    std::vector<float> halves;
    for (const float number : host_)
      halves.push_back(0.5f * number);
    return {sumOf(halves), largestOf(halves)};
  }

private:
  void launch() { halve<<<unsigned(host_.size()) / kThreads, kThreads>>>(from_.data(), to_.data()); }
  std::size_t bytes() const { return sizeof(float) * host_.size(); }
  static double sumOf(const std::vector<float> &numbers) {
    double sum = 0;
    for (const float number : numbers)
      sum += number;
    return sum;
  }
  static double largestOf(const std::vector<float> &numbers) {
    return *std::max_element(numbers.begin(), numbers.end());
  }

  std::vector<float> host_;
  DeviceArray<float> from_, to_;
  std::vector<float> fetched_;
  double sum_ = 0, largest_ = 0;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Residual>(argc, argv, 4096, 256); }
