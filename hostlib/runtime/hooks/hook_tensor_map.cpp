/// Tensor maps, as the program has the driver encode them: what each is made of is kept, since its 128 bytes say nothing to anybody but the
/// hardware (hostlib/trace/tensor_maps.h).
///
/// Programs seldom link the driver for that: they ask the runtime for the function (cudaGetDriverEntryPoint), and get ours here. Where they do,
/// driver_memory.S leads them here. On the CPU device there is no driver: the map is what was told.
#include "driver_call.h"
#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/session.h"
#include "hostlib/trace/tensor_maps.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

using namespace cupr::host;
using cupr::abi::TensorMap;

static_assert(sizeof(CUtensorMap) == cupr::abi::kTensorMapWords * sizeof(std::uint64_t));

namespace {

/// Bits of an element, 0: not known.
unsigned bitsOf(CUtensorMapDataType type) {
  switch (type) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8:
    return 8;
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return 16;
  case CU_TENSOR_MAP_DATA_TYPE_UINT32:
  case CU_TENSOR_MAP_DATA_TYPE_INT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
    return 32;
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return 64;
  default: // of 4 and 6 bits, which become bytes in shared memory
    return 0;
  }
}

/// What all kinds of maps are told, as the driver asks for it.
struct Tensor {
  CUtensorMapDataType type;
  cuuint32_t rank;
  void *address;
  const cuuint64_t *extents, *strides;
  const cuuint32_t *steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;
};

/// Whether `count` values are there, and all from 1 to `most`.
bool areWithin(const cuuint32_t *values, cuuint32_t count, cuuint32_t most) {
  return values &&
         std::all_of(values, values + count, [&](cuuint32_t value) { return value >= 1 && value <= most; });
}

/// False: the manual forbids it, or it is not known here.
bool describe(const Tensor &tensor, TensorMap &map) {
  map = {};
  constexpr cuuint64_t kMostElements = cuuint64_t{1} << 32, kMostStride = cuuint64_t{1} << 40;
  const unsigned bits = bitsOf(tensor.type);
  const bool isInterleaved = tensor.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE;
  const unsigned lineBytes = tensor.interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  const auto address = reinterpret_cast<std::uint64_t>(tensor.address);
  if (bits == 0 || tensor.rank < (isInterleaved ? 3 : 1) || tensor.rank > cupr::abi::kTensorRank ||
      address % lineBytes != 0 || !tensor.extents || !areWithin(tensor.steps, tensor.rank, 8) ||
      tensor.swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
    return false;
  map.mark = TensorMap::kMark;
  map.address = address;
  map.rank = static_cast<std::uint8_t>(tensor.rank);
  map.bits = static_cast<std::uint8_t>(bits);
  map.unitBits = static_cast<std::uint16_t>(isInterleaved ? 8 * lineBytes : bits);
  map.interleave = static_cast<std::uint8_t>(tensor.interleave);
  map.swizzle = static_cast<std::uint8_t>(tensor.swizzle);
  map.type = static_cast<std::uint8_t>(tensor.type);
  map.fillsNan = tensor.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  for (unsigned i = 0; i < tensor.rank; ++i) {
    if (tensor.extents[i] == 0 || tensor.extents[i] > kMostElements)
      return false;
    map.extents[i] = tensor.extents[i];
    map.steps[i] = static_cast<std::uint8_t>(tensor.steps[i]);
  }
  for (unsigned i = 0; i + 1 < tensor.rank; ++i) {
    if (!tensor.strides || tensor.strides[i] % lineBytes != 0 || tensor.strides[i] >= kMostStride)
      return false;
    map.strides[i] = tensor.strides[i];
  }
  return true;
}

bool describeTile(const Tensor &tensor, const cuuint32_t *box, TensorMap &map) {
  if (!describe(tensor, map) || !areWithin(box, tensor.rank, 256))
    return false;
  std::copy_n(box, tensor.rank, map.box);
  return map.box[0] * map.bits / 8 % 16 == 0;
}

bool describeIm2col(const Tensor &tensor, const int *lower, const int *upper, cuuint32_t channels,
                    cuuint32_t pixels, TensorMap &map) {
  // Of slices it is not known how their pixels follow each other.
  if (!describe(tensor, map) || tensor.rank < 3 || tensor.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
      !lower || !upper || channels == 0 || channels > 256 || pixels == 0 || pixels > 1024)
    return false;
  map.mode = TensorMap::Im2col;
  map.box[0] = static_cast<std::uint16_t>(channels);
  map.box[1] = static_cast<std::uint16_t>(pixels);
  std::copy_n(lower, tensor.rank - 2, map.lower);
  std::copy_n(upper, tensor.rank - 2, map.upper);
  return true;
}

/// Keeps what the driver has encoded; on the CPU device it is what is told.
CUresult keep(CUtensorMap *made, bool isKnown, const TensorMap &map) {
  if (deviceKind() == DeviceKind::Cpu) {
    if (!made || !isKnown)
      return CUDA_ERROR_INVALID_VALUE;
    std::memset(made, 0, sizeof *made);
    std::memcpy(made, &map, sizeof map);
    return CUDA_SUCCESS;
  }
  Session *const session = isKnown ? Session::current() : nullptr;
  if (session)
    session->contained([&] {
      const auto words = std::bit_cast<std::array<std::uint64_t, cupr::abi::kTensorMapWords>>(*made);
      session->tensorMaps().add(cupr::trace::TensorMaps::keyOf(words), map);
    });
  return CUDA_SUCCESS;
}

/// `encode`: the driver's call.
template <class Encode>
CUresult encoded(CUtensorMap *made, bool isKnown, const TensorMap &map, Encode encode) {
  if (deviceKind() == DeviceKind::Gpu)
    if (const CUresult result = encode(); result != CUDA_SUCCESS)
      return result;
  return keep(made, isKnown, map);
}

} // namespace

