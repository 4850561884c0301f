/// Where each column of a chunk's values begins (value_columns.h): it follows from how many of each kind there are.
#ifndef CUPR_TRACE_VALUE_LAYOUT_H
#define CUPR_TRACE_VALUE_LAYOUT_H

#include "devicelib/abi/value_record.h"
#include "planes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cupr::trace {

inline constexpr std::size_t kValueSizes = abi::kPieceBytesMax + 1;
inline constexpr std::size_t kMaskBytes = 4, kStepBytes = 4, kBaseBytes = 8, kClockBytes = 8,
                             kDurationBytes = abi::kDurationBytes;

/// What the columns hold, which says where each begins.
struct ValueLengths {
  std::size_t records = 0, affine = 0, inPart = 0, clocks = 0, durations = 0;
  std::array<std::size_t, kValueSizes> dense{}; ///< bytes, by those of the piece

  std::size_t total() const {
    std::size_t bytes = sizeof(std::uint32_t) + records + inPart * kMaskBytes +
                        affine * (kStepBytes + kBaseBytes) + clocks * kClockBytes +
                        durations * kDurationBytes;
    for (const std::size_t of : dense)
      bytes += of;
    return bytes;
  }
  std::vector<std::span<const std::byte>> parts(std::span<const std::byte> columns) const {
    std::vector<std::span<const std::byte>> parts;
    const auto add = [&](std::size_t bytes) {
      if (bytes != 0)
        parts.push_back(columns.first(bytes));
      columns = columns.subspan(bytes);
    };
    const auto addPlanes = [&](std::size_t bytes, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        add(planeBytes(bytes, count, i));
    };
    add(sizeof(std::uint32_t));
    add(records);
    addPlanes(inPart * kMaskBytes, kMaskBytes);
    addPlanes(affine * kStepBytes, kStepBytes);
    addPlanes(affine * kBaseBytes, kBaseBytes);
    addPlanes(clocks * kClockBytes, kClockBytes);
    addPlanes(durations * kDurationBytes, kDurationBytes);
    for (std::size_t size = 1; size < kValueSizes; ++size)
      addPlanes(dense[size], size);
    return parts;
  }
};

/// The planes behind the forms, from `at` on.
struct ValuePlanes {
  ValuePlanes(std::byte *at, const ValueLengths &lengths) {
    const auto next = [&](std::size_t count, std::size_t bytes) {
      const Planes planes(at, count, bytes);
      at += bytes;
      return planes;
    };
    masks = next(kMaskBytes, lengths.inPart * kMaskBytes);
    steps = next(kStepBytes, lengths.affine * kStepBytes);
    bases = next(kBaseBytes, lengths.affine * kBaseBytes);
    clocks = next(kClockBytes, lengths.clocks * kClockBytes);
    durations = next(kDurationBytes, lengths.durations * kDurationBytes);
    for (std::size_t size = 1; size < kValueSizes; ++size)
      dense[size] = next(size, lengths.dense[size]);
  }
  Planes masks, steps, bases, clocks, durations;
  std::array<Planes, kValueSizes> dense;
};

} // namespace cupr::trace

#endif
