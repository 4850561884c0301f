/// A plate that heaters warm, step by step.
///
/// The host brings the heaters' power to the device with each step, though it is the same in all of them.
/// Fix: bring it once, in front of the steps.
/// cause: copied-unchanged
///
/// SIZE: cells, a multiple of 256; for a GPU 4194304.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kSteps = 8;

__global__ void warm(const float *power, float *plate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  plate[i] = 0.5f * plate[i] + power[i];
}

class Heaters : public Pair {
public:
  explicit Heaters(int cells)
      : cold_(wholeNumbers<float>(cells, 1)), power_(wholeNumbers<float>(cells, 2)), onDevice_(cells),
        plate_(cells) {}

  void prepare() override { plate_.assign(cold_); }
  void slow() override {
    for (int step = 0; step < kSteps; ++step) {
      MUST(cudaMemcpy(onDevice_.data(), power_.data(), bytes(), cudaMemcpyHostToDevice)); // <- waste: copy
      launch();
    }
  }
  void fixed() override {
    MUST(cudaMemcpy(onDevice_.data(), power_.data(), bytes(), cudaMemcpyHostToDevice));
    for (int step = 0; step < kSteps; ++step)
      launch();
  }

  std::vector<double> results(Version) const override { return plate_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> plate(cold_.begin(), cold_.end());
    for (int step = 0; step < kSteps; ++step)
      for (std::size_t i = 0; i < plate.size(); ++i)
        plate[i] = 0.5 * plate[i] + power_[i];
    return plate;
  }

private:
  void launch() { warm<<<unsigned(power_.size()) / kThreads, kThreads>>>(onDevice_.data(), plate_.data()); }
  std::size_t bytes() const { return sizeof(float) * power_.size(); }

  std::vector<float> cold_, power_;
  DeviceArray<float> onDevice_, plate_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Heaters>(argc, argv, 8192, 256); }