extern "C" {

CUresult cupr_driver_cuTensorMapEncodeTiled(CUtensorMap *made, CUtensorMapDataType type, cuuint32_t rank,
                                            void *address, const cuuint64_t *extents,
                                            const cuuint64_t *strides, const cuuint32_t *box,
                                            const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                            CUtensorMapFloatOOBfill fill) {
  const ApiCall apiCall;
  TensorMap map;
  const bool isKnown =
      describeTile({type, rank, address, extents, strides, steps, interleave, swizzle, fill}, box, map);
  return encoded(made, isKnown, map, [&] {
    return CUPR_DRIVER_CALL(cuTensorMapEncodeTiled, made, type, rank, address, extents, strides, box, steps,
                            interleave, swizzle, promotion, fill);
  });
}

CUresult cupr_driver_cuTensorMapEncodeIm2col(CUtensorMap *made, CUtensorMapDataType type, cuuint32_t rank,
                                             void *address, const cuuint64_t *extents,
                                             const cuuint64_t *strides, const int *lower, const int *upper,
                                             cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                                             CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                             CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const ApiCall apiCall;
  TensorMap map;
  const bool isKnown =
      describeIm2col({type, rank, address, extents, strides, steps, interleave, swizzle, fill}, lower, upper,
                     channels, pixels, map);
  return encoded(made, isKnown, map, [&] {
    return CUPR_DRIVER_CALL(cuTensorMapEncodeIm2col, made, type, rank, address, extents, strides, lower,
                            upper, channels, pixels, steps, interleave, swizzle, promotion, fill);
  });
}

CUresult cupr_driver_cuTensorMapReplaceAddress(CUtensorMap *made, void *address) {
  const ApiCall apiCall;
  TensorMap map;
  bool isKnown = false;
  if (made && deviceKind() == DeviceKind::Cpu) {
    std::memcpy(&map, made, sizeof map);
    isKnown = map.mark == TensorMap::kMark;
  } else if (Session *const session = made ? Session::current() : nullptr) {
    const auto words = std::bit_cast<std::array<std::uint64_t, cupr::abi::kTensorMapWords>>(*made);
    if (const TensorMap *const known = session->tensorMaps().find(cupr::trace::TensorMaps::keyOf(words))) {
      map = *known;
      isKnown = true;
    }
  }
  if (isKnown)
    map.address = reinterpret_cast<std::uint64_t>(address);
  return encoded(made, isKnown, map,
                 [&] { return CUPR_DRIVER_CALL(cuTensorMapReplaceAddress, made, address); });
}
}

