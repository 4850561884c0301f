/// Texture objects and surface objects, as the program makes them by calls of the runtime.
#include "hostlib/runtime/driver/unlisted_call.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/memory_map.h"
#include "image_object_calls.h"

#include <cuda_runtime_api.h>

using namespace cupr::host;
using cupr::trace::ImageKind;
using cupr::trace::ImageObject;
using cupr::trace::ImageResource;

namespace {

std::string formatOf(const cudaChannelFormatDesc &channels) {
  const int bits[] = {channels.x, channels.y, channels.z, channels.w};
  unsigned count = 0;
  bool areAlike = true;
  for (; count < 4 && bits[count]; ++count)
    areAlike = areAlike && bits[count] == bits[0];
  const char letter = !areAlike || !count                           ? '\0'
                      : channels.f == cudaChannelFormatKindSigned   ? 's'
                      : channels.f == cudaChannelFormatKindUnsigned ? 'u'
                      : channels.f == cudaChannelFormatKindFloat    ? 'f'
                                                                    : '\0';
  return texelFormat(letter, static_cast<unsigned>(bits[0]), count);
}

void describeArray(ImageObject &object, cudaArray_t array) {
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  if (CUPR_BACKEND(cudaArrayGetInfo)(&channels, &extent, nullptr, array) != cudaSuccess)
    return;
  object.format = formatOf(channels);
  object.width = extent.width;
  object.height = extent.height;
  object.depth = extent.depth;
}

/// The call has accepted the description, so all of it is there.
void describe(ImageObject &object, const cudaResourceDesc &resource) {
  switch (resource.resType) {
  case cudaResourceTypeArray:
    object.resource = ImageResource::Array;
    object.memory = asNumber(resource.res.array.array);
    return describeArray(object, resource.res.array.array);
  case cudaResourceTypeMipmappedArray: {
    object.resource = ImageResource::MipmappedArray;
    object.memory = asNumber(resource.res.mipmap.mipmap);
    cudaArray_t first = nullptr;
    if (CUPR_BACKEND(cudaGetMipmappedArrayLevel)(&first, resource.res.mipmap.mipmap, 0) == cudaSuccess)
      describeArray(object, first);
    return;
  }
  case cudaResourceTypeLinear: {
    const auto &linear = resource.res.linear;
    object.resource = ImageResource::Linear;
    object.memory = asNumber(linear.devPtr);
    object.bytes = linear.sizeInBytes;
    object.format = formatOf(linear.desc);
    const auto texel =
        static_cast<std::size_t>(linear.desc.x + linear.desc.y + linear.desc.z + linear.desc.w) / 8;
    object.width = texel ? linear.sizeInBytes / texel : 0;
    return;
  }
  case cudaResourceTypePitch2D: {
    const auto &plane = resource.res.pitch2D;
    object.resource = ImageResource::Pitched;
    object.memory = asNumber(plane.devPtr);
    object.bytes = plane.pitchInBytes * plane.height;
    object.rowBytes = plane.pitchInBytes;
    object.format = formatOf(plane.desc);
    object.width = plane.width;
    object.height = plane.height;
    return;
  }
  default:
    return;
  }
}

cudaError_t announce(cudaError_t result, ImageKind kind, const char *call, const unsigned long long *handle,
                     const cudaResourceDesc *resource) {
  if (result == cudaSuccess && handle && resource)
    announceImageObject(kind, call, *handle, [&](ImageObject &object) { describe(object, *resource); });
  return result;
}

} // namespace

extern "C" {

cudaError_t cupr_hook_cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                              const cudaTextureDesc *description,
                                              const cudaResourceViewDesc *view) {
  const ApiCall apiCall;
  const UnlistedCall unlisted;
  return announce(CUPR_BACKEND(cudaCreateTextureObject)(object, resource, description, view),
                  ImageKind::Texture, "cudaCreateTextureObject", object, resource);
}

cudaError_t cupr_hook_cudaDestroyTextureObject(cudaTextureObject_t object) {
  const ApiCall apiCall;
  const UnlistedCall unlisted;
  announceImageObjectEnd(ImageKind::Texture, "cudaDestroyTextureObject", object);
  return CUPR_BACKEND(cudaDestroyTextureObject)(object);
}

cudaError_t cupr_hook_cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
  const ApiCall apiCall;
  const UnlistedCall unlisted;
  return announce(CUPR_BACKEND(cudaCreateSurfaceObject)(object, resource), ImageKind::Surface,
                  "cudaCreateSurfaceObject", object, resource);
}

cudaError_t cupr_hook_cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  const ApiCall apiCall;
  const UnlistedCall unlisted;
  announceImageObjectEnd(ImageKind::Surface, "cudaDestroySurfaceObject", object);
  return CUPR_BACKEND(cudaDestroySurfaceObject)(object);
}
}
