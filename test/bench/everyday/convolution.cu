/// An image convolved with a 5 x 5 filter in constant memory; outside of the image it is black.
#include "workload.h"

namespace {

constexpr int kRadius = 2, kWidth = 2 * kRadius + 1;

__constant__ float filter[kWidth * kWidth];

__global__ void convolutionKernel(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int dy = -kRadius; dy <= kRadius; ++dy)
    for (int dx = -kRadius; dx <= kRadius; ++dx) {
      const int fromX = x + dx, fromY = y + dy;
      if (fromX >= 0 && fromX < width && fromY >= 0 && fromY < height)
        sum += filter[(dy + kRadius) * kWidth + dx + kRadius] * in[fromY * width + fromX];
    }
  out[y * width + x] = sum;
}

class Convolution : public Workload {
public:
  explicit Convolution(int edge)
      : edge_(edge), hostFilter_(randomFloats(kWidth * kWidth, 16)),
        host_(randomFloats(std::size_t(edge) * edge, 17)), in_(host_), out_(host_.size()) {
    MUST(cudaMemcpyToSymbol(filter, hostFilter_.data(), hostFilter_.size() * sizeof(float)));
  }

  void run() override {
    const dim3 block(16, 16), grid((edge_ + 15) / 16, (edge_ + 15) / 16);
    convolutionKernel<<<grid, block>>>(in_.data(), out_.data(), edge_, edge_);
  }

  bool right() override {
    const std::vector<float> out = out_.values();
    for (const std::size_t at : sample(out.size(), 1 << 16)) {
      const int x = int(at % edge_), y = int(at / edge_);
      double sum = 0;
      for (int dy = -kRadius; dy <= kRadius; ++dy)
        for (int dx = -kRadius; dx <= kRadius; ++dx)
          if (x + dx >= 0 && x + dx < edge_ && y + dy >= 0 && y + dy < edge_)
            sum += double(hostFilter_[(dy + kRadius) * kWidth + dx + kRadius]) *
                   host_[std::size_t(y + dy) * edge_ + x + dx];
      if (!isClose(out[at], sum, 1e-5))
        return false;
    }
    return true;
  }

private:
  int edge_;
  std::vector<float> hostFilter_, host_;
  DeviceArray<float> in_, out_;
};

} // namespace

std::unique_ptr<Workload> convolution(int size) { return std::make_unique<Convolution>(size); }
