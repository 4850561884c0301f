/// What a slice does, told by an interpreter that runs one thread after the other and knows nothing of warps.
#ifndef CUPR_TEST_ANALYSIS_SLICE_REFERENCE_H
#define CUPR_TEST_ANALYSIS_SLICE_REFERENCE_H

#include "analysis/model/derived_block.h"
#include "hostlib/trace/derived_launch.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

namespace cupr::test {

using namespace cupr::analysis;

using abi::SliceInstruction;
using abi::SliceOperation;
using abi::SliceSource;

inline std::uint8_t op(SliceOperation operation) { return static_cast<std::uint8_t>(operation); }

struct Access {
  std::uint32_t site;
  std::uint64_t address;
  friend bool operator==(const Access &, const Access &) = default;
};
/// By linear number in the block.
using ThreadAccesses = std::map<unsigned, std::vector<Access>>;

/// Memory that random slices look up: over the ends of pieces, whose last one is short.
inline constexpr std::uint64_t kMemory = 0x7f0000012340, kMemoryBytes = 150000, kMemoryMask = 0x1ffff;

inline std::vector<std::byte> memoryBytes() {
  std::mt19937 random(3);
  std::vector<std::byte> bytes(kMemoryBytes);
  for (std::byte &byte : bytes)
    byte = static_cast<std::byte>(random());
  return bytes;
}
inline const std::vector<std::byte> kBytes = memoryBytes();

inline LaunchMemory memoryOf(std::uint64_t address, std::span<const std::byte> bytes) {
  trace::WorkLimit limit("a trace", 0);
  MemorySnapshots snapshots;
  trace::Snapshot snapshot{0, address, bytes.size(), {}};
  for (std::size_t from = 0; from < bytes.size(); from += abi::kPieceBytes) {
    trace::Contents piece = trace::packContents(
        bytes.subspan(from, std::min<std::size_t>(abi::kPieceBytes, bytes.size() - from)));
    piece.id = static_cast<std::uint32_t>(snapshot.pieces.size());
    snapshot.pieces.push_back(piece.id);
    REQUIRE(snapshots.add(std::move(piece), limit) == "");
  }
  REQUIRE(snapshots.add(std::move(snapshot), limit) == "");
  constexpr std::uint32_t kIds[] = {0};
  return snapshots.memoryOf(kIds, limit);
}

inline const std::vector<trace::Site> kLoads(4);

/// What runs of a slice could differ in: everything about one thread, in 128-bit arithmetic.
class PlainThread {
public:
  PlainThread(const trace::Slice &slice, const trace::Launch &launch, std::uint64_t cta, unsigned thread)
      : slice_(slice), registers_(slice.registerCount) {
    const auto &grid = launch.grid, &block = launch.block;
    std::size_t to = 0, value = 0;
    for (const abi::SliceInput &input : slice.inputs) {
      const std::uint64_t values[] = {thread % block.x,
                                      thread / block.x % block.y,
                                      thread / block.x / block.y,
                                      cta % grid.x,
                                      cta / grid.x % grid.y,
                                      cta / grid.x / grid.y,
                                      block.x,
                                      block.y,
                                      block.z,
                                      grid.x,
                                      grid.y,
                                      grid.z,
                                      thread % 32,
                                      32};
      registers_[to++] = input.source < std::size(values)
                             ? values[input.source]
                             : cut(launch.sliceValues[value++], input.bytes * 8u);
    }
    for (const std::uint64_t constant : slice.constants)
      registers_[to++] = constant;
  }

  std::vector<Access> run() {
    std::vector<Access> accesses;
    for (std::uint32_t at = 0;;) {
      const SliceInstruction &i = slice_.code[at++];
      const auto operation = static_cast<SliceOperation>(i.operation);
      if (operation == SliceOperation::Exit)
        return accesses;
      if (operation == SliceOperation::Jump)
        at = i.b;
      else if (operation == SliceOperation::Branch)
        at = registers_[i.a] ? i.b : i.c;
      else if (operation == SliceOperation::Access)
        accesses.push_back({abi::siteOf(i), registers_[i.a]});
      else if (operation != SliceOperation::Barrier)
        registers_[i.result] = value(operation, i);
    }
  }

private:
  using Wide = __int128;
  static std::uint64_t cut(std::uint64_t value, unsigned bits) {
    return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
  }
  static Wide number(std::uint64_t value, unsigned bits) {
    return value >> (bits - 1) & 1 ? static_cast<Wide>(value) - (static_cast<Wide>(1) << bits)
                                   : static_cast<Wide>(value);
  }

