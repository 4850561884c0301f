/// Slices to try what runs them with.
#ifndef CUPR_TEST_ANALYSIS_RANDOM_SLICE_H
#define CUPR_TEST_ANALYSIS_RANDOM_SLICE_H

#include "slice_reference.h"

namespace cupr::test {

/// Random slices that end: jumps go forwards, but for the last instruction of a loop that counts.
class RandomSlice {
public:
  /// Regular: as everyday kernels compute, mostly with small constants; without looking up anything.
  enum class Kind { Any, Regular };
  explicit RandomSlice(unsigned seed, Kind kind = Kind::Any) : random_(seed), kind_(kind) {
    for (unsigned source = 0; source < static_cast<unsigned>(abi::SliceSource::Variable); ++source)
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

} // namespace cupr::test

#endif