namespace {

/// Functions of the driver that programs ask for and that the tracer has to see, or that the CPU device has.
struct OwnEntry {
  const char *name;
  void *function;
};
const OwnEntry kOwnEntries[] = {
    {"cuTensorMapEncodeTiled", reinterpret_cast<void *>(&cupr_driver_cuTensorMapEncodeTiled)},
    {"cuTensorMapEncodeIm2col", reinterpret_cast<void *>(&cupr_driver_cuTensorMapEncodeIm2col)},
    {"cuTensorMapReplaceAddress", reinterpret_cast<void *>(&cupr_driver_cuTensorMapReplaceAddress)}};

/// cudaGetDriverEntryPoint, which the toolkit's header calls old.
using EntryPoint = cudaError_t (*)(const char *, void **, unsigned long long,
                                   cudaDriverEntryPointQueryResult *);

/// `ask`: the runtime's call, which finds the driver's function.
template <class Ask>
cudaError_t entryPoint(const char *symbol, void **function, cudaDriverEntryPointQueryResult *found, Ask ask) {
  const OwnEntry *const own =
      symbol ? std::find_if(std::begin(kOwnEntries), std::end(kOwnEntries),
                            [&](const OwnEntry &entry) { return std::strcmp(entry.name, symbol) == 0; })
             : std::end(kOwnEntries);
  const bool isOwn = own != std::end(kOwnEntries) && function;
  if (deviceKind() == DeviceKind::Cpu) {
    if (!symbol || !function)
      return cudaErrorInvalidValue;
    *function = isOwn ? own->function : nullptr;
    if (found)
      *found = isOwn ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return isOwn || found ? cudaSuccess : cudaErrorSymbolNotFound;
  }
  const cudaError_t result = ask();
  if (result == cudaSuccess && isOwn && *function)
    *function = own->function;
  return result;
}

} // namespace

extern "C" {

cudaError_t cupr_hook_cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                              cudaDriverEntryPointQueryResult *found) {
  const ApiCall apiCall;
  return entryPoint(symbol, function, found, [&] {
    static const auto call = reinterpret_cast<EntryPoint>(backendFunction("cudaGetDriverEntryPoint"));
    return call(symbol, function, flags, found);
  });
}

cudaError_t cupr_hook_cudaGetDriverEntryPoint_ptsz(const char *symbol, void **function,
                                                   unsigned long long flags,
                                                   cudaDriverEntryPointQueryResult *found) {
  const ApiCall apiCall;
  return entryPoint(symbol, function, found, [&] {
    static const auto call = reinterpret_cast<EntryPoint>(backendFunction("cudaGetDriverEntryPoint_ptsz"));
    return call(symbol, function, flags, found);
  });
}

cudaError_t cupr_hook_cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                       unsigned long long flags,
                                                       cudaDriverEntryPointQueryResult *found) {
  const ApiCall apiCall;
  return entryPoint(symbol, function, found, [&] {
    return CUPR_BACKEND(cudaGetDriverEntryPointByVersion)(symbol, function, version, flags, found);
  });
}

cudaError_t cupr_hook_cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **function,
                                                            unsigned version, unsigned long long flags,
                                                            cudaDriverEntryPointQueryResult *found) {
  const ApiCall apiCall;
  return entryPoint(symbol, function, found, [&] {
    static auto *const call = reinterpret_cast<decltype(&::cudaGetDriverEntryPointByVersion)>(
        backendFunction("cudaGetDriverEntryPointByVersion_ptsz"));
    return call(symbol, function, version, flags, found);
  });
}
}
