/// mandelbrot: a picture of the Mandelbrot set, which becomes smoother from pass to pass.
///
///     mandelbrot [width] [height] [passes]      default: 1000 1000 10
///
/// Prints a hash of the picture; exit 1 when it is not the host's.
#include "image.h"

#include <cstdio>
#include <cstdlib>

namespace {

std::vector<std::uint32_t> drawOnHost(const Image &image, const Palette &palette, int passes) {
  std::vector<std::uint32_t> picture;
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      int sum = 0;
      for (int pass = 0; pass < passes; ++pass)
        sum += stepsOf(image, column, row, pass);
      picture.push_back(palette[static_cast<size_t>(sum / passes)]);
    }
  return picture;
}

/// FNV-1a over the pixels.
std::uint64_t hashOf(const std::vector<std::uint32_t> &picture) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::uint32_t pixel : picture)
    hash = (hash ^ pixel) * 0x100000001b3u;
  return hash;
}

} // namespace

int main(int argc, char **argv) {
  const Image image{argc > 1 ? std::atoi(argv[1]) : 1000, argc > 2 ? std::atoi(argv[2]) : 1000};
  const int passes = argc > 3 ? std::atoi(argv[3]) : 10;
  if (image.width < 1 || image.width > 16384 || image.height < 1 || image.height > 16384 || passes < 1 ||
      passes > 1000) {
    std::fprintf(stderr, "usage: mandelbrot [width, 1 to 16384] [height, 1 to 16384] [passes, 1 to 1000]\n");
    return 2;
  }
  const Palette palette = makePalette();
  const std::vector<std::uint32_t> picture = drawOnDevice(image, palette, passes);
  if (picture.empty())
    return 1;
  const bool equal = picture == drawOnHost(image, palette, passes);
  std::printf("mandelbrot: %d x %d pixels, %d passes, hash %016llx, %s\n", image.width, image.height, passes,
              static_cast<unsigned long long>(hashOf(picture)),
              equal ? "as on the host" : "WRONG: differs from the host");
  return equal ? 0 : 1;
}
