/// The volume, how a ray goes through it and what it gathers, and the calls between the files of this program.
#ifndef VOLUME_VOLUME_H
#define VOLUME_VOLUME_H

#include <cmath>
#include <cstdint>
#include <vector>

#ifdef __CUDACC__
#define VOLUME_BOTH __host__ __device__
#else
#define VOLUME_BOTH
#endif

/// Positions are in parts of 2^16 of a voxel: whole numbers, the same on every machine.
using Fixed = std::int32_t;
constexpr int kFraction = 16;
constexpr Fixed kOne = Fixed(1) << kFraction;

struct Place {
  Fixed x, y, z;
};
VOLUME_BOTH inline Place behind(const Place &place, const Place &step, int steps) {
  return {place.x + steps * step.x, place.y + steps * step.y, place.z + steps * step.z};
}

/// Parallel rays from a plane of size x size pixels.
struct View {
  Place corner;             ///< where the ray of pixel (0, 0) begins
  Place right, down, ahead; ///< from pixel to pixel, and from sample to sample
  int size;                 ///< voxels along each edge of the volume
};

/// Looks at the volume from the front, turned by so many degrees around its axes, one after the other.
inline View viewOf(int size, int aroundX, int aroundY, int aroundZ) {
  const double degree = std::acos(-1.0) / 180;
  const auto turned = [&](double x, double y, double z) {
    const double a = aroundX * degree, b = aroundY * degree, c = aroundZ * degree;
    const double y1 = y * std::cos(a) - z * std::sin(a), z1 = y * std::sin(a) + z * std::cos(a);
    const double x2 = x * std::cos(b) + z1 * std::sin(b), z2 = -x * std::sin(b) + z1 * std::cos(b);
    const double x3 = x2 * std::cos(c) - y1 * std::sin(c), y3 = x2 * std::sin(c) + y1 * std::cos(c);
    const auto fixed = [](double value) { return static_cast<Fixed>(std::lround(value * kOne)); };
    return Place{fixed(x3), fixed(y3), fixed(z2)};
  };
  const Place right = turned(1, 0, 0), down = turned(0, 1, 0), ahead = turned(0, 0, 1);
  // The middle of the picture looks at the middle of the volume; rays begin half an edge in front of it, in the middles of voxels.
  const auto corner = [&](Fixed x, Fixed y, Fixed z) {
    return (size * kOne - size * (x + y + z)) / 2 + (x + y + z) / 2;
  };
  return {{corner(right.x, down.x, ahead.x), corner(right.y, down.y, ahead.y), corner(right.z, down.z, ahead.z)},
          right,
          down,
          ahead,
          size};
}

/// Whether the place is in the volume.
VOLUME_BOTH inline bool isInside(const Place &place, int size) {
  const auto isWithin = [&](Fixed at) { return at >= 0 && at >> kFraction < size; };
  return isWithin(place.x) && isWithin(place.y) && isWithin(place.z);
}

/// Shells around a point beside the middle.
VOLUME_BOTH inline unsigned char voxelAt(int x, int y, int z, int size) {
  const auto from = [&](int at, int part) { return (at * 16 - size * part) / (size / 16 + 1); };
  const int a = from(x, 7), b = from(y, 8), c = from(z, 9);
  return static_cast<unsigned char>((a * a + b * b + c * c) >> 6);
}

/// What a ray has gathered from front to back: brightness, and what still shines through, in parts of 2^16.
struct Light {
  std::uint32_t brightness, open;

  VOLUME_BOTH void add(unsigned char voxel) {
    const std::uint32_t opacity = voxel > 24 ? voxel - 24u : 0u; // in parts of 2^14
    brightness += (open * opacity >> 14) * voxel >> 8;
    open -= open * opacity >> 14;
  }
  /// Nothing behind it could be seen.
  VOLUME_BOTH bool isFull() const { return open < 64; }
};
constexpr Light kDark{0, 1u << 16};

enum class Memory { Texture, Global };

struct Shape {
  int width, height; ///< threads of a block
};

struct Frames {
  std::vector<std::uint32_t> picture; ///< brightness of each pixel; empty when a CUDA call failed, after saying which
  float milliseconds = 0;             ///< of the fastest frame
};

Frames render(const View &view, Memory memory, Shape block, int frames);

#endif
