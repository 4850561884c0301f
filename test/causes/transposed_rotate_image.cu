/// An image turned clockwise by 90 degrees.
///
/// A thread takes a pixel where it lies and puts it where it belongs. What is a row before is a column
/// afterwards: reads along one are stores along the other, and no order of the threads suits both.
/// Fix: read a tile of the image along its rows, turn it in shared memory, and store it along the new rows.
/// cause: transposed
///
/// SIZE: edge of the image, a multiple of 32; for a GPU 8192.
#include "pair.h"

namespace {

constexpr int kTile = 32, kRows = 8; ///< a block has kRows rows of threads, and turns a tile of kTile rows

__global__ void rotateSlow(const unsigned *in, unsigned *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned pixel = in[y * width + x];
  out[x * height + height - 1 - y] = pixel; // <- waste: store
}

__global__ void rotateFixed(const unsigned *in, unsigned *out, int width, int height) {
  __shared__ unsigned tile[kTile][kTile + 1];
  const int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  for (int row = threadIdx.y; row < kTile; row += kRows)
    tile[row][threadIdx.x] = in[(top + row) * width + left + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < kTile; row += kRows)
    out[(left + row) * height + height - kTile - top + threadIdx.x] = tile[kTile - 1 - threadIdx.x][row];
}

class RotateImage : public Pair {
public:
  explicit RotateImage(int edge)
      : edge_(edge), host_(wholeNumbers<unsigned>(std::size_t(edge) * edge, 1, 1 << 24)), in_(host_),
        out_(host_.size()) {}

  void slow() override {
    rotateSlow<<<dim3(edge_ / kTile, edge_ / kRows), dim3(kTile, kRows)>>>(in_.data(), out_.data(), edge_,
                                                                           edge_);
  }

  void fixed() override {
    rotateFixed<<<dim3(edge_ / kTile, edge_ / kTile), dim3(kTile, kRows)>>>(in_.data(), out_.data(), edge_,
                                                                            edge_);
  }

  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int y = 0; y < edge_; ++y)
      for (int x = 0; x < edge_; ++x)
        wanted.push_back(host_[std::size_t(edge_ - 1 - x) * edge_ + y]);
    return wanted;
  }

private:
  int edge_;
  std::vector<unsigned> host_;
  DeviceArray<unsigned> in_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<RotateImage>(argc, argv, 256, 32); }
