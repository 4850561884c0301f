/// Tensor maps, as the host knows them: which bytes of global memory one copy by a tensor map reaches.
///
/// A tensor copy (cp.async.bulk.tensor) is one instruction of one thread, with a map and coordinates; the hardware makes the addresses. The map is
/// 128 bytes that only the driver can make (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col) and that say nothing to anybody else. So
/// what the call was given is kept here, found again by the map's contents (tensorMapKey), and the addresses are made as the manuals say
/// (CUDA driver API, "Tensor Map Object Management"; PTX ISA, "Tensors"):
///
///     a tile     of element (e0, e1, ...) of the box, the coordinates are c[i] + e[i] * step[i]; a box of b[i] has b[i] / step[i] of them, rounded up.
///                The innermost dimension has no steps
///     slices     of 16 or 32 bytes of channels (CUtensorMapInterleave) are the elements; the last dimension but one counts them, and a box has one
///                slice, whatever it says. The innermost dimension has steps. The manuals leave this open: it is what an H200 does
///     im2col     the box is a run of pixels, each with so many channels, from the coordinates on: in steps along the width between the two corners,
///                then the height, then the depth, then the images. Offsets are added to each pixel
///
/// Elements outside of the tensor are read as zeros (or NaNs), and not written. In shared memory the box is dense, in that order, and
/// pieces of 16 bytes are exchanged by the swizzle.
///
/// On the CPU device a CUtensorMap is a TensorMap.
#ifndef CUPR_ABI_TENSOR_MAP_H
#define CUPR_ABI_TENSOR_MAP_H

#include "digest.h"

#include <cstdint>

namespace cupr {
namespace abi {

enum : std::uint32_t { kTensorRank = 5, kTensorMapWords = 16, kIm2colDimensions = kTensorRank - 2 };

/// What a copy by a tensor map is given beside the map.
struct TensorPlace {
  std::int32_t coordinates[kTensorRank]; ///< innermost first; those that the map has not got are 0
  /// Of im2col: of width, height and depth, the first one lowest, kOffsetBits bits from the next.
  std::uint32_t offsets;
};
/// Tensors of 3 dimensions have one offset of 16 bits, alone; those of 4 two of 8, of 5 three of 5, so far apart.
constexpr unsigned kOffsetBits = 10;

/// Plain data, of at most 128 bytes.
struct TensorMap {
  enum Mode : std::uint8_t { Tiled, Im2col };
  static constexpr std::uint32_t kMark = 0x70616d74;

