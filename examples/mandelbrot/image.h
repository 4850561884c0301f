/// The picture, how a point of it is judged, and the calls between the files of this program.
#ifndef MANDELBROT_IMAGE_H
#define MANDELBROT_IMAGE_H

#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#define MANDELBROT_BOTH __host__ __device__
#else
#define MANDELBROT_BOTH
#endif

constexpr int kMostSteps = 64; ///< of a point that doesn't leave

struct Image {
  int width, height;
};

/// Parts of 2^28: the same on every machine.
using Fixed = std::int64_t;
constexpr int kFraction = 28;
constexpr Fixed kOne = Fixed(1) << kFraction;

/// After how many steps of z = z^2 + c the point leaves the circle of radius 2; kMostSteps: not within so many. Passes look at places
/// in a pixel that differ by sixteenths.
MANDELBROT_BOTH inline int stepsOf(const Image &image, int column, int row, int pass) {
  const Fixed real = -(kOne * 9 / 4) + kOne * 3 * (16 * column + pass % 16) / (16 * image.width);
  const Fixed imaginary = -(kOne * 3 / 2) + kOne * 3 * (16 * row + pass * 7 % 16) / (16 * image.height);
  Fixed x = 0, y = 0;
  int steps = 0;
  for (; steps < kMostSteps; ++steps) {
    const Fixed xx = x * x >> kFraction, yy = y * y >> kFraction;
    if (xx + yy > 4 * kOne)
      break;
    y = (x * y >> (kFraction - 1)) + imaginary;
    x = xx - yy + real;
  }
  return steps;
}

using Palette = std::vector<std::uint32_t>;
/// A colour for each number of steps, from 0 to kMostSteps: blue, green and red in 8 bits each.
inline Palette makePalette() {
  Palette palette(kMostSteps + 1);
  for (std::uint32_t steps = 0; steps <= kMostSteps; ++steps)
    palette[steps] = steps * 3 | (steps * 7 & 0xff) << 8 | (steps * 13 & 0xff) << 16;
  return palette;
}

/// The picture after so many passes. Empty when a CUDA call failed, after saying which.
std::vector<std::uint32_t> drawOnDevice(const Image &image, const Palette &palette, int passes);

#endif
