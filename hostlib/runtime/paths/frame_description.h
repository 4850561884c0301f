/// What .eh_frame says of one function: how its frame is left, as a program to be run (DWARF 5, section 6.4; Linux Standard Base, section 10.6).
///
/// Nothing is believed: what does not lie in the object, or is not understood, is not there.
#ifndef CUPR_RUNTIME_FRAME_DESCRIPTION_H
#define CUPR_RUNTIME_FRAME_DESCRIPTION_H

#include "code_object.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace cupr::host {

/// Reads what lies in a range of the object; past its end all is 0, and `isGood` says so.
class FrameBytes {
public:
  FrameBytes(const unsigned char *at, const unsigned char *end) : at_(at), end_(end) {}

  template <class Number> Number number() {
    Number value{};
    if (static_cast<std::size_t>(end_ - at_) < sizeof value)
      return fail(), value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t unsignedLeb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<unsigned char>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (!(byte & 0x80U))
        return value;
    }
    return fail(), 0;
  }
  std::int64_t signedLeb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
      const auto byte = number<unsigned char>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if (!(byte & 0x80U)) {
        if (shift < 64 && byte & 0x40U)
          value |= ~std::uint64_t{0} << shift;
        return static_cast<std::int64_t>(value);
      }
    }
    return fail(), 0;
  }
  /// An address that is written as `encoding` says; nothing where that is none of those that linkers use.
  std::optional<std::uint64_t> address(unsigned char encoding);
  /// The bytes in front; they are skipped.
  FrameBytes take(std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(end_ - at_))
      return fail(), *this;
    const FrameBytes taken(at_, at_ + bytes);
    at_ += bytes;
    return taken;
  }
  void skip(std::uint64_t bytes) { take(bytes); }
  bool isAtEnd() const { return at_ == end_; }
  bool isGood() const { return isGood_; }
  const unsigned char *at() const { return at_; }

private:
  void fail() {
    isGood_ = false;
    at_ = end_;
  }

  const unsigned char *at_;
  const unsigned char *end_;
  bool isGood_ = true;
};

/// What a FrameCommon Information Entry says for all functions that refer to it.
struct FrameCommon {
  std::uint64_t codeAlignment = 1;
  std::int64_t dataAlignment = 1;
  unsigned char addressEncoding = 0;
  bool hasAugmentation = false;
  bool isSignal = false;
  FrameBytes instructions{nullptr, nullptr};
};

struct FrameDescription {
  FrameCommon common;
  std::uint64_t begin;     ///< address of the function
  FrameBytes instructions; ///< behind those of `common`
};

/// Of the function that the code at `pc` is of.
std::optional<FrameDescription> frameDescriptionAt(std::uint64_t pc, const CodeObject &object);

/// DWARF's number of the return address (System V ABI for x86-64, figure 3.36).
constexpr std::uint64_t kReturnAddressNumber = 16;

} // namespace cupr::host

#endif
