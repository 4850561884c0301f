/// Random numbers by linear congruential generators, one for each thread, for all threads to come.
///
/// The generators' parameters stand in a structure on the device, and a pointer to it is handed over. The
/// numbers that are stored have the type of the parameters, so the compiler must load these again behind each
/// store.
/// Fix: copy them to local variables before the loop (or give the structure to the kernel as a value).
/// cause: repeated-load
///
/// SIZE: generators, a multiple of 256; for a GPU 1048576.
#include "pair.h"

namespace {

constexpr int kNumbers = 64, kThreads = 256;

struct Parameters {
  unsigned multiplier, increment;
};

__global__ void generateSlow(const Parameters *parameters, unsigned *numbers, int generators) {
  const int generator = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = generator;
  for (int i = generator; i < kNumbers * generators; i += generators) {
    state = state * parameters->multiplier + parameters->increment; // <- waste: load
    numbers[i] = state;
  }
}

__global__ void generateFixed(const Parameters *parameters, unsigned *numbers, int generators) {
  const int generator = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned multiplier = parameters->multiplier, increment = parameters->increment;
  unsigned state = generator;
  for (int i = generator; i < kNumbers * generators; i += generators) {
    state = state * multiplier + increment;
    numbers[i] = state;
  }
}

class CongruentialGenerator : public Pair {
public:
  explicit CongruentialGenerator(int generators)
      : generators_(generators), parameters_(std::vector<Parameters>{kParameters}),
        numbers_(std::size_t(generators) * kNumbers) {}

  void slow() override {
    generateSlow<<<generators_ / kThreads, kThreads>>>(parameters_.data(), numbers_.data(), generators_);
  }

  void fixed() override {
    generateFixed<<<generators_ / kThreads, kThreads>>>(parameters_.data(), numbers_.data(), generators_);
  }

  std::vector<double> results(Version) const override { return numbers_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<unsigned> states;
    for (int generator = 0; generator < generators_; ++generator)
      states.push_back(generator);
    std::vector<double> wanted;
    for (int i = 0; i < kNumbers; ++i)
      for (unsigned &state : states)
        wanted.push_back(state = state * kParameters.multiplier + kParameters.increment);
    return wanted;
  }

private:
  static constexpr Parameters kParameters = {1664525, 1013904223}; // Numerical Recipes

  int generators_;
  DeviceArray<Parameters> parameters_;
  DeviceArray<unsigned> numbers_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<CongruentialGenerator>(argc, argv, 2048, 256); }
