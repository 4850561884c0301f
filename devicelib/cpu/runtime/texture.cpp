#include "texture.h"

#include "block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace cupr::cpu {
namespace {

using Texel = std::array<float, 4>; ///< or the bits of integers
using Index = std::array<std::int64_t, 3>;

/// The channel as its type's value: an integer's bits, or a float.
std::uint32_t channel(const Image &image, const unsigned char *at) {
  switch (image.channelBits) {
  case 8:
    return image.format == Image::Format::Signed ? std::uint32_t(std::int32_t(std::int8_t(*at))) : *at;
  case 16: {
    std::uint16_t bits;
    std::memcpy(&bits, at, 2);
    if (image.format == Image::Format::Float)
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<_Float16>(bits)));
    return image.format == Image::Format::Signed ? std::uint32_t(std::int32_t(std::int16_t(bits))) : bits;
  }
  default: {
    std::uint32_t bits;
    std::memcpy(&bits, at, 4);
    return bits;
  }
  }
}

float normalize(const Image &image, std::uint32_t bits) {
  if (image.format == Image::Format::Unsigned)
    return float(bits) / float((1u << image.channelBits) - 1);
  const float whole = float((1 << (image.channelBits - 1)) - 1);
  return std::max(-1.0f, float(std::int32_t(bits)) / whole);
}

float fromSrgb(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

/// The texel at `index`, which lies inside.
Texel load(const Texture &texture, const Index &index) {
  const Image &image = texture.image;
  const unsigned char *at = image.data + std::size_t(index[2]) * image.sliceBytes +
                            std::size_t(index[1]) * image.rowBytes +
                            std::size_t(index[0]) * image.texelBytes();
  Texel texel{};
  for (unsigned i = 0; i < image.channels; ++i) {
    const std::uint32_t bits = channel(image, at + std::size_t{i} * image.channelBits / 8);
    texel[i] = texture.normalizedValues ? normalize(image, bits) : std::bit_cast<float>(bits);
    if (texture.srgb && i < 3 && image.channelBits == 8 && texture.normalizedValues)
      texel[i] = fromSrgb(texel[i]);
  }
  return texel;
}

/// Brings an index into the image; false: it is outside, where the border is.
bool bring(Texture::Outside outside, std::int64_t extent, std::int64_t &index) {
  if (index >= 0 && index < extent)
    return true;
  switch (outside) {
  case Texture::Outside::Border:
    return false;
  case Texture::Outside::Wrap:
    index = (index % extent + extent) % extent;
    return true;
  case Texture::Outside::Mirror: {
    const std::int64_t period = (index % (2 * extent) + 2 * extent) % (2 * extent);
    index = period < extent ? period : 2 * extent - 1 - period;
    return true;
  }
  case Texture::Outside::Clamp:
    index = std::clamp<std::int64_t>(index, 0, extent - 1);
    return true;
  }
  return false;
}

Texel fetch(const Texture &texture, Index index, unsigned dimensions) {
  for (unsigned i = 0; i < dimensions; ++i) {
    Texture::Outside outside = texture.outside[i];
    // Wrap and mirror are for normalized coordinates; else they mean clamp.
    if (!texture.normalized && outside != Texture::Outside::Border)
      outside = Texture::Outside::Clamp;
    if (!bring(outside, texture.image.extent[i], index[i]))
      return texture.border;
  }
  return load(texture, index);
}

/// `position`: coordinates in `dimensions` dimensions; `layer` is the slice of the others.
Texel sample(const Texture &texture, const std::array<float, 3> &position, unsigned dimensions,
             std::int64_t layer) {
  Index low{0, 0, 0};
  if (dimensions < 3)
    low[2] = layer;
  std::array<float, 3> weight{};
  for (unsigned i = 0; i < dimensions; ++i) {
    float x = position[i];
    if (texture.normalized)
      x *= float(texture.image.extent[i]);
    if (texture.linear)
      x -= 0.5f;
    if (!(std::abs(x) < 0x1p30f)) // also a NaN
      x = x > 0 ? 0x1p30f : x < 0 ? -0x1p30f : 0.0f;
    const float whole = std::floor(x);
    low[i] = std::int64_t(whole);
    // The hardware's weights have 8 bits behind the point.
    weight[i] = texture.linear ? std::nearbyint((x - whole) * 256) / 256 : 0;
  }
  if (!texture.linear)
    return fetch(texture, low, dimensions);
  Texel sum{};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    Index index = low;
    float share = 1;
    for (unsigned i = 0; i < dimensions; ++i) {
      const bool high = corner >> i & 1;
      index[i] += high;
      share *= high ? weight[i] : 1 - weight[i];
    }
    if (share == 0)
      continue;
    const Texel texel = fetch(texture, index, dimensions);
    for (unsigned i = 0; i < 4; ++i)
      sum[i] += share * texel[i];
  }
  return sum;
}

