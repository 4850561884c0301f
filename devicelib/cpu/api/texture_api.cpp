/// CUDA arrays, texture objects and surface objects: descriptions turned into what runtime/texture.h samples.
///
/// An array's texels lie in the device's arena, rows and slices without gaps. There are no mipmaps, and
/// texture references are gone from CUDA 13.
#include "api.h"

#include "devicelib/cpu/runtime/arena.h"
#include "devicelib/cpu/runtime/texture.h"

#include <algorithm>
#include <memory>

using namespace cupr::cpu;

/// What a cudaArray_t points at; the toolkit leaves it open.
struct cudaArray {
  Image image;
  cudaChannelFormatDesc channels;
  cudaExtent extent; ///< as asked for: 0 where a dimension is missing
  unsigned flags;
};

namespace {

/// What a texture object's handle points at.
struct TextureObject : Texture {
  cudaResourceDesc resource;
  cudaTextureDesc description;
};

struct SurfaceObject : Image {
  cudaResourceDesc resource;
};

/// The image's format and channels; false: not one that textures can have.
bool describe(const cudaChannelFormatDesc &channels, Image &image) {
  const int bits[] = {channels.x, channels.y, channels.z, channels.w};
  image.channels = 0;
  while (image.channels < 4 && bits[image.channels])
    ++image.channels;
  image.channelBits = static_cast<std::uint8_t>(bits[0]);
  switch (channels.f) {
  case cudaChannelFormatKindSigned:
    image.format = Image::Format::Signed;
    break;
  case cudaChannelFormatKindUnsigned:
    image.format = Image::Format::Unsigned;
    break;
  case cudaChannelFormatKindFloat:
    image.format = Image::Format::Float;
    break;
  default:
    return false; // compressed blocks, and planes of video
  }
  const bool isEven = std::all_of(bits, bits + image.channels, [&](int each) { return each == bits[0]; });
  return isEven && image.channels && image.channels != 3 &&
         (bits[0] == 32 || bits[0] == 16 || (bits[0] == 8 && image.format != Image::Format::Float));
}

std::uint32_t atLeastOne(std::size_t count) {
  return static_cast<std::uint32_t>(std::max<std::size_t>(count, 1));
}

/// `call`: the name of the API's function.
cudaError_t makeArray(cudaArray_t *made, const cudaChannelFormatDesc *channels, cudaExtent extent,
                      unsigned flags, const char *call) {
  if (!made || !channels || !extent.width)
    return cudaErrorInvalidValue;
  auto array = std::make_unique<cudaArray>();
  Image &image = array->image;
  if (!describe(*channels, image))
    return cudaErrorInvalidChannelDescriptor;
  image.extent = {atLeastOne(extent.width), atLeastOne(extent.height), atLeastOne(extent.depth)};
  image.rowBytes = extent.width * image.texelBytes();
  image.sliceBytes = image.rowBytes * image.extent[1];
  array->channels = *channels;
  array->extent = extent;
  array->flags = flags;
  void *const data = Arena::instance().allocate(currentDevice(), image.sliceBytes * image.extent[2],
                                                ArenaKind::Device, call);
  if (!data)
    return cudaErrorMemoryAllocation;
  image.data = static_cast<unsigned char *>(data);
  *made = array.release();
  return cudaSuccess;
}

/// The image that a resource is; false: a mipmap, or a description that makes no sense.
bool imageOf(const cudaResourceDesc &resource, Image &image) {
  switch (resource.resType) {
  case cudaResourceTypeArray:
    if (!resource.res.array.array)
      return false;
    image = resource.res.array.array->image;
    return true;
  case cudaResourceTypeLinear: {
    const auto &linear = resource.res.linear;
    if (!linear.devPtr || !describe(linear.desc, image))
      return false;
    image.data = static_cast<unsigned char *>(linear.devPtr);
    image.extent = {static_cast<std::uint32_t>(linear.sizeInBytes / image.texelBytes()), 1, 1};
    image.rowBytes = image.sliceBytes = linear.sizeInBytes;
    return true;
  }
  case cudaResourceTypePitch2D: {
    const auto &plane = resource.res.pitch2D;
    if (!plane.devPtr || !describe(plane.desc, image))
      return false;
    image.data = static_cast<unsigned char *>(plane.devPtr);
    image.extent = {atLeastOne(plane.width), atLeastOne(plane.height), 1};
    image.rowBytes = plane.pitchInBytes;
    image.sliceBytes = plane.pitchInBytes * plane.height;
    return true;
  }
  default:
    return false;
  }
}

Texture::Outside outsideOf(cudaTextureAddressMode mode) {
  switch (mode) {
  case cudaAddressModeWrap:
    return Texture::Outside::Wrap;
  case cudaAddressModeMirror:
    return Texture::Outside::Mirror;
  case cudaAddressModeBorder:
    return Texture::Outside::Border;
  default:
    return Texture::Outside::Clamp;
  }
}

/// One end of a copy: bytes, rows and slices, and where the first one is.
struct RowPlace {
  unsigned char *data;
  std::size_t rowBytes, sliceBytes;

