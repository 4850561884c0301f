/// Prices of European call options after Black and Scholes.
///
/// What is known of an option stands in a structure, as it comes from the book of trades. Five of its eight
/// numbers are wanted, one after the other, and threads of a warp are a structure apart: each load touches a
/// sector for each thread.
/// Fix: an array for each number.
/// cause: structure-stride
///
/// SIZE: options, a multiple of 256; for a GPU 8388608.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

struct Option {
  int trade, expiry;
  float spot, strike, years, volatility, rate;
  float notional;
};

struct Options {
  const float *spot, *strike, *years, *volatility, *rate;
};

__device__ float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

__device__ float price(float spot, float strike, float years, float volatility, float rate) {
  const float spread = volatility * sqrtf(years);
  const float d = (logf(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  return spot * normal(d) - strike * expf(-rate * years) * normal(d - spread);
}

__global__ void blackScholesSlow(const Option *options, float *call) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Option &o = options[i];
  call[i] = price(o.spot, o.strike, o.years, o.volatility, o.rate); // <- waste: load
}

__global__ void blackScholesFixed(Options o, float *call) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  call[i] = price(o.spot[i], o.strike[i], o.years[i], o.volatility[i], o.rate[i]);
}

class BlackScholes : public Pair {
public:
  explicit BlackScholes(int count)
      : count_(count), host_(makeOptions(count)), options_(host_), spot_(field(&Option::spot)),
        strike_(field(&Option::strike)), years_(field(&Option::years)),
        volatility_(field(&Option::volatility)), rate_(field(&Option::rate)), call_(count) {}

  void slow() override { blackScholesSlow<<<count_ / kThreads, kThreads>>>(options_.data(), call_.data()); }

  void fixed() override {
    blackScholesFixed<<<count_ / kThreads, kThreads>>>(
        {spot_.data(), strike_.data(), years_.data(), volatility_.data(), rate_.data()}, call_.data());
  }

  std::vector<double> results(Version) const override { return call_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    const auto normal = [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); };
    for (const Option &o : host_) {
      const double spread = o.volatility * std::sqrt(double(o.years));
      const double d =
          (std::log(double(o.spot) / o.strike) + (o.rate + 0.5 * o.volatility * o.volatility) * o.years) /
          spread;
      wanted.push_back(o.spot * normal(d) -
                       o.strike * std::exp(-double(o.rate) * o.years) * normal(d - spread));
    }
    return wanted;
  }

private:
  static std::vector<Option> makeOptions(int count) {
    const std::vector<float> n = wholeNumbers<float>(std::size_t(count) * 5, 1);
    std::vector<Option> options;
    for (std::size_t i = 0; i < n.size(); i += 5)
      options.push_back({int(i), 0, 20 + n[i], 20 + n[i + 1], 0.25f * (1 + n[i + 2]), 0.1f + 0.02f * n[i + 3],
                         0.005f * n[i + 4], 1});
    return options;
  }

  std::vector<float> field(float Option::*member) const {
    std::vector<float> values;
    for (const Option &option : host_)
      values.push_back(option.*member);
    return values;
  }

  int count_;
  std::vector<Option> host_;
  DeviceArray<Option> options_;
  DeviceArray<float> spot_, strike_, years_, volatility_, rate_, call_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<BlackScholes>(argc, argv, 65536, 256); }