/// The face of a cube that a direction points at, and where on it (0..1).
unsigned face(const std::array<float, 3> &d, std::array<float, 3> &position) {
  const float x = std::abs(d[0]), y = std::abs(d[1]), z = std::abs(d[2]);
  float s, t, major;
  unsigned number;
  if (x >= y && x >= z)
    number = d[0] < 0, major = x, s = d[0] < 0 ? d[2] : -d[2], t = -d[1];
  else if (y >= z)
    number = 2 + (d[1] < 0), major = y, s = d[0], t = d[1] < 0 ? -d[2] : d[2];
  else
    number = 4 + (d[2] < 0), major = z, s = d[2] < 0 ? -d[0] : d[0], t = -d[1];
  position = {(s / major + 1) / 2, (t / major + 1) / 2, 0};
  return number;
}

Block &block() { return *Block::running(); }

} // namespace

namespace calls {

void TextureFetch(U64 handle, U32 shape, Ptr coordinates, Ptr result) {
  const auto *texture = reinterpret_cast<const Texture *>(handle);
  if (!texture)
    block().fail(Failure::IllegalAddress, "it reads a texture through a handle that is 0");
  std::array<std::uint32_t, 4> at{};
  std::memcpy(at.data(), coordinates, 4 * coordinateCount(shape));
  const std::uint32_t *next = at.data();
  std::int64_t layer = 0;
  const unsigned dimensions = shape & kShapeDimensions;
  const std::int64_t slices = texture->image.extent[2];
  if (shape & kShapeLayered)
    layer = std::int64_t{*next++};
  Texel texel;
  if (shape & kShapeInteger) { // whole texels: neither filtered nor normalized, and 0 outside
    Index index{0, 0, std::clamp<std::int64_t>(layer, 0, slices - 1)};
    bool inside = true;
    for (unsigned i = 0; i < dimensions; ++i) {
      index[i] = std::int64_t{std::int32_t(next[i])};
      inside &= index[i] >= 0 && index[i] < std::int64_t{texture->image.extent[i]};
    }
    texel = inside ? load(*texture, index) : Texel{};
  } else {
    std::array<float, 3> position{};
    const unsigned count = shape & kShapeCube ? 3 : dimensions;
    for (unsigned i = 0; i < count; ++i)
      position[i] = std::bit_cast<float>(next[i]);
    if (shape & kShapeCube) {
      Texture sides = *texture;
      sides.normalized = true;
      sides.outside = {Texture::Outside::Clamp, Texture::Outside::Clamp, Texture::Outside::Clamp};
      const unsigned number = face(position, position);
      layer = std::clamp<std::int64_t>(layer * 6 + number, 0, slices - 1);
      texel = sample(sides, position, 2, layer);
    } else {
      texel = sample(*texture, position, dimensions, std::clamp<std::int64_t>(layer, 0, slices - 1));
    }
  }
  std::memcpy(result, texel.data(), sizeof texel);
}

Ptr SurfaceAddress(U64 handle, U32 shape, Ptr coordinates, U32 bytes) {
  const auto *image = reinterpret_cast<const Image *>(handle);
  if (!image)
    block().fail(Failure::IllegalAddress, "it uses a surface through a handle that is 0");
  std::array<std::int32_t, 4> at{};
  std::memcpy(at.data(), coordinates, 4 * coordinateCount(shape));
  const std::int32_t *next = at.data();
  const unsigned dimensions = shape & kShapeDimensions;
  Index index{0, 0, 0};
  if (shape & kShapeLayered)
    index[2] = *next++;
  for (unsigned i = 0; i < dimensions; ++i)
    index[i] = next[i];
  // The first coordinate counts bytes.
  const std::int64_t row = std::int64_t{image->extent[0]} * std::int64_t(image->texelBytes());
  bool inside = index[0] >= 0 && index[0] + bytes <= row;
  for (unsigned i = 1; i < 3; ++i)
    inside &= index[i] >= 0 && index[i] < std::int64_t{image->extent[i]};
  if (!inside) {
    if (shape & kShapeTrap)
      block().fail(Failure::IllegalAddress, "it goes beyond the border of a surface");
    if (!(shape & kShapeClamp))
      return nullptr; // reads are 0, writes are dropped
    index[0] = std::clamp<std::int64_t>(index[0], 0, row - bytes);
    for (unsigned i = 1; i < 3; ++i)
      index[i] = std::clamp<std::int64_t>(index[i], 0, std::int64_t{image->extent[i]} - 1);
  }
  return image->data + std::size_t(index[2]) * image->sliceBytes + std::size_t(index[1]) * image->rowBytes +
         index[0];
}

} // namespace calls
} // namespace cupr::cpu
