/// Many Fourier transforms of 1,024 points, radix 2, in shared memory: a block for each, a thread for two points.
#include "workload.h"

namespace {

constexpr int kPoints = 1024, kBits = 10;

__global__ void fftKernel(const float2 *in, float2 *out) {
  __shared__ float2 points[kPoints];
  in += blockIdx.x * kPoints;
  out += blockIdx.x * kPoints;
  for (int i = threadIdx.x; i < kPoints; i += blockDim.x)
    points[__brev(i) >> (32 - kBits)] = in[i];
  __syncthreads();
  for (int half = 1; half < kPoints; half *= 2) {
    const int position = threadIdx.x % half;
    const int lower = threadIdx.x / half * half * 2 + position, upper = lower + half;
    float sine, cosine;
    sincospif(-float(position) / float(half), &sine, &cosine);
    const float2 a = points[lower], b = points[upper];
    const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    points[lower] = make_float2(a.x + turned.x, a.y + turned.y);
    points[upper] = make_float2(a.x - turned.x, a.y - turned.y);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < kPoints; i += blockDim.x)
    out[i] = points[i];
}

class Fft : public Workload {
public:
  explicit Fft(int transforms)
      : transforms_(transforms), host_(makePoints(transforms)), in_(host_), out_(host_.size()) {}

  void run() override { fftKernel<<<transforms_, kPoints / 2>>>(in_.data(), out_.data()); }

  bool right() override {
    const std::vector<float2> out = out_.values();
    for (const std::size_t at : sample(out.size(), 1024)) {
      const float2 *in = &host_[at / kPoints * kPoints];
      double real = 0, imaginary = 0;
      for (std::size_t i = 0; i < kPoints; ++i) {
        const double angle = -2 * M_PI * double(i * (at % kPoints) % kPoints) / kPoints;
        real += in[i].x * std::cos(angle) - in[i].y * std::sin(angle);
        imaginary += in[i].x * std::sin(angle) + in[i].y * std::cos(angle);
      }
      if (!isClose(out[at].x, real, 1e-3) || !isClose(out[at].y, imaginary, 1e-3))
        return false;
    }
    return true;
  }

private:
  static std::vector<float2> makePoints(int transforms) {
    const std::vector<float> numbers = randomFloats(std::size_t(transforms) * kPoints * 2, 11);
    std::vector<float2> points(numbers.size() / 2);
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = make_float2(numbers[2 * i], numbers[2 * i + 1]);
    return points;
  }

  int transforms_;
  std::vector<float2> host_;
  DeviceArray<float2> in_, out_;
};

} // namespace

std::unique_ptr<Workload> fft(int size) { return std::make_unique<Fft>(size); }
