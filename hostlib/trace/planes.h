/// Numbers with their bytes of the same weight together: what changes from number to number are the low ones.
#ifndef CUPR_TRACE_PLANES_H
#define CUPR_TRACE_PLANES_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace cupr::trace {

constexpr std::size_t kPlanesMax = sizeof(std::uint64_t);

/// Of so many bytes that are dealt to so many planes, those of plane `plane`.
constexpr std::size_t planeBytes(std::size_t bytes, std::size_t count, std::size_t plane) {
  return bytes / count + (plane < bytes % count);
}

/// Bytes that are dealt to as many planes, one after the other.
class Planes {
public:
  Planes() = default;
  /// `count` planes, which lie one behind the other from `at` on, for `bytes` bytes together.
  Planes(std::byte *at, std::size_t count, std::size_t bytes) : count_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      next_[i] = at;
      at += planeBytes(bytes, count, i);
    }
  }
  /// The low bytes of a number, one for each plane.
  void put(std::uint64_t number) {
    for (std::size_t i = 0; i < count_; ++i, number >>= 8)
      *next_[i]++ = static_cast<std::byte>(number);
  }
  std::uint64_t take() {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count_; ++i)
      number |= std::to_integer<std::uint64_t>(*next_[i]++) << (8 * i);
    return number;
  }

private:
  std::array<std::byte *, kPlanesMax> next_{};
  std::size_t count_ = 0;
};

} // namespace cupr::trace

#endif