  /// `x` counts texels.
  static RowPlace in(const cudaArray *array, std::size_t x, std::size_t y, std::size_t z) {
    const Image &image = array->image;
    return {image.data + z * image.sliceBytes + y * image.rowBytes + x * image.texelBytes(), image.rowBytes,
            image.sliceBytes};
  }
  static RowPlace in(const cudaPitchedPtr &memory, const cudaPos &at) {
    const std::size_t slice = memory.pitch * memory.ysize;
    return {static_cast<unsigned char *>(memory.ptr) + at.z * slice + at.y * memory.pitch + at.x,
            memory.pitch, slice};
  }
};

/// Whether the rows lie in the array, `x` and `width` in bytes.
bool holds(const cudaArray *array, std::size_t x, std::size_t y, std::size_t width, std::size_t height) {
  return array && x + width <= array->image.rowBytes && y + height <= array->image.extent[1];
}

/// The sides that are arrays are device memory, whatever the program calls them.
cudaError_t toArray(cudaArray_t array, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (!holds(array, x, y, width, height))
    return cudaErrorInvalidValue;
  const RowPlace place = RowPlace::in(array, 0, y, 0);
  return copyRows(place.data + x, place.rowBytes, from, pitch, width, height, kind);
}

cudaError_t fromArray(void *to, std::size_t pitch, cudaArray_const_t array, std::size_t x, std::size_t y,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (!holds(array, x, y, width, height))
    return cudaErrorInvalidValue;
  const RowPlace place = RowPlace::in(array, 0, y, 0);
  return copyRows(to, pitch, place.data + x, place.rowBytes, width, height, kind);
}

} // namespace