  std::uint64_t address;
  std::uint64_t strides[kTensorRank - 1]; ///< bytes between neighbours of the dimensions from the second on
  std::uint64_t extents[kTensorRank];     ///< elements
  std::uint16_t box[kTensorRank];         ///< elements, steps not taken off; of im2col: channels, and pixels
  std::uint8_t steps[kTensorRank];
  std::uint8_t rank;
  std::uint8_t bits;      ///< of an element of the type
  std::uint16_t unitBits; ///< of what coordinates count: an element, or a slice
  Mode mode;
  std::uint8_t interleave;               ///< CUtensorMapInterleave
  std::uint8_t swizzle;                  ///< CUtensorMapSwizzle
  std::uint8_t type;                     ///< CUtensorMapDataType
  std::uint8_t fillsNan;                 ///< what lies outside is read as NaNs
  std::uint32_t mark;                    ///< kMark: on the CPU device memory may hold anything else
  std::int16_t lower[kIm2colDimensions]; ///< of the bounding box: from the first pixel on
  std::int16_t upper[kIm2colDimensions]; ///< from the last one on
};
static_assert(sizeof(TensorMap) <= kTensorMapWords * sizeof(std::uint64_t), "it takes a CUtensorMap's place");

/// Adds the map's word of this number to what finds the map again.
CUPR_RECORD_FUNCTION unsigned long long tensorMapKey(unsigned long long key, unsigned long long word) {
  return mixed(key + word + 0x9e3779b97f4a7c15u);
}

/// So many elements of this dimension are in a box.
inline std::uint32_t boxElements(const TensorMap &map, unsigned dimension) {
  if (map.interleave && dimension + 2u == map.rank)
    return 1;
  const std::uint32_t step = dimension == 0 && map.interleave == 0 ? 1u : map.steps[dimension];
  return step ? (map.box[dimension] + step - 1u) / step : 0u;
}

/// Bytes of a box in shared memory.
inline std::uint64_t boxBytes(const TensorMap &map) {
  std::uint64_t elements = 1;
  for (unsigned i = 0; i < (map.mode == TensorMap::Im2col ? 2u : +map.rank); ++i)
    elements *= map.mode == TensorMap::Im2col ? map.box[i] : boxElements(map, i);
  return elements * map.unitBits / 8;
}

/// Why a copy may not begin there, which is an illegal instruction to the hardware (seen on an H200); null: it may.
inline const char *refusal(const TensorMap &map, const TensorPlace &place, bool isStore) {
  if (static_cast<std::int64_t>(place.coordinates[0]) * map.unitBits % 128 != 0)
    return "the first coordinate is at no multiple of 16 bytes";
  for (unsigned i = 0; isStore && i < map.rank; ++i)
    if (place.coordinates[i] < 0)
      return "a coordinate of a copy to global memory is negative";
  return nullptr;
}

/// Neighbours of one box along the innermost dimension that lie in memory one behind the other, in the order of shared memory.
struct BoxRun {
  std::uint64_t address;
  std::uint64_t shared; ///< bytes from the beginning of the box, without the swizzle
  std::uint64_t bytes;
  bool isInside; ///< else they lie outside of the tensor, and have no address
};

/// Calls `visit(BoxRun)` for each run of one copy.
template <typename Visit> class BoxRuns {
public:
  BoxRuns(const TensorMap &map, const TensorPlace &place, Visit &visit)
      : map_(map), place_(place), visit_(visit) {}

  void run() {
    if (map_.mode == TensorMap::Im2col)
      return pixels();
    std::uint32_t at[kTensorRank] = {};
    do {
      std::int64_t coordinates[kTensorRank];
      for (unsigned i = 0; i < kTensorRank; ++i)
        coordinates[i] = place_.coordinates[i] + static_cast<std::int64_t>(at[i]) * map_.steps[i];
      row(coordinates, map_.interleave ? 1 : boxElements(map_, 0));
    } while (next(at));
  }

private:
  /// Goes on to the next row of the box, or, where the innermost dimension has steps, element. False: that was the last.
  bool next(std::uint32_t (&at)[kTensorRank]) const {
    for (unsigned i = map_.interleave ? 0 : 1; i < map_.rank; ++i) {
      if (++at[i] < boxElements(map_, i))
        return true;
      at[i] = 0;
    }
    return false;
  }

  /// `count` elements from these coordinates on.
  void row(const std::int64_t (&coordinates)[kTensorRank], std::uint32_t count) {
    bool isInside = true;
    std::uint64_t address = map_.address;
    for (unsigned i = 1; i < map_.rank; ++i) {
      isInside &= coordinates[i] >= 0 && static_cast<std::uint64_t>(coordinates[i]) < map_.extents[i];
      address += static_cast<std::uint64_t>(coordinates[i]) * map_.strides[i - 1];
    }
    const std::int64_t from = coordinates[0], end = from + count,
                       last = static_cast<std::int64_t>(map_.extents[0]);
    const std::int64_t begin = !isInside ? end : from < 0 ? (end < 0 ? end : 0) : from;
    const std::int64_t stop = !isInside || begin >= last ? begin : end < last ? end : last;
    piece(address, from, begin, false);
    piece(address, begin, stop, true);
    piece(address, stop, end, false);
  }

  void piece(std::uint64_t rowAddress, std::int64_t from, std::int64_t end, bool isInside) {
    if (from >= end)
      return;
    const std::uint64_t bytes = static_cast<std::uint64_t>(end - from) * map_.unitBits / 8;
    visit_(BoxRun{isInside ? rowAddress + static_cast<std::uint64_t>(from) * map_.unitBits / 8 : 0, shared_,
                  bytes, isInside});
    shared_ += bytes;
  }

  void pixels() {
    const unsigned spatial = map_.rank - 2u;
    std::int64_t at[kTensorRank] = {};
    for (unsigned i = 0; i < kTensorRank; ++i)
      at[i] = place_.coordinates[i];
    const unsigned bits = spatial == 1 ? 16 : kOffsetBits;
    for (std::uint32_t pixel = 0; pixel < map_.box[1]; ++pixel) {
      std::int64_t here[kTensorRank];
      for (unsigned i = 0; i < kTensorRank; ++i)
        here[i] =
            at[i] + (i >= 1 && i <= spatial ? place_.offsets >> (i - 1) * bits & ((1u << bits) - 1u) : 0u);
      row(here, map_.box[0]);
      for (unsigned i = 1; i <= spatial; ++i) {
        at[i] += map_.steps[i];
        if (at[i] < static_cast<std::int64_t>(map_.extents[i]) + map_.upper[i - 1])
          break;
        at[i] = map_.lower[i - 1];
        if (i == spatial)
          ++at[spatial + 1];
      }
    }
  }

  const TensorMap &map_;
  const TensorPlace &place_;
  Visit &visit_;
  std::uint64_t shared_ = 0;
};

template <typename Visit> void forEachBoxRun(const TensorMap &map, const TensorPlace &place, Visit visit) {
  BoxRuns<Visit>(map, place, visit).run();
}

/// Calls `visit(address, bytes)` for each stretch of global memory of one copy: runs that follow each other in memory are one, up to
/// kMaxRangeBytes.
template <typename Visit> void forEachBoxRange(const TensorMap &map, const TensorPlace &place, Visit visit) {
  std::uint64_t address = 0, bytes = 0;
  forEachBoxRun(map, place, [&](const BoxRun &run) {
    if (!run.isInside)
      return;
    if (bytes && run.address == address + bytes && bytes + run.bytes <= kMaxRangeBytes) {
      bytes += run.bytes;
      return;
    }
    if (bytes)
      visit(address, bytes);
    address = run.address;
    bytes = run.bytes;
  });
  if (bytes)
    visit(address, bytes);
}

/// Where the byte at this place of shared memory goes: pieces of 16 bytes change places within 32, 64 or 128 bytes, by the lines of 128 bytes in
/// which they lie (CU_TENSOR_MAP_SWIZZLE_32B, _64B, _128B: 1, 2, 3).
CUPR_RECORD_FUNCTION std::uint64_t swizzled(std::uint64_t shared, std::uint8_t swizzle) {
  return shared ^ (shared >> 3 & (swizzle == 1 ? 0x10u : swizzle == 2 ? 0x30u : swizzle == 3 ? 0x70u : 0u));
}

} // namespace abi
} // namespace cupr

#endif