  std::uint64_t value(SliceOperation operation, const SliceInstruction &i) const {
    const unsigned w = i.width;
    const std::uint64_t a = registers_[i.a], b = registers_[i.b], c = registers_[i.c];
    const Wide sa = w ? number(cut(a, w), w) : 0, sb = w ? number(cut(b, w), w) : 0;
    const auto result = [&](Wide wide) { return cut(static_cast<std::uint64_t>(wide), w); };
    const auto bit = [&](std::uint64_t of, unsigned n) { return of >> n & 1; };
    std::uint64_t bits = 0;
    switch (operation) {
    case SliceOperation::Move:
      return a;
    case SliceOperation::Add:
      return result(static_cast<Wide>(a) + b);
    case SliceOperation::Subtract:
      return result(static_cast<Wide>(a) - b);
    case SliceOperation::Multiply:
      return result(static_cast<Wide>(static_cast<unsigned __int128>(a) * b));
    case SliceOperation::MultiplyHighUnsigned:
      return result(static_cast<Wide>(static_cast<unsigned __int128>(a) * b >> w));
    case SliceOperation::MultiplyHighSigned:
      return result(sa * sb >> w);
    case SliceOperation::DivideUnsigned:
      return b ? result(a / b) : cut(~0ull, w);
    case SliceOperation::DivideSigned:
      return b ? result(sa / sb) : cut(~0ull, w);
    case SliceOperation::RemainderUnsigned:
      return b ? a % b : a;
    case SliceOperation::RemainderSigned:
      return b ? result(sa % sb) : a;
    case SliceOperation::And:
      return a & b;
    case SliceOperation::Or:
      return a | b;
    case SliceOperation::Xor:
      return a ^ b;
    case SliceOperation::ShiftLeft:
      return b < w ? result(static_cast<Wide>(a) << b) : 0;
    case SliceOperation::ShiftRight:
      return b < w ? a >> b : 0;
    case SliceOperation::ShiftRightSigned:
      return result(sa >> std::min<std::uint64_t>(b, 100));
    case SliceOperation::MinimumUnsigned:
      return a < b ? a : b;
    case SliceOperation::MaximumUnsigned:
      return a < b ? b : a;
    case SliceOperation::MinimumSigned:
      return sa < sb ? a : b;
    case SliceOperation::MaximumSigned:
      return sa < sb ? b : a;
    case SliceOperation::Equal:
      return a == b;
    case SliceOperation::NotEqual:
      return a != b;
    case SliceOperation::LessUnsigned:
      return a < b;
    case SliceOperation::LessEqualUnsigned:
      return a <= b;
    case SliceOperation::LessSigned:
      return sa < sb;
    case SliceOperation::LessEqualSigned:
      return sa <= sb;
    case SliceOperation::CompareFloat: {
      const double x = w == 64 ? std::bit_cast<double>(a)
                               : std::bit_cast<float>(static_cast<std::uint32_t>(a)),
                   y = w == 64 ? std::bit_cast<double>(b)
                               : std::bit_cast<float>(static_cast<std::uint32_t>(b));
      return ((i.other & 1) && x == y) || ((i.other & 2) && x > y) || ((i.other & 4) && x < y) ||
             ((i.other & 8) && (std::isnan(x) || std::isnan(y)));
    }
    case SliceOperation::Choose:
      return a ? b : c;
    case SliceOperation::Truncate:
      return cut(a, w);
    case SliceOperation::SignExtend:
      return result(number(cut(a, i.other), i.other));
    case SliceOperation::FunnelShiftLeft:
      for (unsigned n = 0; n < w; ++n) { // bit n of the upper half of (a:b) << s is bit n - s of it
        const int from = static_cast<int>(n) - static_cast<int>(c % w);
        bits |= (from >= 0 ? bit(a, static_cast<unsigned>(from)) : bit(b, w - static_cast<unsigned>(-from)))
                << n;
      }
      return bits;
    case SliceOperation::FunnelShiftRight:
      for (unsigned n = 0; n < w; ++n) {
        const auto from = n + static_cast<unsigned>(c % w);
        bits |= (from < w ? bit(b, from) : bit(a, from - w)) << n;
      }
      return bits;
    case SliceOperation::CountOnes:
      for (unsigned n = 0; n < 64; ++n)
        bits += bit(a, n);
      return cut(bits, w);
    case SliceOperation::CountLeadingZeros:
    case SliceOperation::LeadingShift:
      for (unsigned n = w; n-- > 0 && !bit(a, n);)
        ++bits;
      return operation == SliceOperation::LeadingShift && bits == w ? cut(~0ull, w) : bits;
    case SliceOperation::CountTrailingZeros:
      for (unsigned n = 0; n < w && !bit(a, n); ++n)
        ++bits;
      return bits;
    case SliceOperation::ReverseBits:
      for (unsigned n = 0; n < w; ++n)
        bits |= bit(a, n) << (w - 1 - n);
      return bits;
    case SliceOperation::ReverseBytes:
      for (unsigned n = 0; n < w; n += 8)
        bits |= (a >> n & 255) << (w - 8 - n);
      return bits;
    case SliceOperation::Load:
      for (unsigned n = 0; n < w / 8; ++n)
        bits |= std::to_integer<std::uint64_t>(kBytes.at(a - kMemory + n)) << 8 * n;
      return bits;
    case SliceOperation::Access:
    case SliceOperation::Barrier:
    case SliceOperation::Jump:
    case SliceOperation::Branch:
    case SliceOperation::Exit:
      break;
    }
    FAIL("an instruction without a value");
    return 0;
  }

