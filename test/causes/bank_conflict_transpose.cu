/// A matrix transposed, through a tile in shared memory.
///
/// The block loads a tile along its rows and stores it along the new rows, so it takes columns of the tile. A row has
/// 32 words, as many as there are banks: a column lies in one of them.
/// Fix: a word more in each row of the tile.
/// cause: bank-conflict
///
/// SIZE: edge of the matrix, a multiple of 32; for a GPU 8192.
#include "pair.h"

namespace {

constexpr int kTile = 32, kRows = 8; ///< a block has kRows rows of threads, and turns a tile of kTile rows

__global__ void transposeSlow(const float *in, float *out, int edge) {
  __shared__ float tile[kTile][kTile];
  const int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  for (int row = threadIdx.y; row < kTile; row += kRows)
    tile[row][threadIdx.x] = in[(top + row) * edge + left + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < kTile; row += kRows)
    out[(left + row) * edge + top + threadIdx.x] = tile[threadIdx.x][row]; // <- waste: load
}

__global__ void transposeFixed(const float *in, float *out, int edge) {
  __shared__ float tile[kTile][kTile + 1];
  const int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  for (int row = threadIdx.y; row < kTile; row += kRows)
    tile[row][threadIdx.x] = in[(top + row) * edge + left + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < kTile; row += kRows)
    out[(left + row) * edge + top + threadIdx.x] = tile[threadIdx.x][row];
}

class Transpose : public Pair {
public:
  explicit Transpose(int edge)
      : edge_(edge), host_(wholeNumbers<float>(std::size_t(edge) * edge, 1, 1 << 16)), in_(host_),
        out_(host_.size()) {}

  void slow() override { transposeSlow<<<grid(), dim3(kTile, kRows)>>>(in_.data(), out_.data(), edge_); }
  void fixed() override { transposeFixed<<<grid(), dim3(kTile, kRows)>>>(in_.data(), out_.data(), edge_); }
  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int y = 0; y < edge_; ++y)
      for (int x = 0; x < edge_; ++x)
        wanted.push_back(host_[std::size_t(x) * edge_ + y]);
    return wanted;
  }

private:
  dim3 grid() const { return dim3(edge_ / kTile, edge_ / kTile); }

  int edge_;
  std::vector<float> host_;
  DeviceArray<float> in_, out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Transpose>(argc, argv, 256, 32); }
