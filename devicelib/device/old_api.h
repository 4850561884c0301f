/// What the CUDA runtime had until CUDA 11 or 12, in terms of what CUDA 13 has: old programs compile unchanged.
///
///     cupr++ -include cupr/old_api.h app.cu
///     nvcc -include PREFIX/include/cupr/old_api.h app.cu
///
/// - Calls with other names: cudaThreadSynchronize, cudaThreadExit and their like.
/// - Members of cudaDeviceProp: clockRate, deviceOverlap, computeMode and others.
/// - Texture references: texture<T, type, mode>, cudaBindTexture, cudaBindTexture2D, cudaBindTextureToArray,
///   cudaUnbindTexture; tex1Dfetch, tex1D, tex2D, tex3D of a reference.
///
/// A reference is a variable in constant memory that holds a texture object, which binding makes anew. Host code finds
/// what a program has set of it (filterMode, normalized, ...) in the variable's copy on the host. Clang leaves that copy
/// unset where the variable has a value, so a reference can't have one: all of it is zero, and zero means what was the
/// default; constructors with arguments are missing. `texture` is a macro: headers that use the word
/// otherwise, as those of OpenGL, stand before this one (-include GL/glew.h -include cupr/old_api.h).
///
/// Not there: symbols named by strings, surface references, references with constructors' arguments, the driver's.
///
/// For user programs: C++11, also C (the calls with other names alone).
#ifndef CUPR_OLD_API_H
#define CUPR_OLD_API_H

#ifdef __cplusplus
#include <cuda_runtime.h>
#endif

#define cudaThreadExit cudaDeviceReset
#define cudaThreadGetCacheConfig cudaDeviceGetCacheConfig
#define cudaThreadGetLimit cudaDeviceGetLimit
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define cudaThreadSetLimit cudaDeviceSetLimit
#define cudaThreadSynchronize cudaDeviceSynchronize

#if defined(__cplusplus) && CUDART_VERSION >= 13000

/// cudaDeviceProp with the members that CUDA 13 has no more.
struct cupr_old_device_properties : cudaDeviceProp {
  int clockRate; ///< kHz
  int computeMode;
  int cooperativeMultiDeviceLaunch;
  int deviceOverlap;
  int kernelExecTimeoutEnabled;
  int maxTexture1DLinear; ///< elements
  int memoryClockRate;    ///< kHz
  int singleToDoublePrecisionPerfRatio;
};

