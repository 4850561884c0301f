/// Slices run warp by warp, against an interpreter that runs one thread after the other and knows nothing of warps.
#include "analysis/model/block_pattern.h"
#include "analysis/model/derived_block.h"
#include "hostlib/trace/derived_launch.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>

using namespace cupr;
using namespace cupr::analysis;

namespace {

using abi::SliceInstruction;
using abi::SliceOperation;
using abi::SliceSource;

std::uint8_t op(SliceOperation operation) { return static_cast<std::uint8_t>(operation); }

struct Access {
  std::uint32_t site;
  std::uint64_t address;
  friend bool operator==(const Access &, const Access &) = default;
};
/// By linear number in the block.
using ThreadAccesses = std::map<unsigned, std::vector<Access>>;

/// Memory that random slices look up: over the ends of pieces, whose last one is short.
constexpr std::uint64_t kMemory = 0x7f0000012340, kMemoryBytes = 150000, kMemoryMask = 0x1ffff;

std::vector<std::byte> memoryBytes() {
  std::mt19937 random(3);
  std::vector<std::byte> bytes(kMemoryBytes);
  for (std::byte &byte : bytes)
    byte = static_cast<std::byte>(random());
  return bytes;
}
const std::vector<std::byte> kBytes = memoryBytes();

LaunchMemory memoryOf(std::uint64_t address, std::span<const std::byte> bytes) {
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

const std::vector<trace::Site> kLoads(4);

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

/// Random slices that end: jumps go forwards, but for the last instruction of a loop that counts.
class RandomSlice {
public:
  /// Regular: as everyday kernels compute, mostly with small constants; without looking up anything.
  enum class Kind { Any, Regular };
  explicit RandomSlice(unsigned seed, Kind kind = Kind::Any) : random_(seed), kind_(kind) {
    for (unsigned source = 0; source < abi::kSliceSources - 1; ++source)
      slice.inputs.push_back({static_cast<std::uint8_t>(source), 4, 0, 0, 0});
    slice.inputs.back().bytes = 8; // a parameter
    for (const std::uint64_t constant :
         std::initializer_list<std::uint64_t>{0, 1, 4, 31, 64, 200, 0x7ffffe00, 0xfffffe00, 0xffffffff, ~0ull,
                                              1ull << 31, 0x3ff0000000000000, kMemoryMask, kMemory})
      slice.constants.push_back(constant);
    own_ = static_cast<std::uint16_t>(slice.inputs.size() + slice.constants.size());
    counter_ = static_cast<std::uint16_t>(own_ + kOwn);
    slice.registerCount = counter_ + 2u;
    if (kind == Kind::Regular)
      placeEach();
    for (int part = 0; part < 3; ++part) {
      straight(8);
      loop();
      branch();
    }
    add({op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0});
  }
  trace::Slice slice;

private:
  static constexpr unsigned kOwn = 10;
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::uint16_t any() { return static_cast<std::uint16_t>(below(own_ + kOwn)); }
  std::uint16_t own() { return static_cast<std::uint16_t>(own_ + below(kOwn)); }
  std::uint16_t here() const { return static_cast<std::uint16_t>(slice.code.size()); }
  void add(const SliceInstruction &instruction) { slice.code.push_back(instruction); }

  void straight(unsigned count) {
    for (unsigned n = 0; n < count; ++n) {
      SliceInstruction i{};
      if (below(5) == 0) {
        const std::uint16_t address = kind_ == Kind::Regular ? own() : any();
        i = {op(SliceOperation::Access), 0, 0, address, static_cast<std::uint16_t>(below(4)), 0, 0};
      } else if (below(12) == 0) {
        i = {op(SliceOperation::Barrier), 0, 0, 0, 0, 0, 0};
      } else if (kind_ == Kind::Regular) {
        i = regular();
      } else if (below(12) == 0) {
        const auto base = static_cast<std::uint16_t>(own_ - 1), mask = static_cast<std::uint16_t>(own_ - 2);
        const std::uint16_t address = own();
        add({op(SliceOperation::And), 64, address, any(), mask, 0, 0});
        add({op(SliceOperation::Add), 64, address, address, base, 0, 0});
        i = {
            op(SliceOperation::Load), static_cast<std::uint8_t>(8 * (1 + below(8))), own(), address, 0, 0, 0};
      } else {
        i.operation = static_cast<std::uint8_t>(below(op(SliceOperation::Access)));
        const auto operation = static_cast<SliceOperation>(i.operation);
        constexpr unsigned kWidths[] = {1, 8, 16, 32, 32, 64, 64, 33};
        unsigned width = kWidths[below(8)];
        if (operation == SliceOperation::ReverseBytes)
          width = 16 * (1 + below(4));
        if (operation == SliceOperation::CompareFloat)
          width = below(2) ? 32 : 64, i.other = static_cast<std::uint16_t>(below(16));
        if (operation == SliceOperation::SignExtend)
          i.other = static_cast<std::uint16_t>(1 + below(width));
        i.width = static_cast<std::uint8_t>(width);
        i.result = own();
        // As the pass makes them: operands are not wider than the operation.
        const auto operand = [&] {
          const std::uint16_t from = any(), to = own();
          if (operation != SliceOperation::Choose && operation != SliceOperation::Move &&
              operation != SliceOperation::Truncate && operation != SliceOperation::CountOnes) {
            const unsigned bits = operation == SliceOperation::SignExtend ? i.other : width;
            add({op(SliceOperation::Truncate), static_cast<std::uint8_t>(bits), to, from, 0, 0, 0});
            return to;
          }
          return from;
        };
        i.a = operand();
        i.b = operand();
        if (i.b != i.a && below(3) != 0)
          i.b = i.a; // a later truncation may have widened nothing: both are narrow
        i.c = any();
        if (operation == SliceOperation::FunnelShiftLeft || operation == SliceOperation::FunnelShiftRight)
          i.c = i.b;
      }
      add(i);
    }
  }

  std::uint16_t small() { return static_cast<std::uint16_t>(slice.inputs.size() + below(6)); } ///< constant
  std::uint16_t place() { return static_cast<std::uint16_t>(below(6)); } ///< of a thread or a block

  /// Values that are some bytes further on from block to block, to begin with.
  void placeEach() {
    for (std::uint16_t to = own_; to < own_ + 5; ++to) {
      const auto grid = static_cast<std::uint16_t>(3 + below(3));
      add({op(SliceOperation::Multiply), 32, to, below(3) ? std::uint16_t{3} : grid, small(), 0, 0});
      add({op(SliceOperation::Add), 32, to, to, place(), 0, 0});
      if (below(3) == 0) // soon over the end of what is signed, or of what there is
        add({op(SliceOperation::Add), 32, to, to,
             static_cast<std::uint16_t>(slice.inputs.size() + 6 + below(2)), 0, 0});
    }
  }

  /// Of 32 bits, in all registers of its own.
  SliceInstruction regular() {
    using enum SliceOperation;
    constexpr SliceOperation kOperations[] = {Move,
                                              Add,
                                              Add,
                                              Subtract,
                                              Multiply,
                                              ShiftLeft,
                                              ShiftRight,
                                              ShiftRightSigned,
                                              DivideUnsigned,
                                              DivideSigned,
                                              RemainderSigned,
                                              RemainderUnsigned,
                                              And,
                                              Or,
                                              Xor,
                                              MinimumUnsigned,
                                              MaximumUnsigned,
                                              MinimumSigned,
                                              MaximumSigned,
                                              Choose,
                                              Choose,
                                              SignExtend};
    SliceInstruction i{op(kOperations[below(std::size(kOperations))]), 32, own(), own(), 0, own(), 16};
    i.b = below(3) ? small() : below(2) ? own() : place();
    if (i.operation == op(Choose)) {
      i.a = condition();
    } else if (i.operation == op(SignExtend)) {
      add({op(Truncate), 16, i.result, i.a, 0, 0, 0});
      i.a = i.result;
    }
    return i;
  }

  /// Where a comparison's result is.
  std::uint16_t condition() {
    using enum SliceOperation;
    constexpr SliceOperation kOperations[] = {Equal,      NotEqual,       LessUnsigned, LessEqualUnsigned,
                                              LessSigned, LessEqualSigned};
    const auto to = static_cast<std::uint16_t>(counter_ + 1);
    add({op(kOperations[below(6)]), 32, to, own(), below(3) ? below(2) ? small() : place() : own(), 0, 0});
    return to;
  }

  void loop() {
    const auto zero = static_cast<std::uint16_t>(slice.inputs.size()),
               one = static_cast<std::uint16_t>(zero + 1);
    add({op(SliceOperation::Move), 64, counter_, zero, 0, 0, 0});
    const std::uint16_t start = here();
    straight(5);
    branch();
    add({op(SliceOperation::Add), 32, counter_, counter_, one, 0, 0});
    const auto bound =
        static_cast<std::uint16_t>(below(2) ? 3 + zero - 1 : below(3)); // 4, or a thread's index
    add({op(SliceOperation::LessUnsigned), 32, static_cast<std::uint16_t>(counter_ + 1), counter_, bound, 0,
         0});
    const auto behind = static_cast<std::uint16_t>(here() + 1);
    add({op(SliceOperation::Branch), 0, below(3) ? behind : abi::kSliceNowhere,
         static_cast<std::uint16_t>(counter_ + 1), start, behind, 0});
  }

  /// Ways with something in them, which may meet anywhere behind, or end.
  void branch() {
    const std::uint16_t on = kind_ == Kind::Regular ? condition() : any(), at = here();
    add({op(SliceOperation::Branch), 0, 0, on, static_cast<std::uint16_t>(at + 1), 0, 0});
    straight(3);
    const std::uint16_t jump = here();
    add({below(6) ? op(SliceOperation::Jump) : op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0});
    slice.code[at].c = here();
    straight(3);
    slice.code[jump].b = here();
    slice.code[at].result = below(4)   ? here()
                            : below(2) ? abi::kSliceNowhere
                                       : static_cast<std::uint16_t>(here() - 1);
  }

  std::mt19937 random_;
  const Kind kind_;
  std::uint16_t own_ = 0, counter_ = 0;
};

/// Of records of one block, which ran on multiprocessor 5.
void addAccesses(std::span<const trace::Word> words, std::uint64_t cta, const trace::Launch &launch,
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

ThreadAccesses derived(DerivedBlock &run, std::uint64_t cta, const trace::Launch &launch,
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
std::size_t compare(const ThreadAccesses &found, const trace::Slice &slice, const trace::Launch &launch,
                    std::uint64_t cta) {
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

constexpr trace::Dim3 kBlocks[] = {{32, 1, 1}, {70, 1, 1}, {16, 4, 1}, {8, 3, 3}, {1, 33, 1}, {128, 1, 2}};

} // namespace

TEST_CASE("random slices give what each of their threads would access, in its order", "[random]") {
  constexpr trace::Dim3 kGrids[] = {{3, 1, 1}, {2, 2, 1}, {1, 2, 3}};
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::size_t accesses = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    const RandomSlice random(seed);
    REQUIRE(trace::brokenSliceRule(random.slice, 4) == "");
    trace::Launch launch;
    launch.block = kBlocks[seed % std::size(kBlocks)];
    launch.grid = kGrids[seed % std::size(kGrids)];
    launch.sliceValues = {seed % 3 ? seed * 0x9e3779b97f4a7c15ull : seed};
    REQUIRE(random.slice.launchInputs() == 1);
    DerivedBlock run(random.slice, kLoads, launch, memory);
    for (const std::uint64_t cta :
         {std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z - 1, std::uint64_t{0}}) {
      const ThreadAccesses found = derived(run, cta, launch, seed % 2 ? 64 : 100000);
      accesses += compare(found, random.slice, launch, cta);
    }
  }
  CHECK(accesses > 1000000);
}

TEST_CASE("what one run says of blocks that are alike is what each of their threads would access",
          "[random]") {
  constexpr trace::Dim3 kGrids[] = {{40, 1, 1}, {17, 2, 1}, {1, 19, 2}, {1, 1, 16}};
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::size_t blocks = 0, alike = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    const RandomSlice random(seed, seed % 4 ? RandomSlice::Kind::Regular : RandomSlice::Kind::Any);
    REQUIRE(trace::brokenSliceRule(random.slice, 4) == "");
    trace::Launch launch;
    launch.block = kBlocks[seed % std::size(kBlocks)];
    launch.grid = kGrids[seed / 4 % std::size(kGrids)];
    launch.sliceValues = {seed % 3 ? 0x7f0000000000ull + 64ull * seed : seed};
    DerivedBlock run(random.slice, kLoads, launch, memory);
    const std::uint64_t all = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    for (std::uint64_t cta = seed % 5 % all; cta < all; cta += run.alike()) {
      std::vector<trace::Word> words;
      std::vector<std::int64_t> shifts;
      run.begin(cta, 5, all - cta);
      while (!run.runFor(words, words.size() + 64, &shifts).isDone) {
      }
      REQUIRE(run.alike() >= 1);
      REQUIRE(run.alike() <= all - cta);
      ++blocks;
      alike += run.alike() - 1;
      for (std::uint64_t place = 0; place < run.alike(); ++place) {
        std::vector<trace::Word> like;
        addLike(words, place, {cta + place, 5}, [&](std::size_t record) { return shifts.at(record); }, like);
        ThreadAccesses found;
        addAccesses(like, cta + place, launch, found);
        compare(found, random.slice, launch, cta + place);
      }
      if (seed % 8 == 0 && blocks % 3) // the other blocks of this one are left out: it takes long
        break;
    }
  }
  CHECK(blocks > 3000);
  CHECK(alike > 1500);
}

TEST_CASE("blocks are not alike where lanes of a warp grow differently from block to block") {
  // 3: block * 4; 4: block * 8; 5: whether the thread is below 4
  trace::Slice slice;
  for (const SliceSource source : {SliceSource::BlockX, SliceSource::ThreadX})
    slice.inputs.push_back({static_cast<std::uint8_t>(source), 4, 0, 0, 0});
  slice.constants = {4};
  slice.registerCount = 7;
  const std::vector<SliceInstruction> begin = {{op(SliceOperation::Multiply), 32, 3, 0, 2, 0, 0},
                                               {op(SliceOperation::Add), 32, 4, 3, 3, 0, 0},
                                               {op(SliceOperation::LessUnsigned), 32, 5, 1, 2, 0, 0}};
  const SliceInstruction access{op(SliceOperation::Access), 0, 0, 6, 0, 0, 0},
      exit{op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0};
  const auto check = [&](std::vector<SliceInstruction> then, std::uint64_t alike) {
    slice.code = begin;
    slice.code.insert(slice.code.end(), then.begin(), then.end());
    slice.code.insert(slice.code.end(), {access, exit});
    REQUIRE(trace::brokenSliceRule(slice, 4) == "");
    trace::Launch launch;
    launch.grid = {10, 1, 1};
    launch.block = {32, 1, 1};
    const LaunchMemory none;
    DerivedBlock run(slice, kLoads, launch, none);
    std::vector<trace::Word> words;
    run.begin(2, 5, 8);
    REQUIRE(run.runFor(words, 1000).isDone);
    CHECK(run.alike() == alike);
  };
  const auto choose = [](std::uint16_t yes, std::uint16_t no) {
    return SliceInstruction{op(SliceOperation::Choose), 0, 6, 5, yes, no, 0};
  };
  check({choose(3, 4)}, 1);
  check({choose(3, 1)}, 1);
  check({choose(3, 3)}, 8);
  // if (5) 6 = 3, behind 6 = 4 or 6 = 3 + 1
  const SliceInstruction branch{op(SliceOperation::Branch), 0, 6, 5, 5, 6, 0},
      move{op(SliceOperation::Move), 0, 6, 3, 0, 0, 0};
  check({{op(SliceOperation::Move), 0, 6, 4, 0, 0, 0}, branch, move}, 1);
  check({{op(SliceOperation::Add), 32, 6, 3, 1, 0, 0}, branch, move}, 8);
}

TEST_CASE("a slice without an end is left after each piece of work") {
  trace::Slice slice;
  slice.registerCount = 1;
  slice.code = {{op(SliceOperation::Jump), 0, 0, 0, 0, 0, 0}};
  REQUIRE(trace::brokenSliceRule(slice, 1) == "");
  trace::Launch launch;
  const LaunchMemory none;
  DerivedBlock run(slice, kLoads, launch, none);
  run.begin(0, 0);
  std::vector<trace::Word> words;
  for (int i = 0; i < 3; ++i) {
    const DerivedBlock::Progress progress = run.runFor(words, 100);
    CHECK_FALSE(progress.isDone);
    CHECK(progress.steps == DerivedBlock::kMostSteps);
  }
  CHECK(words.empty());
}

TEST_CASE("records behind a barrier come behind those of all warps before it") {
  // access site 0; barrier; access site 1
  trace::Slice slice;
  slice.inputs = {{static_cast<std::uint8_t>(SliceSource::ThreadX), 4, 0, 0, 0}};
  slice.registerCount = 1;
  slice.code = {{op(SliceOperation::Access), 0, 0, 0, 0, 0, 0},
                {op(SliceOperation::Barrier), 0, 0, 0, 0, 0, 0},
                {op(SliceOperation::Access), 0, 0, 0, 1, 0, 0},
                {op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0}};
  trace::Launch launch;
  launch.block = {100, 1, 1};
  const LaunchMemory none;
  DerivedBlock run(slice, kLoads, launch, none);
  run.begin(0, 0);
  std::vector<trace::Word> words;
  CHECK(run.runFor(words, 100).isDone);
  std::vector<std::uint32_t> sites;
  for (std::size_t at = 0; at < words.size(); at += abi::kHeadWords) {
    abi::RecordHead head;
    std::memcpy(&head, &words[at], sizeof head);
    sites.push_back(abi::siteOf(head.siteAndForm));
  }
  CHECK(sites == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("memory is looked up over the ends of pieces, and nowhere else") {
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  for (std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{abi::kPieceBytes - 3}, kMemoryBytes - 8})
    for (unsigned bytes = 1; bytes <= 8; ++bytes) {
      std::uint64_t expected = 0;
      std::memcpy(&expected, &kBytes[offset], bytes);
      CHECK(memory.at(kMemory + offset, bytes) == expected);
    }
  CHECK_THROWS_AS(memory.at(kMemory - 1, 4), UnknownMemory);
  CHECK_THROWS_AS(memory.at(kMemory + kMemoryBytes - 3, 4), UnknownMemory);
  CHECK_THROWS_AS(memory.at(0, 1), UnknownMemory);
  CHECK(memory.meets(kMemory - 3, 4));
  CHECK_FALSE(memory.meets(kMemory - 4, 4));
  CHECK(memory.meets(kMemory + kMemoryBytes - 1, 4));
  CHECK_FALSE(memory.meets(kMemory + kMemoryBytes, 4));
}

TEST_CASE("a launch that writes to the memory that it looks up is not derived") {
  // load threadIdx.x from a parameter's address; access site 0 there
  trace::Slice slice;
  slice.inputs = {{static_cast<std::uint8_t>(SliceSource::Parameter), 8, 0, 0, 0},
                  {static_cast<std::uint8_t>(SliceSource::ThreadX), 4, 0, 0, 0}};
  slice.registerCount = 4;
  slice.code = {{op(SliceOperation::Add), 64, 2, 0, 1, 0, 0},
                {op(SliceOperation::Load), 8, 3, 2, 0, 0, 0},
                {op(SliceOperation::Access), 0, 0, 2, 0, 0, 0},
                {op(SliceOperation::Exit), 0, 0, 0, 0, 0, 0}};
  REQUIRE(trace::brokenSliceRule(slice, 4) == "");
  trace::Launch launch;
  launch.block = {32, 1, 1};
  launch.sliceValues = {kMemory};
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::vector<trace::Site> sites(4);
  sites[0].bytes = 1;
  std::vector<trace::Word> words;
  DerivedBlock reads(slice, sites, launch, memory);
  reads.begin(0, 0);
  CHECK(reads.runFor(words, 100).isDone);
  sites[0].operation = abi::Operation::Store;
  DerivedBlock writes(slice, sites, launch, memory);
  writes.begin(0, 0);
  CHECK_THROWS_AS(writes.runFor(words, 100), UnknownMemory);
}

TEST_CASE("slices that break a rule are refused") {
  const trace::Slice good = RandomSlice(1).slice;
  REQUIRE(trace::brokenSliceRule(good, 4) == "");
  CHECK(trace::brokenSliceRule(good, 0) == "a slice names a site that is not there");
  trace::Slice bad = good;
  bad.code.push_back({op(SliceOperation::Barrier), 0, 0, 0, 0, 0, 0});
  CHECK(trace::brokenSliceRule(bad, 4) == "a slice does not end in an exit or a jump");
  bad = good;
  bad.registerCount = 3;
  CHECK(trace::brokenSliceRule(bad, 4) == "a slice has fewer registers than inputs and constants");
  bad = good;
  bad.code[0].operation = abi::kSliceOperations;
  CHECK(trace::brokenSliceRule(bad, 4) == "an instruction of a slice is unknown");
  bad = good;
  bad.code[0] = {op(SliceOperation::Load), 12, bad.code[0].result, 0, 0, 0, 0};
  bad.code[0].result = static_cast<std::uint16_t>(bad.registerCount - 1);
  CHECK(trace::brokenSliceRule(bad, 4) ==
        "an instruction of a slice has a width that is not a multiple of 8");
  const LaunchMemory memory = memoryOf(kMemory, kBytes);
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) { // no byte of an instruction lets one out of the slice
    bad = good;
    SliceInstruction &spoiled = bad.code[random() % bad.code.size()];
    reinterpret_cast<unsigned char *>(&spoiled)[random() % sizeof spoiled] =
        static_cast<unsigned char>(random());
    if (!trace::brokenSliceRule(bad, 4).empty())
      continue;
    trace::Launch launch;
    launch.sliceValues = {random()};
    DerivedBlock run(bad, kLoads, launch, memory);
    run.begin(0, 0);
    std::vector<trace::Word> words;
    try {
      run.runFor(words, 10000);
    } catch (const UnknownMemory &) { // an address that is spoiled
    }
  }
}

TEST_CASE("how many blocks a launch records") {
  trace::Launch launch;
  launch.grid = {5, 4, 1};
  CHECK(trace::selectedBlocks(launch) == 20);
  launch.ctas = {3, 17, 1};
  CHECK(trace::selectedBlocks(launch) == 14);
  launch.ctas = {3, 17, 4}; // 4, 8, 12, 16
  CHECK(trace::selectedBlocks(launch) == 4);
  launch.ctas = {0, UINT64_MAX, 7}; // 0, 7, 14
  CHECK(trace::selectedBlocks(launch) == 3);
  launch.ctas = {40, UINT64_MAX, 1};
  CHECK(trace::selectedBlocks(launch) == 0);
}
