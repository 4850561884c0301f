/// The heights in a flight log, in feet, made to metres, to be drawn.
///
/// The log has a record of 1,024 bytes for each moment, as the recorder writes them. Of each, one number of 4
/// bytes is wanted, and threads of a warp are a record apart.
/// Fix: keep each quantity of all moments together.
/// cause: strided
///
/// SIZE: moments, a multiple of 256; for a GPU 2000128.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kQuantities = 256, kHeight = 17;

struct Moment {
  float quantities[kQuantities];
};

__device__ float metres(float feet) { return 0.3048f * feet; }

__global__ void heightsSlow(const Moment *log, float *heights) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  heights[i] = metres(log[i].quantities[kHeight]); // <- waste: load
}

__global__ void heightsFixed(const float *heightsInFeet, float *heights) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  heights[i] = metres(heightsInFeet[i]);
}

class FlightLog : public Pair {
public:
  explicit FlightLog(int moments)
      : moments_(moments), host_(wholeNumbers<float>(moments, 1, 40000)), log_(logOf(host_)), feet_(host_),
        heights_(moments) {}

  void slow() override { heightsSlow<<<moments_ / kThreads, kThreads>>>(log_.data(), heights_.data()); }
  void fixed() override { heightsFixed<<<moments_ / kThreads, kThreads>>>(feet_.data(), heights_.data()); }

  std::vector<double> results(Version) const override { return heights_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const float feet : host_)
      wanted.push_back(0.3048 * feet);
    return wanted;
  }

private:
  static std::vector<Moment> logOf(const std::vector<float> &heights) {
    std::vector<Moment> log(heights.size());
    for (std::size_t i = 0; i < heights.size(); ++i)
      log[i].quantities[kHeight] = heights[i];
    return log;
  }

  int moments_;
  std::vector<float> host_;
  DeviceArray<Moment> log_;
  DeviceArray<float> feet_, heights_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<FlightLog>(argc, argv, 8192, 256); }
