/// A window of densities of a tomography's volume (voxels of 16 bits), spread over the values of a byte.
///
/// The volume is a cube, and so are the blocks, 8 x 8 x 8. A row of them is 16 bytes of voxels, half of a
/// sector, and a warp reads four such rows; of the result, a row is a quarter of a sector.
/// Fix: blocks of one row, whose threads take four voxels each.
/// cause: narrow-rows
///
/// SIZE: edge of the volume, a multiple of 32; for a GPU 512.
#include "pair.h"

namespace {

__device__ int windowed(int density) { return min(max((density - 1000) / 4, 0), 255); }

__global__ void windowSlow(const unsigned short *in, unsigned char *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  out[(z * n + y) * n + x] = windowed(in[(z * n + y) * n + x]); // <- waste: load
}

__global__ void windowFixed(const ushort4 *in, uchar4 *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const ushort4 four = in[i];
  out[i] = make_uchar4(windowed(four.x), windowed(four.y), windowed(four.z), windowed(four.w));
}

class TomographyWindow : public Pair {
public:
  explicit TomographyWindow(int n)
      : n_(n), host_(wholeNumbers<unsigned short>(std::size_t(n) * n * n, 1, 4096)), in_(host_),
        out_(host_.size()) {}

  void slow() override {
    windowSlow<<<dim3(n_ / 8, n_ / 8, n_ / 8), dim3(8, 8, 8)>>>(in_.data(), out_.data(), n_);
  }

  void fixed() override {
    windowFixed<<<n_ * n_ * n_ / 4 / 256, 256>>>(reinterpret_cast<const ushort4 *>(in_.data()),
                                                 reinterpret_cast<uchar4 *>(out_.data()));
  }

  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const int density : host_)
      wanted.push_back(std::min(std::max((density - 1000) / 4, 0), 255));
    return wanted;
  }

private:
  int n_;
  std::vector<unsigned short> host_;
  DeviceArray<unsigned short> in_;
  DeviceArray<unsigned char> out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<TomographyWindow>(argc, argv, 64, 32); }
