// Copies by tensor maps, each against arithmetic for each element: where it comes from, where it goes, and what is read outside of the
// tensor. Prints a line for each copy: its name, how many elements differ, and how many bytes of global memory it reaches.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    if (const cudaError_t error = (call); error != cudaSuccess) {                                            \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));                                             \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

constexpr int kThreads = 64, kMostBytes = 32 << 10;

struct Place {
  int at[5];
  unsigned short offsets[3];
};

__device__ unsigned windowOf(const void *shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

#define TO_SHARED(dimensions, mode) "cp.async.bulk.tensor." dimensions ".shared::cluster.global." mode ".mbarrier::complete_tx::bytes "
#define TO_GLOBAL(dimensions) "cp.async.bulk.tensor." dimensions ".global.shared::cta.tile.bulk_group "
#define ADD(dimensions) "cp.reduce.async.bulk.tensor." dimensions ".global.shared::cta.add.tile.bulk_group "

template <int rank, bool isIm2col>
__device__ void load(unsigned to, const CUtensorMap *map, const Place &p, unsigned barrier) {
  if constexpr (isIm2col && rank == 3)
    asm volatile(TO_SHARED("3d", "im2col") "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(to), "l"(map), "r"(p.at[0]), "r"(p.at[1]),
                 "r"(p.at[2]), "r"(barrier), "h"(p.offsets[0])
                 : "memory");
  else if constexpr (isIm2col && rank == 4)
    asm volatile(TO_SHARED("4d", "im2col") "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to), "l"(map), "r"(p.at[0]),
                 "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(barrier), "h"(p.offsets[0]), "h"(p.offsets[1])
                 : "memory");
  else if constexpr (isIm2col)
    asm volatile(TO_SHARED("5d", "im2col") "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(to), "l"(map), "r"(p.at[0]),
                 "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4]), "r"(barrier), "h"(p.offsets[0]), "h"(p.offsets[1]),
                 "h"(p.offsets[2])
                 : "memory");
  else if constexpr (rank == 1)
    asm volatile(TO_SHARED("1d", "tile") "[%0], [%1, {%2}], [%3];" ::"r"(to), "l"(map), "r"(p.at[0]), "r"(barrier) : "memory");
  else if constexpr (rank == 2)
    asm volatile(TO_SHARED("2d", "tile") "[%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(p.at[0]), "r"(p.at[1]), "r"(barrier)
                 : "memory");
  else if constexpr (rank == 3)
    asm volatile(TO_SHARED("3d", "tile") "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to), "l"(map), "r"(p.at[0]), "r"(p.at[1]),
                 "r"(p.at[2]), "r"(barrier)
                 : "memory");
  else if constexpr (rank == 4)
    asm volatile(TO_SHARED("4d", "tile") "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to), "l"(map), "r"(p.at[0]), "r"(p.at[1]),
                 "r"(p.at[2]), "r"(p.at[3]), "r"(barrier)
                 : "memory");
  else
    asm volatile(TO_SHARED("5d", "tile") "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(to), "l"(map), "r"(p.at[0]), "r"(p.at[1]),
                 "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4]), "r"(barrier)
                 : "memory");
}

template <int rank, bool adds> __device__ void store(const CUtensorMap *map, const Place &p, unsigned from) {
  if constexpr (adds && rank == 2)
    asm volatile(ADD("2d") "[%0, {%1, %2}], [%3];" ::"l"(map), "r"(p.at[0]), "r"(p.at[1]), "r"(from) : "memory");
  else if constexpr (rank == 2)
    asm volatile(TO_GLOBAL("2d") "[%0, {%1, %2}], [%3];" ::"l"(map), "r"(p.at[0]), "r"(p.at[1]), "r"(from) : "memory");
  else
    asm volatile(TO_GLOBAL("3d") "[%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(from)
                 : "memory");
}

// One copy to shared memory; what has come goes to `out`.
template <int rank, bool isIm2col>
__global__ void loads(const __grid_constant__ CUtensorMap map, const __grid_constant__ Place place, unsigned bytes, unsigned *out) {
  extern __shared__ __align__(1024) unsigned char box[];
  __shared__ unsigned long long barrier;
  const unsigned at = windowOf(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    load<rank, isIm2col>(windowOf(box), &map, place, at);
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" ::"r"(at) : "memory");
  for (unsigned i = threadIdx.x; i < bytes / 4; i += kThreads)
    out[i] = reinterpret_cast<unsigned *>(box)[i];
}

// One copy of `in` to global memory.
template <int rank, bool adds>
__global__ void stores(const __grid_constant__ CUtensorMap map, const __grid_constant__ Place place, unsigned bytes,
                       const unsigned *in) {
  extern __shared__ __align__(1024) unsigned char box[];
  for (unsigned i = threadIdx.x; i < bytes / 4; i += kThreads)
    reinterpret_cast<unsigned *>(box)[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    store<rank, adds>(&map, place, windowOf(box));
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

struct Copy {
  const char *name;
  CUtensorMapDataType type;
  int elementBytes, rank; // where slices are the elements, theirs
  cuuint64_t extents[5];
  cuuint32_t box[5], steps[5];
  Place place;
  CUtensorMapSwizzle swizzle;
  CUtensorMapInterleave interleave;
  bool isNan; // what lies outside
  // Of im2col: the box is channels and pixels.
  bool isIm2col;
  int lower[3], upper[3];
};

decltype(&cuTensorMapEncodeTiled) encodeTiled;
decltype(&cuTensorMapEncodeIm2col) encodeIm2col;

CUtensorMap encode(const Copy &copy, void *memory, const cuuint64_t *strides) {
  CUtensorMap map;
  const CUtensorMapFloatOOBfill fill =
      copy.isNan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  const auto rank = static_cast<cuuint32_t>(copy.rank);
  const CUresult result =
      copy.isIm2col
          ? encodeIm2col(&map, copy.type, rank, memory, copy.extents, strides, copy.lower, copy.upper, copy.box[0], copy.box[1],
                         copy.steps, copy.interleave, copy.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill)
          : encodeTiled(&map, copy.type, rank, memory, copy.extents, strides, copy.box, copy.steps, copy.interleave, copy.swizzle,
                        CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  if (result != CUDA_SUCCESS) {
    std::printf("%s: the map is refused: %d\n", copy.name, static_cast<int>(result));
    std::exit(1);
  }
  return map;
}

// Element `number` of the box: whether it is of the tensor, and its bytes from the beginning.
struct Element {
  bool isInside;
  std::uint64_t offset;
};

// Dimension `i` counts slices, of which a copy brings one.
bool isOneSlice(const Copy &copy, int i) { return copy.interleave && i == copy.rank - 2; }

Element elementOf(const Copy &copy, const cuuint64_t *strides, std::uint64_t number) {
  long long at[5];
  if (copy.isIm2col) {
    // Positions of the bounding box have one number after the other.
    at[0] = copy.place.at[0] + static_cast<long long>(number % copy.box[0]);
    std::uint64_t counts[3], position = static_cast<std::uint64_t>(copy.place.at[copy.rank - 1]);
    for (int i = copy.rank - 3; i >= 0; --i) {
      const std::uint64_t step = copy.steps[i + 1];
      counts[i] = (copy.extents[i + 1] + static_cast<std::uint64_t>(copy.upper[i] - copy.lower[i]) + step - 1) / step;
      position = position * counts[i] + static_cast<std::uint64_t>(copy.place.at[i + 1] - copy.lower[i]) / step;
    }
    position += number / copy.box[0];
    for (int i = 0; i < copy.rank - 2; ++i) {
      at[i + 1] = copy.lower[i] + static_cast<long long>(position % counts[i] * copy.steps[i + 1]) + copy.place.offsets[i];
      position /= counts[i];
    }
    at[copy.rank - 1] = static_cast<long long>(position);
  } else {
    for (int i = 0; i < copy.rank; ++i) {
      const unsigned step = i == 0 && !copy.interleave ? 1 : copy.steps[i];
      const std::uint64_t count = isOneSlice(copy, i) ? 1 : (copy.box[i] + step - 1) / step;
      at[i] = copy.place.at[i] + static_cast<long long>(number % count * step);
      number /= count;
    }
  }
  Element element{true, static_cast<std::uint64_t>(at[0]) * static_cast<unsigned>(copy.elementBytes)};
  for (int i = 0; i < copy.rank; ++i) {
    element.isInside &= at[i] >= 0 && at[i] < static_cast<long long>(copy.extents[i]);
    if (i > 0)
      element.offset += static_cast<std::uint64_t>(at[i]) * strides[i - 1];
  }
  return element;
}

std::uint64_t placeInBox(const Copy &copy, std::uint64_t byte) {
  const unsigned bits = copy.swizzle == CU_TENSOR_MAP_SWIZZLE_32B   ? 1
                        : copy.swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 3
                        : copy.swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? 7
                                                                     : 0;
  const std::uint64_t piece = byte / 16;
  return (piece ^ (piece / 8 & bits)) * 16 + byte % 16;
}

bool isNan(const Copy &copy, const unsigned char *bytes) {
  if (copy.elementBytes == 4) {
    float value;
    std::memcpy(&value, bytes, sizeof value);
    return std::isnan(value);
  }
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0;
}

enum class Way { Load, Store, Add };

template <int rank, bool isIm2col> void launchLoad(const CUtensorMap &map, const Place &place, unsigned bytes, unsigned *out) {
  CHECK(cudaFuncSetAttribute(loads<rank, isIm2col>, cudaFuncAttributeMaxDynamicSharedMemorySize, kMostBytes));
  loads<rank, isIm2col><<<1, kThreads, kMostBytes>>>(map, place, bytes, out);
}

void run(const Copy &copy, Way way) {
  cuuint64_t strides[5], memoryBytes = copy.extents[0] * static_cast<unsigned>(copy.elementBytes);
  for (int i = 0; i < copy.rank - 1; ++i) {
    strides[i] = (memoryBytes + 31) / 32 * 32 + (i == 0 ? 32 : 0); // rows and planes have gaps
    memoryBytes = strides[i] * copy.extents[i + 1];
  }
  std::uint64_t elements = copy.box[0];
  if (!copy.isIm2col && copy.interleave)
    elements = (copy.box[0] + copy.steps[0] - 1) / copy.steps[0];
  for (int i = 1; i < (copy.isIm2col ? 2 : copy.rank); ++i)
    elements *= isOneSlice(copy, i) ? 1 : copy.isIm2col ? copy.box[i] : (copy.box[i] + copy.steps[i] - 1) / copy.steps[i];
  const auto size = static_cast<std::size_t>(copy.elementBytes);
  const unsigned bytes = static_cast<unsigned>(elements * size);
  std::vector<unsigned char> memory(memoryBytes), box(bytes), expected;
  // All elements differ, and none is a NaN.
  for (std::uint64_t i = 0; i + size <= memoryBytes; i += size) {
    const std::uint64_t value[4] = {i / size % 15000 + 1};
    std::memcpy(&memory[i], value, size);
  }
  for (std::uint64_t i = 0; i + size <= bytes; i += size) {
    const std::uint64_t value[4] = {i / size % 7000 + 20000};
    std::memcpy(&box[i], value, size);
  }
  unsigned char *onDevice;
  unsigned *boxOnDevice;
  CHECK(cudaMalloc(&onDevice, memoryBytes));
  CHECK(cudaMalloc(&boxOnDevice, bytes));
  CHECK(cudaMemcpy(onDevice, memory.data(), memoryBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(boxOnDevice, box.data(), bytes, cudaMemcpyHostToDevice));
  const CUtensorMap map = encode(copy, onDevice, strides);
  if (way == Way::Load) {
    if (copy.isIm2col)
      copy.rank == 3   ? launchLoad<3, true>(map, copy.place, bytes, boxOnDevice)
      : copy.rank == 4 ? launchLoad<4, true>(map, copy.place, bytes, boxOnDevice)
                       : launchLoad<5, true>(map, copy.place, bytes, boxOnDevice);
    else
      copy.rank == 1   ? launchLoad<1, false>(map, copy.place, bytes, boxOnDevice)
      : copy.rank == 2 ? launchLoad<2, false>(map, copy.place, bytes, boxOnDevice)
      : copy.rank == 3 ? launchLoad<3, false>(map, copy.place, bytes, boxOnDevice)
      : copy.rank == 4 ? launchLoad<4, false>(map, copy.place, bytes, boxOnDevice)
                       : launchLoad<5, false>(map, copy.place, bytes, boxOnDevice);
  } else if (way == Way::Add) {
    stores<2, true><<<1, kThreads, kMostBytes>>>(map, copy.place, bytes, boxOnDevice);
  } else if (copy.rank == 2) {
    stores<2, false><<<1, kThreads, kMostBytes>>>(map, copy.place, bytes, boxOnDevice);
  } else {
    stores<3, false><<<1, kThreads, kMostBytes>>>(map, copy.place, bytes, boxOnDevice);
  }
  CHECK(cudaDeviceSynchronize());

  unsigned wrong = 0;
  std::uint64_t reached = 0;
  std::vector<unsigned char> after(memoryBytes), boxAfter(bytes);
  CHECK(cudaMemcpy(after.data(), onDevice, memoryBytes, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(boxAfter.data(), boxOnDevice, bytes, cudaMemcpyDeviceToHost));
  expected = memory;
  for (std::uint64_t i = 0; i < elements; ++i) {
    const Element element = elementOf(copy, strides, i);
    unsigned char inBox[32]; // pieces of 16 bytes may lie apart
    for (std::size_t byte = 0; byte < size; ++byte)
      inBox[byte] = boxAfter[placeInBox(copy, i * size + byte)];
    reached += element.isInside ? size : 0;
    if (way == Way::Load) {
      const unsigned char zeros[32] = {};
      wrong += element.isInside ? std::memcmp(inBox, &memory[element.offset], size) != 0
               : copy.isNan     ? !isNan(copy, inBox)
                                : std::memcmp(inBox, zeros, size) != 0;
    } else if (element.isInside) {
      std::uint32_t value = 0, sum = 0;
      std::memcpy(&value, inBox, size);
      std::memcpy(&sum, &memory[element.offset], size);
      sum = way == Way::Add ? sum + value : value;
      std::memcpy(&expected[element.offset], &sum, size);
    }
  }
  for (std::uint64_t i = 0; i < memoryBytes; i += size)
    wrong += std::memcmp(&after[i], &expected[i], size) != 0;
  std::printf("%s: %u of %llu differ, %llu bytes of memory, %u of the box\n", copy.name, wrong,
              static_cast<unsigned long long>(elements), static_cast<unsigned long long>(reached), bytes);
  CHECK(cudaFree(onDevice));
  CHECK(cudaFree(boxOnDevice));
}

template <class Function> void find(const char *name, Function &function) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess) {
    std::printf("the driver has no %s\n", name);
    std::exit(1);
  }
  function = reinterpret_cast<Function>(found);
}

int main(int arguments, char **values) {
  find("cuTensorMapEncodeTiled", encodeTiled);
  find("cuTensorMapEncodeIm2col", encodeIm2col);
  constexpr auto u8 = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  constexpr auto u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  constexpr auto f16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  constexpr auto f32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  constexpr auto plain = CU_TENSOR_MAP_SWIZZLE_NONE;
  constexpr auto none = CU_TENSOR_MAP_INTERLEAVE_NONE;
  if (arguments > 1) { // copies that the hardware refuses
    if (std::strcmp(values[1], "odd") == 0)
      run({"odd", u32, 4, 1, {1000}, {64}, {1}, {{3}}, plain, none}, Way::Load);
    else
      run({"negative", u32, 4, 2, {200, 100}, {32, 32}, {1, 1}, {{0, -1}}, plain, none}, Way::Store);
    return 0;
  }
  const Copy copies[] = {
      {"vector", u32, 4, 1, {1000}, {64}, {1}, {{128}}, plain, none},
      {"vector from its left", u32, 4, 1, {1000}, {64}, {1}, {{-12}}, plain, none},
      {"vector to its right", u32, 4, 1, {1000}, {64}, {1}, {{980}}, plain, none},
      {"vector beside", u32, 4, 1, {1000}, {64}, {1}, {{2000}}, plain, none},
      {"matrix", f16, 2, 2, {200, 100}, {64, 32}, {1, 1}, {{64, 8}}, plain, none},
      {"matrix, whole rows", u8, 1, 2, {64, 100}, {64, 32}, {1, 1}, {{0, 8}}, plain, none},
      {"matrix, corner", f16, 2, 2, {200, 100}, {64, 32}, {1, 1}, {{184, 90}}, plain, none},
      {"matrix, other corner", f16, 2, 2, {200, 100}, {64, 32}, {1, 1}, {{-8, -5}}, plain, none},
      {"matrix, NaNs", f32, 4, 2, {100, 100}, {32, 16}, {1, 1}, {{92, 92}}, plain, none, true},
      {"matrix of halves, NaNs", f16, 2, 2, {100, 100}, {32, 16}, {1, 1}, {{88, 92}}, plain, none, true},
      {"matrix, swizzle 32", f16, 2, 2, {200, 100}, {16, 32}, {1, 1}, {{16, 8}}, CU_TENSOR_MAP_SWIZZLE_32B, none},
      {"matrix, swizzle 64", f16, 2, 2, {200, 100}, {32, 32}, {1, 1}, {{16, 8}}, CU_TENSOR_MAP_SWIZZLE_64B, none},
      {"matrix, swizzle 128", f16, 2, 2, {200, 100}, {64, 64}, {1, 1}, {{64, 60}}, CU_TENSOR_MAP_SWIZZLE_128B, none},
      {"matrix, steps", u32, 4, 2, {64, 100}, {32, 32}, {1, 3}, {{8, 40}}, plain, none},
      {"matrix, steps inside", u32, 4, 2, {64, 100}, {32, 32}, {4, 2}, {{8, 40}}, plain, none},
      {"volume", u32, 4, 3, {40, 30, 20}, {16, 8, 4}, {1, 1, 1}, {{28, 25, 18}}, plain, none},
      {"volume, steps", u32, 4, 3, {40, 30, 20}, {16, 8, 8}, {1, 2, 4}, {{4, -3, 10}}, plain, none},
      {"4 dimensions", f16, 2, 4, {24, 10, 9, 8}, {16, 4, 3, 2}, {1, 1, 1, 1}, {{8, 3, 7, 6}}, plain, none},
      {"5 dimensions", f16, 2, 5, {24, 10, 9, 8, 7}, {16, 4, 3, 2, 2}, {1, 1, 1, 1, 1}, {{8, 3, 7, 6, 6}}, plain, none},
      {"slices of 16 bytes", f16, 16, 3, {20, 3, 12}, {8, 16, 4}, {1, 1, 1}, {{3, 1, 2}}, plain, CU_TENSOR_MAP_INTERLEAVE_16B},
      {"slices, corner", f16, 16, 3, {20, 3, 12}, {8, 16, 4}, {1, 1, 1}, {{-3, 2, 10}}, plain, CU_TENSOR_MAP_INTERLEAVE_16B},
      {"slices, steps", f16, 16, 4, {20, 9, 3, 5}, {16, 8, 16, 2}, {2, 3, 1, 1}, {{5, 1, 1, 2}}, plain, CU_TENSOR_MAP_INTERLEAVE_16B},
      {"slices of 32 bytes", f16, 32, 4, {20, 9, 3, 5}, {8, 4, 32, 2}, {1, 1, 1, 1}, {{1, 2, 1, 2}}, CU_TENSOR_MAP_SWIZZLE_32B,
       CU_TENSOR_MAP_INTERLEAVE_32B},
      {"pixels of a line", f16, 2, 3, {32, 20, 4}, {16, 24}, {1, 1, 1}, {{8, 3, 1}, {2}}, plain, none, false, true, {-1}, {-1}},
      {"pixels of an image", f16, 2, 4, {32, 12, 10, 4}, {32, 64}, {1, 1, 1, 1}, {{0, 2, 7, 1}, {2, 1}}, plain, none, false, true,
       {-1, -1}, {-1, -1}},
      {"pixels, steps", f16, 2, 4, {32, 13, 11, 4}, {32, 32}, {1, 2, 2, 1}, {{0, 1, 3, 1}, {1, 2}}, plain, none, false, true,
       {-1, -1}, {-1, -1}},
      {"pixels, swizzle", f16, 2, 4, {64, 12, 10, 4}, {64, 64}, {1, 1, 1, 1}, {{0, -1, 8, 2}, {0, 2}}, CU_TENSOR_MAP_SWIZZLE_128B,
       none, false, true, {-1, -1}, {-1, -1}},
      {"voxels", f16, 2, 5, {16, 6, 5, 4, 3}, {16, 100}, {1, 1, 1, 1, 1}, {{0, 2, 1, 2, 0}, {1, 2, 0}}, plain, none, false, true,
       {-1, -1, -1}, {-1, -1, -1}},
  };
  for (const Copy &copy : copies)
    run(copy, Way::Load);
  const Copy written[] = {
      {"store", f16, 2, 2, {200, 100}, {64, 32}, {1, 1}, {{64, 8}}, plain, none},
      {"store, corner", f16, 2, 2, {200, 100}, {64, 32}, {1, 1}, {{184, 90}}, plain, none},
      {"store, swizzle", u32, 4, 2, {200, 100}, {32, 32}, {1, 1}, {{184, 90}}, CU_TENSOR_MAP_SWIZZLE_128B, none},
      {"store, volume", u32, 4, 3, {40, 30, 20}, {16, 8, 4}, {1, 1, 1}, {{28, 25, 18}}, plain, none},
  };
  for (const Copy &copy : written)
    run(copy, Way::Store);
  run({"add", u32, 4, 2, {200, 100}, {32, 32}, {1, 1}, {{180, 90}}, plain, none}, Way::Add);
  return 0;
}