  const trace::Slice &slice_;
  std::vector<std::uint64_t> registers_;
};

/// Of records of one block, which ran on multiprocessor 5.
inline void addAccesses(std::span<const trace::Word> words, std::uint64_t cta, const trace::Launch &launch,
                        ThreadAccesses &result) {
  abi::WarpAccess access;
  std::uint32_t size = 0;
  for (std::size_t at = 0; at < words.size(); at += size) {
    if (abi::decodeRecord(&words[at], words.size() - at, access, size) != abi::RecordStatus::Access ||
        access.cta != cta || access.sm != 5)
      FAIL("not a record of this block");
    for (unsigned lane = 0; lane < 32; ++lane)
      if (access.laneMask >> lane & 1) {
        const unsigned thread = access.warp * 32 + lane;
        if (thread >= launch.block.x * launch.block.y * launch.block.z)
          FAIL("not a thread of the block");
        result[thread].push_back({access.site, access.address[lane]});
      }
  }
}

inline ThreadAccesses derived(DerivedBlock &run, std::uint64_t cta, const trace::Launch &launch,
                              std::size_t enough) {
  ThreadAccesses result;
  std::vector<trace::Word> words;
  run.begin(cta, 5);
  for (bool isDone = false; !isDone;) {
    words.clear();
    isDone = run.runFor(words, enough).isDone;
    addAccesses(words, cta, launch, result);
  }
  return result;
}

/// Holds what was found of a block against its threads, each run by itself. Returns how many accesses there are.
inline std::size_t compare(const ThreadAccesses &found, const trace::Slice &slice,
                           const trace::Launch &launch, std::uint64_t cta) {
  std::size_t accesses = 0;
  for (unsigned thread = 0; thread < launch.block.x * launch.block.y * launch.block.z; ++thread) {
    const std::vector<Access> expected = PlainThread(slice, launch, cta, thread).run();
    const auto has = found.find(thread);
    if ((has == found.end() ? std::vector<Access>() : has->second) != expected)
      FAIL("thread " << thread << " of block " << cta);
    accesses += expected.size();
  }
  return accesses;
}

inline constexpr trace::Dim3 kBlocks[] = {{32, 1, 1}, {70, 1, 1}, {16, 4, 1},
                                          {8, 3, 3},  {1, 33, 1}, {128, 1, 2}};

} // namespace cupr::test

#endif
