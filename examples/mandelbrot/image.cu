/// The kernel of a pass, and the loop over passes: each looks at another place in every pixel, so that edges become smoother.
#include "image.h"

#include <cstdio>

static constexpr int kBlockX = 32, kBlockY = 8; ///< threads of a block

/// Adds a pass to the sums of steps, and shows their means.
__global__ void refine(std::uint32_t *picture, std::uint32_t *sums, const std::uint32_t *palette, Image image,
                       int pass) {
  const int column = blockIdx.x * kBlockX + threadIdx.x;
  const int row = blockIdx.y * kBlockY + threadIdx.y;
  if (column >= image.width || row >= image.height)
    return;
  const int pixel = row * image.width + column;
  const std::uint32_t sum = sums[pixel] + static_cast<std::uint32_t>(stepsOf(image, column, row, pass));
  sums[pixel] = sum;
  picture[pixel] = palette[sum / static_cast<std::uint32_t>(pass + 1)];
}

static bool succeeded(cudaError_t status, const char *what) {
  if (status != cudaSuccess)
    std::fprintf(stderr, "mandelbrot: %s: %s\n", what, cudaGetErrorString(status));
  return status == cudaSuccess;
}

std::vector<std::uint32_t> drawOnDevice(const Image &image, const Palette &palette, int passes) {
  std::vector<std::uint32_t> picture(static_cast<size_t>(image.width) * image.height);
  const size_t bytes = sizeof(std::uint32_t) * picture.size(),
               paletteBytes = sizeof(std::uint32_t) * palette.size();
  std::uint32_t *devicePicture = nullptr, *sums = nullptr, *devicePalette = nullptr;
  bool good = succeeded(cudaMalloc(&devicePicture, bytes), "cudaMalloc of the picture") &&
              succeeded(cudaMalloc(&sums, bytes), "cudaMalloc of the sums") &&
              succeeded(cudaMalloc(&devicePalette, paletteBytes), "cudaMalloc of the palette") &&
              succeeded(cudaMemset(sums, 0, bytes), "clearing the sums") &&
              succeeded(cudaMemcpy(devicePalette, palette.data(), paletteBytes, cudaMemcpyHostToDevice),
                        "copying the palette");
  const dim3 block(kBlockX, kBlockY);
  const dim3 grid((image.width + kBlockX - 1) / kBlockX, (image.height + kBlockY - 1) / kBlockY);
  for (int pass = 0; good && pass < passes; ++pass) {
    refine<<<grid, block>>>(devicePicture, sums, devicePalette, image, pass);
    good = succeeded(cudaGetLastError(), "launching refine");
  }
  if (!good || !succeeded(cudaMemcpy(picture.data(), devicePicture, bytes, cudaMemcpyDeviceToHost),
                          "copying the picture"))
    picture.clear();
  cudaFree(devicePalette);
  cudaFree(sums);
  cudaFree(devicePicture);
  return picture;
}