inline cudaError_t cudaGetDeviceProperties(cupr_old_device_properties *properties, int device) {
  const cudaError_t error = cudaGetDeviceProperties(static_cast<cudaDeviceProp *>(properties), device);
  if (error != cudaSuccess)
    return error;
  const struct {
    int *value;
    cudaDeviceAttr attribute;
  } all[] = {{&properties->clockRate, cudaDevAttrClockRate},
             {&properties->computeMode, cudaDevAttrComputeMode},
             {&properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
             {&properties->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth},
             {&properties->memoryClockRate, cudaDevAttrMemoryClockRate},
             {&properties->singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio}};
  properties->cooperativeMultiDeviceLaunch = 0;
  properties->deviceOverlap = 1; // all that CUDA 13 runs on copy while a kernel runs
  for (const auto &each : all)
    if (cudaDeviceGetAttribute(each.value, each.attribute, device) != cudaSuccess)
      *each.value = 0;
  return cudaSuccess;
}

#define cudaDeviceProp cupr_old_device_properties

#endif

#if defined(__cplusplus) && defined(__CUDACC__) && CUDART_VERSION >= 12000

#ifndef __clang__
// Host code reads and writes its own copy of a variable of the device, and means to.
#pragma nv_diag_suppress 20091, 20092
#endif

namespace cupr {
namespace old {

/// One of a reference's address modes, whose zero is cudaAddressModeClamp.
struct AddressMode {
  int stored;

  AddressMode &operator=(cudaTextureAddressMode mode) {
    stored = static_cast<int>(mode) ^ static_cast<int>(cudaAddressModeClamp);
    return *this;
  }
};

struct Settings {
  cudaTextureObject_t object; ///< what is bound, or 0
  int normalized;
  cudaTextureFilterMode filterMode;
  AddressMode addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};

template <class Element, int Type = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType>
struct Reference : Settings {};

/// What a fetch gives: the element, or floats from 0 or -1 to 1.
template <class Element, cudaTextureReadMode Mode> struct Fetched {
  typedef Element Type;
};
#define CUPR_OLD_NORMALIZED(element, suffix)                                                                 \
  template <> struct Fetched<element, cudaReadModeNormalizedFloat> {                                         \
    typedef float suffix Type;                                                                               \
  };
#define CUPR_OLD_NORMALIZED_VECTOR(element, width)                                                           \
  template <> struct Fetched<element##width, cudaReadModeNormalizedFloat> {                                  \
    typedef float##width Type;                                                                               \
  };
#define CUPR_OLD_NORMALIZED_VECTORS(element)                                                                 \
  CUPR_OLD_NORMALIZED_VECTOR(element, 1)                                                                     \
  CUPR_OLD_NORMALIZED_VECTOR(element, 2)                                                                     \
  CUPR_OLD_NORMALIZED_VECTOR(element, 4)
CUPR_OLD_NORMALIZED(char, )
CUPR_OLD_NORMALIZED(signed char, )
CUPR_OLD_NORMALIZED(unsigned char, )
CUPR_OLD_NORMALIZED(short, )
CUPR_OLD_NORMALIZED(unsigned short, )
CUPR_OLD_NORMALIZED_VECTORS(char)
CUPR_OLD_NORMALIZED_VECTORS(uchar)
CUPR_OLD_NORMALIZED_VECTORS(short)
CUPR_OLD_NORMALIZED_VECTORS(ushort)
#undef CUPR_OLD_NORMALIZED
#undef CUPR_OLD_NORMALIZED_VECTOR
#undef CUPR_OLD_NORMALIZED_VECTORS

/// Puts `object` in place of what is bound to the reference at `settings`.
inline cudaError_t replace(const Settings &settings, cudaTextureObject_t object) {
  const cudaError_t error = cudaMemcpyToSymbol(settings, &object, sizeof object);
  if (error != cudaSuccess)
    return error;
  volatile cudaTextureObject_t &bound = const_cast<Settings &>(settings).object;
  const cudaTextureObject_t before = bound;
  bound = object;
  return before ? cudaDestroyTextureObject(before) : cudaSuccess;
}

/// Binds `memory` with the reference's settings.
inline cudaError_t bind(const Settings &settings, cudaTextureReadMode mode, const cudaResourceDesc &memory) {
  // The compiler knows of no store to this copy, and is not to conclude anything from that.
  const volatile Settings &set = settings;
  cudaTextureDesc how = {};
  for (int axis = 0; axis < 3; ++axis)
    how.addressMode[axis] = static_cast<cudaTextureAddressMode>(set.addressMode[axis].stored ^
                                                                static_cast<int>(cudaAddressModeClamp));
  how.filterMode = set.filterMode;
  how.readMode = mode;
  how.sRGB = set.sRGB;
  how.normalizedCoords = set.normalized;
  how.maxAnisotropy = set.maxAnisotropy;
  how.mipmapFilterMode = set.mipmapFilterMode;
  how.mipmapLevelBias = set.mipmapLevelBias;
  how.minMipmapLevelClamp = set.minMipmapLevelClamp;
  how.maxMipmapLevelClamp = set.maxMipmapLevelClamp;
  cudaTextureObject_t object = 0;
  const cudaError_t error = cudaCreateTextureObject(&object, &memory, &how, nullptr);
  return error == cudaSuccess ? replace(settings, object) : error;
}

/// Bytes from the last address before `pointer` at which a texture may begin; the program adds them to its coordinates.
/// `offset`: where they go; null: there are to be none.
inline cudaError_t align(size_t *offset, const void *pointer, size_t *bytes) {
  int device = 0, alignment = 1;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, device);
  if (error != cudaSuccess)
    return error;
  *bytes = reinterpret_cast<size_t>(pointer) % static_cast<size_t>(alignment);
  if (offset)
    *offset = *bytes;
  return offset || !*bytes ? cudaSuccess : cudaErrorInvalidValue;
}

inline cudaError_t bindLinear(size_t *offset, const Settings &settings, cudaTextureReadMode mode,
                              const void *pointer, const cudaChannelFormatDesc &channels, size_t size) {
  size_t before = 0;
  int device = 0, elements = 0;
  cudaError_t error = align(offset, pointer, &before);
  if (error == cudaSuccess)
    error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&elements, cudaDevAttrMaxTexture1DLinearWidth, device);
  if (error != cudaSuccess)
    return error;
  const size_t element = static_cast<size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeLinear;
  memory.res.linear.devPtr = static_cast<char *>(const_cast<void *>(pointer)) - before;
  memory.res.linear.desc = channels;
  // By default a reference had as much as it could have; the CPU device has no limit, and says 0.
  const size_t most = elements ? static_cast<size_t>(elements) : size_t(1) << 27;
  memory.res.linear.sizeInBytes = size == UINT_MAX ? most * element : size + before;
  return bind(settings, mode, memory);
}

inline cudaError_t bindPitched(size_t *offset, const Settings &settings, cudaTextureReadMode mode,
                               const void *pointer, const cudaChannelFormatDesc &channels, size_t width,
                               size_t height, size_t pitch) {
  size_t before = 0;
  const cudaError_t error = align(offset, pointer, &before);
  if (error != cudaSuccess)
    return error;
  const size_t element = static_cast<size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypePitch2D;
  memory.res.pitch2D.devPtr = static_cast<char *>(const_cast<void *>(pointer)) - before;
  memory.res.pitch2D.desc = channels;
  memory.res.pitch2D.width = width + before / element;
  memory.res.pitch2D.height = height;
  memory.res.pitch2D.pitchInBytes = pitch;
  return bind(settings, mode, memory);
}

