/// Images and textures: what `tex`, `suld` and `sust` read and write (PTX ISA, "Texture Instructions" and
/// "Surface Instructions"; CUDA C++ Programming Guide, "Texture Fetching").
///
/// An *image* is a block of texels: a CUDA array, or linear memory that is looked at as one. A *texture* is
/// an image and the way it is sampled; a texture object's handle is the address of one. A surface object's is
/// the address of an image.
#ifndef CUPR_CPU_TEXTURE_H
#define CUPR_CPU_TEXTURE_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace cupr::cpu {

struct Image {
  enum class Format : std::uint8_t { Signed, Unsigned, Float };

  unsigned char *data = nullptr;
  std::size_t rowBytes = 0, sliceBytes = 0; ///< from one row, and from one slice or layer, to the next
  /// In texels; 1 where a dimension is missing. Layers and the faces of cubes count as depth.
  std::array<std::uint32_t, 3> extent{1, 1, 1};
  Format format = Format::Unsigned;
  std::uint8_t channels = 1;
  std::uint8_t channelBits = 32; ///< 8, 16 or 32

  std::size_t texelBytes() const { return std::size_t{channels} * channelBits / 8; }
};

struct Texture {
  enum class Outside : std::uint8_t { Wrap, Clamp, Mirror, Border };

  Image image;
  std::array<Outside, 3> outside{Outside::Clamp, Outside::Clamp, Outside::Clamp};
  bool linear = false;           ///< interpolates; else the nearest texel
  bool normalized = false;       ///< coordinates run from 0 to 1
  bool normalizedValues = false; ///< integers are read as 0..1, or -1..1
  bool srgb = false;             ///< the first three channels, of 8 bits, hold the sRGB curve
  std::array<float, 4> border{};
};

} // namespace cupr::cpu

#endif
