/// What arrays of the driver take.
#ifndef CUPR_RUNTIME_ARRAY_BYTES_H
#define CUPR_RUNTIME_ARRAY_BYTES_H

#include <algorithm>
#include <cstddef>
#include <cuda.h>

namespace cupr::host {

/// Elements of all levels; each has half the extent of the one before. An extent of 0 is that of a dimension which
/// the array has not got. More levels than an extent has bits add nothing that can be.
inline std::size_t arrayElements(std::size_t width, std::size_t height, std::size_t depth, unsigned levels) {
  std::size_t elements = 0;
  for (unsigned level = 0; level < std::min(levels, 64u); ++level) {
    const auto along = [level](std::size_t size) { return std::max<std::size_t>(size >> level, 1); };
    elements += along(width) * along(height) * along(depth);
  }
  return elements;
}

/// Of a component.
inline std::size_t formatBytes(CUarray_format format) {
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 2;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 4;
  default: // compressed and planar formats take less than that for some
    return 1;
  }
}

inline std::size_t arrayBytes(const CUDA_ARRAY3D_DESCRIPTOR &array, unsigned levels = 1) {
  return arrayElements(array.Width, array.Height, array.Depth, levels) * array.NumChannels *
         formatBytes(array.Format);
}

inline std::size_t arrayBytes(const CUDA_ARRAY_DESCRIPTOR &array) {
  return arrayElements(array.Width, array.Height, 0, 1) * array.NumChannels * formatBytes(array.Format);
}

} // namespace cupr::host

#endif
