/// The brightness of an image of bytes, raised until a byte is full.
///
/// The image comes from a program that keeps columns together (Fortran, MATLAB), and the kernel from one for
/// images whose rows are: only the index was changed, and threads of a warp are a column apart.
/// Fix: let threadIdx.x go along what lies together, here y, four bytes for each thread.
/// cause: swapped-axes
///
/// SIZE: edge of the image, a multiple of 128; for a GPU 16384.
#include "pair.h"

namespace {

__global__ void brightenSlow(const unsigned char *in, unsigned char *out, int height, int amount) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * height + y] = min(in[x * height + y] + amount, 255); // <- waste: load
}

__device__ unsigned char brighter(int value, int amount) { return (unsigned char)(min(value + amount, 255)); }

__global__ void brightenFixed(const uchar4 *in, uchar4 *out, int fours, int amount) {
  const int x = blockIdx.y * blockDim.y + threadIdx.y, y = blockIdx.x * blockDim.x + threadIdx.x;
  const uchar4 four = in[x * fours + y];
  out[x * fours + y] = make_uchar4(brighter(four.x, amount), brighter(four.y, amount),
                                   brighter(four.z, amount), brighter(four.w, amount));
}

class Brightness : public Pair {
public:
  explicit Brightness(int edge)
      : edge_(edge), host_(wholeNumbers<unsigned char>(std::size_t(edge) * edge, 1, 256)), in_(host_),
        out_(host_.size()) {}

  void slow() override {
    brightenSlow<<<dim3(edge_ / 32, edge_ / 8), dim3(32, 8)>>>(in_.data(), out_.data(), edge_, kAmount);
  }

  void fixed() override {
    brightenFixed<<<dim3(edge_ / 128, edge_ / 8), dim3(32, 8)>>>(reinterpret_cast<const uchar4 *>(in_.data()),
                                                                 reinterpret_cast<uchar4 *>(out_.data()),
                                                                 edge_ / 4, kAmount);
  }

  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const unsigned char value : host_)
      wanted.push_back(std::min(value + kAmount, 255));
    return wanted;
  }

private:
  static constexpr int kAmount = 40;

  int edge_;
  std::vector<unsigned char> host_;
  DeviceArray<unsigned char> in_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Brightness>(argc, argv, 256, 128); }
