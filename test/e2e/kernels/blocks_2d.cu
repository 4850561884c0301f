/// Two-dimensional blocks, where `threadIdx.x` is not the lane: a transposition of 40 x 25 elements, once
/// with blocks of 16 x 16 (a warp covers two rows), once with 8 x 4 (a block is one warp), once in a three-
/// dimensional grid of blocks of 5 x 3 x 2 (a warp that is not full).
#include "verdict.h"

__global__ void transpose(const short *in, short *out, int width, int height) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x;
  const int y = blockDim.y * blockIdx.y + threadIdx.y;
  if (x < width && y < height)
    out[x * height + y] = in[y * width + x];
}

__global__ void fill3d(int *out) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x;
  const int y = blockDim.y * blockIdx.y + threadIdx.y;
  const int z = blockDim.z * blockIdx.z + threadIdx.z;
  out[(z * 6 + y) * 10 + x] = x + 100 * y + 10000 * z;
}

int main() {
  const int width = 40, height = 25;
  const auto in = generate<short>(width * height, [](std::size_t i) { return short(i); });
  const auto wanted =
      generate<short>(width * height, [&](std::size_t i) { return in[i % height * width + i / height]; });
  Device<short> deviceIn(in), deviceOut(std::vector<short>(width * height, -1)),
      deviceSmall(std::vector<short>(width * height, -1));
  Device<int> deviceCube(std::vector<int>(10 * 6 * 4, -1));
  transpose<<<dim3(3, 2), dim3(16, 16)>>>(deviceIn, deviceOut, width, height);
  transpose<<<dim3(5, 7), dim3(8, 4)>>>(deviceIn, deviceSmall, width, height);
  fill3d<<<dim3(2, 2, 2), dim3(5, 3, 2)>>>(deviceCube);
  Verdict verdict("blocks_2d");
  verdict.equal("16 x 16", deviceOut.read(), wanted);
  verdict.equal("8 x 4", deviceSmall.read(), wanted);
  verdict.equal("cube", deviceCube.read(), generate<int>(240, [](std::size_t i) {
                  return int(i % 10 + 100 * (i / 10 % 6) + 10000 * (i / 60));
                }));
  return verdict.finish();
}
