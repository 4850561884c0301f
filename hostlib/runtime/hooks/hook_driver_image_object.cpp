/// Texture objects and surface objects, as the program makes them by the driver's calls. driver_memory.S leads them here.
#include "driver_call.h"
#include "hostlib/runtime/driver/array_bytes.h"
#include "hostlib/runtime/paths/api_call.h"
#include "image_object_calls.h"

#include <cuda.h>

using namespace cupr::host;
using cupr::trace::ImageKind;
using cupr::trace::ImageObject;
using cupr::trace::ImageResource;

namespace {

std::string formatOf(CUarray_format format, unsigned channels) {
  char letter = 0;
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_UNSIGNED_INT32:
    letter = 'u';
    break;
  case CU_AD_FORMAT_SIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT32:
    letter = 's';
    break;
  case CU_AD_FORMAT_HALF:
  case CU_AD_FORMAT_FLOAT:
    letter = 'f';
    break;
  default:
    break;
  }
  return texelFormat(letter, static_cast<unsigned>(8 * formatBytes(format)), channels);
}

void describeArray(ImageObject &object, CUarray array) {
  static const auto descriptor =
      reinterpret_cast<decltype(&cuArray3DGetDescriptor_v2)>(Driver::find("cuArray3DGetDescriptor_v2"));
  CUDA_ARRAY3D_DESCRIPTOR found{};
  if (!descriptor || descriptor(&found, array) != CUDA_SUCCESS)
    return;
  object.format = formatOf(found.Format, found.NumChannels);
  object.width = found.Width;
  object.height = found.Height;
  object.depth = found.Depth;
}

/// The call has accepted the description, so all of it is there.
void describe(ImageObject &object, const CUDA_RESOURCE_DESC &resource) {
  const auto handle = [](const void *array) { return reinterpret_cast<std::uint64_t>(array); };
  switch (resource.resType) {
  case CU_RESOURCE_TYPE_ARRAY:
    object.resource = ImageResource::Array;
    object.memory = handle(resource.res.array.hArray);
    return describeArray(object, resource.res.array.hArray);
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: {
    static const auto level =
        reinterpret_cast<decltype(&cuMipmappedArrayGetLevel)>(Driver::find("cuMipmappedArrayGetLevel"));
    object.resource = ImageResource::MipmappedArray;
    object.memory = handle(resource.res.mipmap.hMipmappedArray);
    CUarray first = nullptr;
    if (level && level(&first, resource.res.mipmap.hMipmappedArray, 0) == CUDA_SUCCESS)
      describeArray(object, first);
    return;
  }
  case CU_RESOURCE_TYPE_LINEAR: {
    const auto &linear = resource.res.linear;
    object.resource = ImageResource::Linear;
    object.memory = linear.devPtr;
    object.bytes = linear.sizeInBytes;
    object.format = formatOf(linear.format, linear.numChannels);
    const std::size_t texel = formatBytes(linear.format) * linear.numChannels;
    object.width = texel ? linear.sizeInBytes / texel : 0;
    return;
  }
  case CU_RESOURCE_TYPE_PITCH2D: {
    const auto &plane = resource.res.pitch2D;
    object.resource = ImageResource::Pitched;
    object.memory = plane.devPtr;
    object.bytes = plane.pitchInBytes * plane.height;
    object.rowBytes = plane.pitchInBytes;
    object.format = formatOf(plane.format, plane.numChannels);
    object.width = plane.width;
    object.height = plane.height;
    return;
  }
  default:
    return;
  }
}

CUresult announce(CUresult result, ImageKind kind, const char *call, const unsigned long long *handle,
                  const CUDA_RESOURCE_DESC *resource) {
  if (result == CUDA_SUCCESS && handle && resource)
    announceImageObject(kind, call, *handle, [&](ImageObject &object) { describe(object, *resource); });
  return result;
}

} // namespace

extern "C" {

CUresult cupr_driver_cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                       const CUDA_TEXTURE_DESC *description,
                                       const CUDA_RESOURCE_VIEW_DESC *view) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuTexObjectCreate, object, resource, description, view),
                  ImageKind::Texture, "cuTexObjectCreate", object, resource);
}

CUresult cupr_driver_cuTexObjectDestroy(CUtexObject object) {
  const ApiCall apiCall;
  announceImageObjectEnd(ImageKind::Texture, "cuTexObjectDestroy", object);
  return CUPR_DRIVER_CALL(cuTexObjectDestroy, object);
}

CUresult cupr_driver_cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
  const ApiCall apiCall;
  return announce(CUPR_DRIVER_CALL(cuSurfObjectCreate, object, resource), ImageKind::Surface,
                  "cuSurfObjectCreate", object, resource);
}

CUresult cupr_driver_cuSurfObjectDestroy(CUsurfObject object) {
  const ApiCall apiCall;
  announceImageObjectEnd(ImageKind::Surface, "cuSurfObjectDestroy", object);
  return CUPR_DRIVER_CALL(cuSurfObjectDestroy, object);
}
}
