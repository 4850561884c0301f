/// The mean image of a camera, of frames that come one after the other.
///
/// Frames lie in a std::vector, whose memory CUDA does not know, so each goes through a buffer of the driver's on its way.
/// Fix: page-locked memory for the frames.
/// cause: copy-pageable
///
/// SIZE: pixels, a multiple of 256; for a GPU 4194304.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kFrames = 8;

__global__ void addFrame(const float *frame, float *sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] += frame[i];
}

class Camera : public Pair {
public:
  explicit Camera(int pixels) : pixels_(pixels), pageable_(pixels), frame_(pixels), sum_(pixels) {
    MUST(cudaMallocHost(&locked_, bytes()));
  }
  ~Camera() override { cudaFreeHost(locked_); }

  void prepare() override { sum_.clear(); }

  void slow() override {
    for (int i = 0; i < kFrames; ++i) {
      takeFrame(i, pageable_.data());
      MUST(cudaMemcpy(frame_.data(), pageable_.data(), bytes(), cudaMemcpyHostToDevice)); // <- waste: copy
      addFrame<<<pixels_ / kThreads, kThreads>>>(frame_.data(), sum_.data());
      MUST(cudaDeviceSynchronize());
    }
  }
  void fixed() override {
    for (int i = 0; i < kFrames; ++i) {
      takeFrame(i, locked_);
      MUST(cudaMemcpyAsync(frame_.data(), locked_, bytes(), cudaMemcpyHostToDevice));
      addFrame<<<pixels_ / kThreads, kThreads>>>(frame_.data(), sum_.data());
      MUST(cudaDeviceSynchronize());
    }
  }

  std::vector<double> results(Version) const override { return sum_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<float> frame(pixels_);
    std::vector<double> sum(pixels_);
    for (int i = 0; i < kFrames; ++i) {
      takeFrame(i, frame.data());
      for (int pixel = 0; pixel < pixels_; ++pixel)
        sum[pixel] += frame[pixel];
    }
    return sum;
  }

private:
  std::size_t bytes() const { return sizeof(float) * pixels_; }
  void takeFrame(int number, float *frame) const {
    for (int pixel = 0; pixel < pixels_; ++pixel)
      frame[pixel] = float((pixel * 7 + number * 13) % 256);
  }

  int pixels_;
  std::vector<float> pageable_;
  float *locked_ = nullptr;
  DeviceArray<float> frame_, sum_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Camera>(argc, argv, 65536, 256); }
