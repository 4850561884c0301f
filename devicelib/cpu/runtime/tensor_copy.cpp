/// Copies by tensor maps (cp.async.bulk.tensor): the box goes piece by piece between global memory and shared memory, whose pieces of
/// 16 bytes change places by the map's swizzle (abi/tensor_map.h). They are done when the instruction is.
#include "block.h"
#include "runtime_calls.h"

#include "devicelib/abi/operation.h"
#include "devicelib/abi/tensor_map.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace cupr::cpu {

namespace {

using Bytes = unsigned char *;
constexpr std::uint64_t kPiece = 16;

// CUtensorMapDataType.
enum DataType : std::uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kF32Ftz,
  kTf32,
  kTf32Ftz
};

/// A box in the shared memory of one block.
class Box {
public:
  explicit Box(void *begin)
      : begin_(static_cast<Bytes>(begin)),
        // Windows of a cluster's blocks lie one behind the other.
        offset_(
            static_cast<std::uint64_t>(begin_ - (__cupr_cpu_lane.clusterFrames ? __cupr_cpu_lane.clusterFrames
                                                                               : __cupr_cpu_lane.shared)) %
            kSharedWindow) {}

  /// Calls `visit(bytes in shared memory, offset in the run, bytes)` for each piece of it that lies together.
  template <typename Visit>
  void forEachPiece(const abi::TensorMap &map, const abi::BoxRun &run, Visit visit) const {
    for (std::uint64_t at = 0; at < run.bytes;) {
      const std::uint64_t place = offset_ + run.shared + at;
      const std::uint64_t bytes = std::min(run.bytes - at, kPiece - place % kPiece);
      visit(begin_ + abi::swizzled(place, map.swizzle) - offset_, at, bytes);
      at += bytes;
    }
  }

private:
  Bytes begin_;
  std::uint64_t offset_; ///< in the window
};