inline cudaError_t bindArray(const Settings &settings, cudaTextureReadMode mode, cudaArray_const_t array) {
  cudaResourceDesc memory = {};
  memory.resType = cudaResourceTypeArray;
  memory.res.array.array = const_cast<cudaArray_t>(array);
  return bind(settings, mode, memory);
}

} // namespace old
} // namespace cupr

#define CUPR_OLD_TEMPLATE template <class Element, int Type, cudaTextureReadMode Mode>
#define CUPR_OLD_REFERENCE const cupr::old::Reference<Element, Type, Mode>

CUPR_OLD_TEMPLATE cudaError_t cudaBindTexture(size_t *offset, CUPR_OLD_REFERENCE &reference,
                                              const void *pointer, const cudaChannelFormatDesc &channels,
                                              size_t size = UINT_MAX) {
  return cupr::old::bindLinear(offset, reference, Mode, pointer, channels, size);
}
CUPR_OLD_TEMPLATE cudaError_t cudaBindTexture(size_t *offset, CUPR_OLD_REFERENCE &reference,
                                              const void *pointer, size_t size = UINT_MAX) {
  return cupr::old::bindLinear(offset, reference, Mode, pointer, cudaCreateChannelDesc<Element>(), size);
}
CUPR_OLD_TEMPLATE cudaError_t cudaBindTexture(size_t *offset, CUPR_OLD_REFERENCE *reference,
                                              const void *pointer, const cudaChannelFormatDesc *channels,
                                              size_t size = UINT_MAX) {
  return cupr::old::bindLinear(offset, *reference, Mode, pointer, *channels, size);
}

CUPR_OLD_TEMPLATE cudaError_t cudaBindTexture2D(size_t *offset, CUPR_OLD_REFERENCE &reference,
                                                const void *pointer, const cudaChannelFormatDesc &channels,
                                                size_t width, size_t height, size_t pitch) {
  return cupr::old::bindPitched(offset, reference, Mode, pointer, channels, width, height, pitch);
}
CUPR_OLD_TEMPLATE cudaError_t cudaBindTexture2D(size_t *offset, CUPR_OLD_REFERENCE &reference,
                                                const void *pointer, size_t width, size_t height,
                                                size_t pitch) {
  return cupr::old::bindPitched(offset, reference, Mode, pointer, cudaCreateChannelDesc<Element>(), width,
                                height, pitch);
}
CUPR_OLD_TEMPLATE cudaError_t cudaBindTexture2D(size_t *offset, CUPR_OLD_REFERENCE *reference,
                                                const void *pointer, const cudaChannelFormatDesc *channels,
                                                size_t width, size_t height, size_t pitch) {
  return cupr::old::bindPitched(offset, *reference, Mode, pointer, *channels, width, height, pitch);
}

CUPR_OLD_TEMPLATE cudaError_t cudaBindTextureToArray(CUPR_OLD_REFERENCE &reference, cudaArray_const_t array) {
  return cupr::old::bindArray(reference, Mode, array);
}
CUPR_OLD_TEMPLATE cudaError_t cudaBindTextureToArray(CUPR_OLD_REFERENCE &reference, cudaArray_const_t array,
                                                     const cudaChannelFormatDesc &) {
  return cupr::old::bindArray(reference, Mode, array);
}
CUPR_OLD_TEMPLATE cudaError_t cudaBindTextureToArray(CUPR_OLD_REFERENCE *reference, cudaArray_const_t array,
                                                     const cudaChannelFormatDesc *) {
  return cupr::old::bindArray(*reference, Mode, array);
}

CUPR_OLD_TEMPLATE cudaError_t cudaUnbindTexture(CUPR_OLD_REFERENCE &reference) {
  return cupr::old::replace(reference, 0);
}
CUPR_OLD_TEMPLATE cudaError_t cudaUnbindTexture(CUPR_OLD_REFERENCE *reference) {
  return cupr::old::replace(*reference, 0);
}

#define CUPR_OLD_FETCH                                                                                       \
  CUPR_OLD_TEMPLATE __device__ __forceinline__ typename cupr::old::Fetched<Element, Mode>::Type
CUPR_OLD_FETCH tex1Dfetch(CUPR_OLD_REFERENCE &reference, int x) {
  return tex1Dfetch<typename cupr::old::Fetched<Element, Mode>::Type>(reference.object, x);
}
CUPR_OLD_FETCH tex1D(CUPR_OLD_REFERENCE &reference, float x) {
  return tex1D<typename cupr::old::Fetched<Element, Mode>::Type>(reference.object, x);
}
CUPR_OLD_FETCH tex2D(CUPR_OLD_REFERENCE &reference, float x, float y) {
  return tex2D<typename cupr::old::Fetched<Element, Mode>::Type>(reference.object, x, y);
}
CUPR_OLD_FETCH tex3D(CUPR_OLD_REFERENCE &reference, float x, float y, float z) {
  return tex3D<typename cupr::old::Fetched<Element, Mode>::Type>(reference.object, x, y, z);
}

#undef CUPR_OLD_FETCH
#undef CUPR_OLD_REFERENCE
#undef CUPR_OLD_TEMPLATE

#define texture __constant__ cupr::old::Reference

#endif

#endif
