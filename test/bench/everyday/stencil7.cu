/// One step of heat in a cube: a thread for each column (x, y), which marches in z and keeps what it has read of it.
#include "workload.h"

namespace {

constexpr int kBlockX = 32, kBlockY = 8;
constexpr float kCentre = 0.4f, kNeighbour = 0.1f;

__global__ void stencilKernel(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
    return;
  const int plane = n * n;
  int at = plane + y * n + x;
  float below = in[at - plane], centre = in[at];
  for (int z = 1; z < n - 1; ++z) {
    const float above = in[at + plane];
    out[at] =
        kCentre * centre + kNeighbour * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + below + above);
    below = centre;
    centre = above;
    at += plane;
  }
}

class Stencil7 : public Workload {
public:
  explicit Stencil7(int n)
      : n_(n), host_(randomFloats(std::size_t(n) * n * n, 3)), in_(host_),
        out_(std::vector<float>(host_.size())) {}

  void run() override {
    const dim3 grid((n_ + kBlockX - 1) / kBlockX, (n_ + kBlockY - 1) / kBlockY);
    stencilKernel<<<grid, dim3(kBlockX, kBlockY)>>>(in_.data(), out_.data(), n_);
  }

  bool right() override {
    const std::vector<float> out = out_.values();
    const std::size_t n = n_, plane = n * n;
    const auto inner = [&](std::size_t i) { return i > 0 && i + 1 < n; };
    for (const std::size_t at : sample(out.size(), 1 << 18)) {
      double wanted = 0; // the border stays as it was
      if (inner(at % n) && inner(at / n % n) && inner(at / plane))
        wanted = kCentre * host_[at] +
                 double(kNeighbour) * (double(host_[at - 1]) + host_[at + 1] + host_[at - n] + host_[at + n] +
                                       host_[at - plane] + host_[at + plane]);
      if (!isClose(out[at], wanted, 1e-5))
        return false;
    }
    return true;
  }

private:
  int n_;
  std::vector<float> host_;
  DeviceArray<float> in_, out_;
};

} // namespace

std::unique_ptr<Workload> stencil7(int size) { return std::make_unique<Stencil7>(size); }
