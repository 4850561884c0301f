/// The registers of a warp that runs a slice (devicelib/abi/slice.h): the value of each in each of the 32 lanes, and what the
/// instructions that compute do to them.
///
/// Values are kept as `base + stride * lane` as long as that says them exactly, and lane by lane otherwise: an instruction of a
/// regular kernel is a few scalar operations. Lanes that don't run, but will again, keep what they have.
///
/// What is run is not one block but a family of them (block_family.h): a value also has a *shift*, what it grows by from one block to
/// the next, so that in block n of the family it is the value that is kept here plus n shifts. Instructions that would do something
/// else to a value in a later block, like going another way or overflowing, make the family smaller, in the end so small that it is
/// one block.
#ifndef CUPR_ANALYSIS_WARP_REGISTERS_H
#define CUPR_ANALYSIS_WARP_REGISTERS_H

#include "block_family.h"
#include "devicelib/abi/record_head.h"
#include "devicelib/abi/slice.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

class WarpRegisters {
public:
  static constexpr unsigned kLanes = abi::kLanes;
  using Lanes = std::array<std::uint64_t, kLanes>;

  /// `family`, which must outlive this, is shared by the warps of a block.
  WarpRegisters(std::size_t count, BlockFamily &family) : family_(family), registers_(count), lanes_(count) {}

  /// The lanes that run from now on, and those that will run at all.
  void select(std::uint32_t active, std::uint32_t alive) {
    active_ = active;
    alive_ = alive;
  }

  /// The values (base + stride * lane + shift * block) modulo 2^width.
  void setAffine(std::uint16_t number, std::uint64_t base, std::uint64_t stride, unsigned width,
                 std::uint64_t shift = 0);
  /// `value(lane)`, the same in all blocks.
  template <typename Function> void setEach(std::uint16_t number, Function value) {
    setLanes(number, value);
    setShift(number, 0);
  }
  /// Registers from this one on are 0.
  void clearFrom(std::size_t number);
  /// An instruction whose result is a register.
  void execute(const abi::SliceInstruction &instruction);

  /// The lanes in which it is not 0, in all blocks. Of those that don't run: anything.
  std::uint32_t maskOf(std::uint16_t number);
  /// The value of each lane in the family's first block, likewise. `scratch` is where it may be put.
  const Lanes &each(std::uint16_t number, Lanes &scratch) const;
  /// Whether the values are base + stride * lane, in the family's first block.
  bool isAffine(std::uint16_t number, std::uint64_t &base, std::int64_t &stride) const;
  /// What it grows by from block to block in these lanes; 0 from now on where they do not agree.
  std::int64_t shiftOf(std::uint16_t number, std::uint32_t lanes);
  std::int64_t shiftOf(std::uint16_t number) { return shiftOf(number, active_); }
  /// In lanes that run it is the same in all blocks, of which there is one left else.
  void mustStand(std::uint16_t number) {
    if (shiftOf(number) != 0)
      family_.keepFirst();
  }

private:
  static constexpr std::uint32_t kAllLanes = 0xffffffffu;
  static constexpr unsigned kLast = kLanes - 1;
  static constexpr std::uint64_t maskBits(unsigned width) {
    return width >= 64 ? ~0ull : (1ull << width) - 1;
  }
  static constexpr std::int64_t asSigned(std::uint64_t value, unsigned width) {
    const unsigned unused = 64 - width;
    return static_cast<std::int64_t>(value << unused) >> unused;
  }

  /// Affine: lane n has base + stride * n, with no carry out of the value's width in any of the 32 lanes. Mask: bit n of base. Each:
  /// the Lanes that belong to the register. From block to block those of `moving` grow by `shift`, with no carry either.
  struct Register {
    enum class Kind : std::uint8_t { Affine, Mask, Each };
    std::uint64_t base = 0;
    std::int64_t stride = 0;
    Kind kind = Kind::Affine;
    std::uint32_t moving = 0;
    std::int64_t shift = 0;
  };

  bool isUniform(std::uint16_t number) const {
    return registers_[number].kind == Register::Kind::Affine && registers_[number].stride == 0;
  }
  bool isStanding(std::uint16_t number) { return shiftOf(number) == 0; }
  void keepSign(std::uint16_t number, unsigned width);
  template <typename Function> void setLanes(std::uint16_t number, Function value);
  void setShift(std::uint16_t number, std::int64_t shift);
  template <typename Function>
  void setMoving(std::uint16_t number, Function value, unsigned width, std::uint64_t shift);
  void set(std::uint16_t number, const Register &value);
  void setMask(std::uint16_t number, std::uint32_t mask);
  void makeEach(std::uint16_t number);
  void take(std::uint16_t number, std::uint16_t from);
  template <typename Function> void map(const abi::SliceInstruction &instruction, Function function);
  template <typename Function> void combine(const abi::SliceInstruction &instruction, Function function);
  template <typename Function>
  void mapMoving(const abi::SliceInstruction &instruction, Function function, std::uint64_t shift);
  template <typename Function>
  void combineMoving(const abi::SliceInstruction &instruction, Function function, std::int64_t shift);
  bool divideMoving(const abi::SliceInstruction &instruction, std::uint64_t by, bool isSigned,
                    bool wantsRest);
  std::uint64_t largest(std::uint16_t number) const;
  template <typename Function> void combineBits(const abi::SliceInstruction &instruction, Function function);
  template <typename Function>
  std::uint32_t comparison(const abi::SliceInstruction &instruction, bool isSigned, Function function);
  template <typename Function>
  void compare(const abi::SliceInstruction &instruction, bool isSigned, Function function);
  template <typename Function>
  void chooseBetter(const abi::SliceInstruction &instruction, bool isSigned, Function isBetter);
  void add(const abi::SliceInstruction &instruction, bool subtracts);
  void multiply(const abi::SliceInstruction &instruction, std::uint16_t many, std::uint64_t factor);
  void multiply(const abi::SliceInstruction &instruction);
  void compareFloats(const abi::SliceInstruction &instruction);
  void choose(const abi::SliceInstruction &instruction);
  void truncate(const abi::SliceInstruction &instruction);
  void signExtend(const abi::SliceInstruction &instruction);
  void funnelShift(const abi::SliceInstruction &instruction, bool isLeft);

  BlockFamily &family_;
  std::vector<Register> registers_;
  std::vector<Lanes> lanes_; ///< of each register; meant where its kind is Each
  std::uint32_t active_ = 0, alive_ = 0;
};

/// The values in the family's first block.
template <typename Function> void WarpRegisters::setLanes(std::uint16_t number, Function value) {
  Lanes values;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    values[lane] = value(lane);
  Lanes &lanes = lanes_[number];
  if (active_ == alive_) {
    registers_[number].kind = Register::Kind::Each;
    lanes = values;
    return;
  }
  makeEach(number);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes[lane] = active_ >> lane & 1 ? values[lane] : lanes[lane];
}

/// `value(lane)`, of `width` bits, in the first block.
template <typename Function>
void WarpRegisters::setMoving(std::uint16_t number, Function value, unsigned width, std::uint64_t shift) {
  setLanes(number, value);
  const std::int64_t by = asSigned(shift, width);
  if (by != 0 && !family_.isSingle())
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (active_ >> lane & 1)
        family_.keepWithin(static_cast<__int128>(lanes_[number][lane]), by, 0,
                           static_cast<__int128>(maskBits(width)));
  setShift(number, by);
}

} // namespace cupr::analysis

#endif