template <typename T> T read(const unsigned char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// What lies outside of the tensor is read as: zeros, or NaNs as the hardware has them.
void fill(const abi::TensorMap &map, Bytes to, std::uint64_t bytes) {
  std::memset(to, 0, bytes);
  if (!map.fillsNan)
    return;
  for (std::uint64_t at = 0; at + map.bits / 8 <= bytes; at += map.bits / 8)
    switch (map.type) {
    case kF16:
    case kBf16: {
      const std::uint16_t nan = 0x7fff;
      std::memcpy(to + at, &nan, sizeof nan);
      break;
    }
    case kF64: {
      const std::uint64_t nan = 0x7fffffffffffffff;
      std::memcpy(to + at, &nan, sizeof nan);
      break;
    }
    case kF32:
    case kF32Ftz:
    case kTf32:
    case kTf32Ftz: {
      const std::uint32_t nan = 0x7fffffff;
      std::memcpy(to + at, &nan, sizeof nan);
      break;
    }
    default:
      break;
    }
}

/// Zeros for denormal numbers.
void flush(Bytes bytes, std::uint64_t count) {
  for (std::uint64_t at = 0; at + 4 <= count; at += 4) {
    std::uint32_t bits = read<std::uint32_t>(bytes + at);
    if ((bits & 0x7f800000u) == 0)
      bits &= 0x80000000u;
    std::memcpy(bytes + at, &bits, sizeof bits);
  }
}

/// What an atomic operation makes of integers.
template <typename T> T combined(abi::Operation operation, T old, T value) {
  switch (operation) {
  case abi::Operation::AtomicAdd:
    return static_cast<T>(old + value);
  case abi::Operation::AtomicMin:
    return std::min(old, value);
  case abi::Operation::AtomicMax:
    return std::max(old, value);
  case abi::Operation::AtomicInc:
    return old >= value ? T(0) : static_cast<T>(old + 1);
  case abi::Operation::AtomicDec:
    return old == 0 || old > value ? value : static_cast<T>(old - 1);
  case abi::Operation::AtomicAnd:
    return old & value;
  case abi::Operation::AtomicOr:
    return old | value;
  default:
    return old ^ value;
  }
}

/// The same of floating-point numbers, which `T` holds and `Float` computes with. A NaN loses against a number.
template <typename T, typename Float>
T combinedFloat(abi::Operation operation, T oldBits, T valueBits, Float (*widen)(T), T (*narrow)(Float)) {
  const Float old = widen(oldBits), value = widen(valueBits);
  switch (operation) {
  case abi::Operation::AtomicAdd:
    return narrow(old + value);
  case abi::Operation::AtomicMin:
    return old != old || value < old ? valueBits : oldBits;
  default:
    return old != old || value > old ? valueBits : oldBits;
  }
}

float widenHalf(std::uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
std::uint16_t narrowHalf(float value) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value)); }
float widenBfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
std::uint16_t narrowBfloat(float value) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (value == value)
    bits += 0x7fffu + (bits >> 16 & 1u); // to nearest, ties to even
  else
    bits |= 0x00400000u;
  return static_cast<std::uint16_t>(bits >> 16);
}
float asFloat(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t fromFloat(float value) { return std::bit_cast<std::uint32_t>(value); }
double asDouble(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t fromDouble(double value) { return std::bit_cast<std::uint64_t>(value); }

/// Blocks of other threads may be at the same element.
template <typename T, typename Combine> void update(Bytes to, const unsigned char *value, Combine combine) {
  std::atomic_ref<T> place(*reinterpret_cast<T *>(to));
  T old = place.load(std::memory_order_relaxed);
  while (!place.compare_exchange_weak(old, combine(old, read<T>(value)), std::memory_order_relaxed)) {
  }
}

void reduceElement(abi::Operation operation, std::uint8_t type, Bytes to, const unsigned char *value) {
  const auto integer = [&](auto old, auto next) { return combined(operation, old, next); };
  switch (type) {
  case kU32:
    return update<std::uint32_t>(to, value, integer);
  case kS32:
    return update<std::int32_t>(to, value, integer);
  case kU64:
    return update<std::uint64_t>(to, value, integer);
  case kS64:
    return update<std::int64_t>(to, value, integer);
  case kF16:
    return update<std::uint16_t>(to, value, [&](std::uint16_t old, std::uint16_t next) {
      return combinedFloat(operation, old, next, widenHalf, narrowHalf);
    });
  case kBf16:
    return update<std::uint16_t>(to, value, [&](std::uint16_t old, std::uint16_t next) {
      return combinedFloat(operation, old, next, widenBfloat, narrowBfloat);
    });
  case kF64:
    return update<std::uint64_t>(to, value, [&](std::uint64_t old, std::uint64_t next) {
      return combinedFloat(operation, old, next, asDouble, fromDouble);
    });
  default:
    return update<std::uint32_t>(to, value, [&](std::uint32_t old, std::uint32_t next) {
      return combinedFloat(operation, old, next, asFloat, fromFloat);
    });
  }
}

void load(const abi::TensorMap &map, const abi::TensorPlace &place, const Box &box) {
  abi::forEachBoxRun(map, place, [&](const abi::BoxRun &run) {
    box.forEachPiece(map, run, [&](Bytes shared, std::uint64_t at, std::uint64_t bytes) {
      if (!run.isInside)
        return fill(map, shared, bytes);
      std::memcpy(shared, reinterpret_cast<const void *>(run.address + at), bytes);
      if (map.type == kF32Ftz || map.type == kTf32Ftz)
        flush(shared, bytes);
    });
  });
}

void store(const abi::TensorMap &map, const abi::TensorPlace &place, const Box &box,
           abi::Operation operation) {
  abi::forEachBoxRun(map, place, [&](const abi::BoxRun &run) {
    if (run.isInside)
      box.forEachPiece(map, run, [&](Bytes shared, std::uint64_t at, std::uint64_t bytes) {
        const auto to = reinterpret_cast<Bytes>(run.address + at);
        if (operation == abi::Operation::Store)
          std::memcpy(to, shared, bytes);
        else
          for (std::uint64_t i = 0; i < bytes; i += map.bits / 8)
            reduceElement(operation, map.type, to + i, shared + i);
      });
  });
}

} // namespace

namespace calls {

void TensorCopy(Ptr box, Ptr mapPlace, Ptr placeWords, Ptr mbarrier, U32 ranks, U32 operation, Place place) {
  abi::TensorMap map;
  std::memcpy(&map, mapPlace, sizeof map);
  abi::TensorPlace where;
  std::memcpy(&where, placeWords, sizeof where);
  const auto kind = static_cast<abi::Operation>(operation);
  if (map.mark != abi::TensorMap::kMark)
    return Block::running()->fail(Failure::IllegalAddress,
                                  std::string("a copy by a tensor map that cuTensorMapEncodeTiled or "
                                              "cuTensorMapEncodeIm2col has not made") +
                                      (place ? std::string(" (") + place + ")" : ""));
  if (const char *const why = abi::refusal(map, where, kind != abi::Operation::Load))
    return Block::running()->fail(Failure::Trap, std::string("a copy by a tensor map that may not be: ") +
                                                     why + (place ? std::string(" (") + place + ")" : ""));
  const std::uint64_t bytes = abi::boxBytes(map);
  abi::forEachBoxRange(map, where, [&](std::uint64_t address, std::uint64_t count) {
    Check(operation, reinterpret_cast<Ptr>(address), count, 1, place);
  });
  if (kind != abi::Operation::Load) {
    Check(static_cast<U32>(abi::Operation::Load), box, bytes, 1, place);
    return store(map, where, Box(box), kind);
  }
  const auto bring = [&](Ptr to, Ptr barrier) {
    Check(static_cast<U32>(abi::Operation::Store), to, bytes, 1, place);
    load(map, where, Box(to));
    MbarrierComplete(barrier, static_cast<U32>(bytes));
  };
  if (ranks == 0)
    return bring(box, mbarrier);
  for (U32 rank = 0; rank < std::max(__cupr_cpu_lane.clusterBlocks, 1u); ++rank)
    if (ranks >> rank & 1u)
      bring(MapShared(box, rank), MapShared(mbarrier, rank));
}

} // namespace calls

} // namespace cupr::cpu
