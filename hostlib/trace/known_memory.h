/// What memory holds, as far as the values of one chunk's accesses have told: what was last read or written at an address is
/// what the next one reads there, unless somebody else has written meanwhile.
///
/// It only foretells values: encoder and decoder see the same accesses in the same order, and what is not as foretold is
/// written down. A table of a fixed size, whose places later addresses take over, bounds memory and time.
#ifndef CUPR_TRACE_KNOWN_MEMORY_H
#define CUPR_TRACE_KNOWN_MEMORY_H

#include "devicelib/abi/value_record.h"

#include <cstdint>
#include <vector>

namespace cupr::trace {

class KnownMemory {
public:
  KnownMemory() : words_(kPlaces) {}

  /// Nothing is known any more.
  void clear() { ++epoch_; }
  /// What the `bytes` bytes, from 1 to 8, at an address of this memory hold; false: not all are known.
  bool find(std::uint64_t memory, std::uint64_t address, std::uint32_t bytes, std::uint64_t &value) const {
    const std::uint32_t at = address % kWordSize, first = firstPart(at, bytes);
    const Word &low = words_[placeOf(memory, address / kWordSize)];
    if (!holds(low, memory, address / kWordSize, at, first))
      return false;
    value = abi::cutValue(low.value >> (8 * at), first);
    if (first == bytes)
      return true;
    const Word &high = words_[placeOf(memory, address / kWordSize + 1)];
    if (!holds(high, memory, address / kWordSize + 1, 0, bytes - first))
      return false;
    value |= abi::cutValue(high.value, bytes - first) << (8 * first);
    return true;
  }
  void set(std::uint64_t memory, std::uint64_t address, std::uint32_t bytes, std::uint64_t value) {
    const std::uint32_t at = address % kWordSize, first = firstPart(at, bytes);
    put(memory, address / kWordSize, at, first, value);
    if (first != bytes)
      put(memory, address / kWordSize + 1, 0, bytes - first, value >> (8 * first));
  }
  /// What is there is not known.
  void forget(std::uint64_t memory, std::uint64_t address, std::uint32_t bytes) {
    const std::uint32_t at = address % kWordSize, first = firstPart(at, bytes);
    drop(memory, address / kWordSize, at, first);
    if (first != bytes)
      drop(memory, address / kWordSize + 1, 0, bytes - first);
  }

private:
  static constexpr std::uint32_t kWordSize = 8;
  static constexpr unsigned kPlacesLog2 = 15; ///< 1 MiB
  static constexpr std::size_t kPlaces = std::size_t{1} << kPlacesLog2;

  struct Word {
    std::uint64_t number = 0, value = 0;
    std::uint64_t memory = 0;
    std::uint32_t epoch = 0;
    std::uint32_t bytes = 0; ///< bit n: byte n is known
  };

  static std::uint32_t firstPart(std::uint32_t at, std::uint32_t bytes) {
    return at + bytes > kWordSize ? kWordSize - at : bytes;
  }
  static std::uint32_t bits(std::uint32_t at, std::uint32_t bytes) { return ((1u << bytes) - 1u) << at; }
  static std::size_t placeOf(std::uint64_t memory, std::uint64_t number) {
    return static_cast<std::size_t>((number + memory * 0xd1b54a32d192ed03u) * 0x9e3779b97f4a7c15u >>
                                    (64 - kPlacesLog2));
  }
  bool isOf(const Word &word, std::uint64_t memory, std::uint64_t number) const {
    return word.epoch == epoch_ && word.number == number && word.memory == memory;
  }
  bool holds(const Word &word, std::uint64_t memory, std::uint64_t number, std::uint32_t at,
             std::uint32_t bytes) const {
    return isOf(word, memory, number) && (~word.bytes & bits(at, bytes)) == 0;
  }
  void put(std::uint64_t memory, std::uint64_t number, std::uint32_t at, std::uint32_t bytes,
           std::uint64_t value) {
    Word &word = words_[placeOf(memory, number)];
    if (!isOf(word, memory, number))
      word = {number, 0, memory, epoch_, 0};
    const std::uint64_t mask = abi::cutValue(~std::uint64_t{0}, bytes) << (8 * at);
    word.value = (word.value & ~mask) | (value << (8 * at) & mask);
    word.bytes |= bits(at, bytes);
  }
  void drop(std::uint64_t memory, std::uint64_t number, std::uint32_t at, std::uint32_t bytes) {
    Word &word = words_[placeOf(memory, number)];
    if (isOf(word, memory, number))
      word.bytes &= ~bits(at, bytes);
  }

  std::vector<Word> words_;
  std::uint32_t epoch_ = 1;
};

} // namespace cupr::trace

#endif