cudaError_t cupr::cpu::copy3D(const cudaMemcpy3DParms *p) {
  if (!p)
    return cudaErrorInvalidValue;
  const RowPlace from = p->srcArray ? RowPlace::in(p->srcArray, p->srcPos.x, p->srcPos.y, p->srcPos.z)
                                    : RowPlace::in(p->srcPtr, p->srcPos);
  const RowPlace to = p->dstArray ? RowPlace::in(p->dstArray, p->dstPos.x, p->dstPos.y, p->dstPos.z)
                                  : RowPlace::in(p->dstPtr, p->dstPos);
  // Where an array takes part, the width counts its texels.
  const cudaArray *const array = p->srcArray ? p->srcArray : p->dstArray;
  const std::size_t width = p->extent.width * (array ? array->image.texelBytes() : 1);
  for (std::size_t z = 0; z < p->extent.depth; ++z)
    if (const cudaError_t error =
            copyRows(to.data + z * to.sliceBytes, to.rowBytes, from.data + z * from.sliceBytes, from.rowBytes,
                     width, p->extent.height, p->kind);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}

extern "C" decltype(cudaCreateChannelDesc) cupr_cpu_cudaCreateChannelDesc;
extern "C" cudaChannelFormatDesc cupr_cpu_cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

CUPR_CPU_API(cudaGetChannelDesc)(cudaChannelFormatDesc *channels, cudaArray_const_t array) {
  if (!channels || !array)
    return answer(cudaErrorInvalidValue);
  *channels = array->channels;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaMallocArray)
(cudaArray_t *array, const cudaChannelFormatDesc *channels, size_t width, size_t height, unsigned flags) {
  return answer(makeArray(array, channels, {width, height, 0}, flags, "cudaMallocArray"));
}
CUPR_CPU_API(cudaMalloc3DArray)
(cudaArray_t *array, const cudaChannelFormatDesc *channels, cudaExtent extent, unsigned flags) {
  return answer(makeArray(array, channels, extent, flags, "cudaMalloc3DArray"));
}
CUPR_CPU_API(cudaFreeArray)(cudaArray_t array) {
  if (array) {
    Arena::instance().free(array->image.data, /*host=*/false, "cudaFreeArray");
    delete array;
  }
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaArrayGetInfo)
(cudaChannelFormatDesc *channels, cudaExtent *extent, unsigned *flags, cudaArray_t array) {
  if (!array)
    return answer(cudaErrorInvalidValue);
  if (channels)
    *channels = array->channels;
  if (extent)
    *extent = array->extent;
  if (flags)
    *flags = array->flags;
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaMemcpy2DToArray)
(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
 cudaMemcpyKind kind) {
  return answer(toArray(array, x, y, from, pitch, width, height, kind));
}
CUPR_CPU_API(cudaMemcpy2DToArrayAsync)
(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
 cudaMemcpyKind kind, cudaStream_t) {
  return answer(toArray(array, x, y, from, pitch, width, height, kind));
}
CUPR_CPU_API(cudaMemcpy2DFromArray)
(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height,
 cudaMemcpyKind kind) {
  return answer(fromArray(to, pitch, array, x, y, width, height, kind));
}
CUPR_CPU_API(cudaMemcpy2DFromArrayAsync)
(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height,
 cudaMemcpyKind kind, cudaStream_t) {
  return answer(fromArray(to, pitch, array, x, y, width, height, kind));
}
CUPR_CPU_API(cudaMemcpy2DArrayToArray)
(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from, size_t fromX, size_t fromY, size_t width,
 size_t height, cudaMemcpyKind kind) {
  if (!holds(from, fromX, fromY, width, height))
    return answer(cudaErrorInvalidValue);
  const RowPlace place = RowPlace::in(from, 0, fromY, 0);
  return answer(toArray(to, toX, toY, place.data + fromX, place.rowBytes, width, height, kind));
}
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
// Of old: as many bytes as rows hold, from a place on. Rows have no gaps.
CUPR_CPU_API(cudaMemcpyToArray)
(cudaArray_t array, size_t x, size_t y, const void *from, size_t count, cudaMemcpyKind kind) {
  if (!array || y * array->image.rowBytes + x + count > array->image.sliceBytes)
    return answer(cudaErrorInvalidValue);
  return answer(copyRows(RowPlace::in(array, 0, y, 0).data + x, 0, from, 0, count, 1, kind));
}
CUPR_CPU_API(cudaMemcpyFromArray)
(void *to, cudaArray_const_t array, size_t x, size_t y, size_t count, cudaMemcpyKind kind) {
  if (!array || y * array->image.rowBytes + x + count > array->image.sliceBytes)
    return answer(cudaErrorInvalidValue);
  return answer(copyRows(to, 0, RowPlace::in(array, 0, y, 0).data + x, 0, count, 1, kind));
}
#pragma clang diagnostic pop

CUPR_CPU_API(cudaCreateTextureObject)
(cudaTextureObject_t *object, const cudaResourceDesc *resource, const cudaTextureDesc *description,
 const cudaResourceViewDesc *) {
  if (!object || !resource || !description)
    return answer(cudaErrorInvalidValue);
  auto texture = std::make_unique<TextureObject>();
  if (!imageOf(*resource, texture->image))
    return answer(resource->resType == cudaResourceTypeMipmappedArray ? cudaErrorNotSupported
                                                                      : cudaErrorInvalidValue);
  texture->normalizedValues = description->readMode == cudaReadModeNormalizedFloat &&
                              texture->image.format != Image::Format::Float &&
                              texture->image.channelBits < 32;
  texture->linear = description->filterMode == cudaFilterModeLinear;
  if (texture->linear && !texture->normalizedValues && texture->image.format != Image::Format::Float)
    return answer(cudaErrorInvalidFilterSetting); // integers can't be interpolated
  texture->normalized = description->normalizedCoords;
  texture->srgb = description->sRGB;
  for (unsigned i = 0; i < 3; ++i)
    texture->outside[i] = outsideOf(description->addressMode[i]);
  std::copy_n(description->borderColor, 4, texture->border.begin());
  texture->resource = *resource;
  texture->description = *description;
  *object = reinterpret_cast<cudaTextureObject_t>(static_cast<Texture *>(texture.release()));
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaDestroyTextureObject)(cudaTextureObject_t object) {
  delete static_cast<TextureObject *>(reinterpret_cast<Texture *>(object));
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGetTextureObjectResourceDesc)(cudaResourceDesc *resource, cudaTextureObject_t object) {
  if (!resource || !object)
    return answer(cudaErrorInvalidValue);
  *resource = static_cast<TextureObject *>(reinterpret_cast<Texture *>(object))->resource;
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGetTextureObjectTextureDesc)(cudaTextureDesc *description, cudaTextureObject_t object) {
  if (!description || !object)
    return answer(cudaErrorInvalidValue);
  *description = static_cast<TextureObject *>(reinterpret_cast<Texture *>(object))->description;
  return answer(cudaSuccess);
}

CUPR_CPU_API(cudaCreateSurfaceObject)(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
  if (!object || !resource || resource->resType != cudaResourceTypeArray)
    return answer(cudaErrorInvalidValue);
  auto surface = std::make_unique<SurfaceObject>();
  if (!imageOf(*resource, *surface))
    return answer(cudaErrorInvalidValue);
  surface->resource = *resource;
  *object = reinterpret_cast<cudaSurfaceObject_t>(static_cast<Image *>(surface.release()));
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaDestroySurfaceObject)(cudaSurfaceObject_t object) {
  delete static_cast<SurfaceObject *>(reinterpret_cast<Image *>(object));
  return answer(cudaSuccess);
}
CUPR_CPU_API(cudaGetSurfaceObjectResourceDesc)(cudaResourceDesc *resource, cudaSurfaceObject_t object) {
  if (!resource || !object)
    return answer(cudaErrorInvalidValue);
  *resource = static_cast<SurfaceObject *>(reinterpret_cast<Image *>(object))->resource;
  return answer(cudaSuccess);
}
