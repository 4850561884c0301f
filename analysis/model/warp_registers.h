/// The registers of a warp that runs a slice (devicelib/abi/slice.h): the value of each in each of the 32 lanes, and what the
/// instructions that compute do to them.
///
/// Values are kept as `base + stride * lane` as long as that says them exactly, and lane by lane otherwise: an instruction of a
/// regular kernel is a few scalar operations. Lanes that don't run, but will again, keep what they have.
#ifndef CUPR_ANALYSIS_WARP_REGISTERS_H
#define CUPR_ANALYSIS_WARP_REGISTERS_H

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

  explicit WarpRegisters(std::size_t count) : registers_(count), lanes_(count) {}

  /// The lanes that run from now on, and those that will run at all.
  void select(std::uint32_t active, std::uint32_t alive) {
    active_ = active;
    alive_ = alive;
  }

  /// The values (base + stride * lane) modulo 2^width.
  void setAffine(std::uint16_t number, std::uint64_t base, std::uint64_t stride, unsigned width);
  /// `value(lane)`.
  template <typename Function> void setEach(std::uint16_t number, Function value);
  /// Registers from this one on are 0.
  void clearFrom(std::size_t number);
  /// An instruction whose result is a register.
  void execute(const abi::SliceInstruction &instruction);

  /// The lanes in which it is not 0. Of those that don't run: anything.
  std::uint32_t maskOf(std::uint16_t number) const;
  /// The value of each lane, likewise. `scratch` is where it may be put.
  const Lanes &each(std::uint16_t number, Lanes &scratch) const;
  /// Whether the values are base + stride * lane.
  bool isAffine(std::uint16_t number, std::uint64_t &base, std::int64_t &stride) const;

private:
  /// Affine: lane n has base + stride * n, with no carry out of the value's width in any of the 32 lanes. Mask: bit n of base. Each:
  /// the Lanes that belong to the register.
  struct Register {
    enum class Kind : std::uint8_t { Affine, Mask, Each };
    std::uint64_t base = 0;
    std::int64_t stride = 0;
    Kind kind = Kind::Affine;
  };

  bool isUniform(std::uint16_t number) const {
    return registers_[number].kind == Register::Kind::Affine && registers_[number].stride == 0;
  }
  void set(std::uint16_t number, const Register &value);
  void setMask(std::uint16_t number, std::uint32_t mask);
  void makeEach(std::uint16_t number);
  void take(std::uint16_t number, std::uint16_t from);
  template <typename Function> void map(const abi::SliceInstruction &instruction, Function function);
  template <typename Function> void combine(const abi::SliceInstruction &instruction, Function function);
  template <typename Function> void combineBits(const abi::SliceInstruction &instruction, Function function);
  template <typename Function>
  void compare(const abi::SliceInstruction &instruction, bool isSigned, Function function);
  void add(const abi::SliceInstruction &instruction, bool subtracts);
  void multiply(const abi::SliceInstruction &instruction, std::uint16_t many, std::uint64_t factor);
  void compareFloats(const abi::SliceInstruction &instruction);
  void choose(const abi::SliceInstruction &instruction);
  void truncate(const abi::SliceInstruction &instruction);
  void signExtend(const abi::SliceInstruction &instruction);
  void funnelShift(const abi::SliceInstruction &instruction, bool isLeft);

  std::vector<Register> registers_;
  std::vector<Lanes> lanes_; ///< of each register; meant where its kind is Each
  std::uint32_t active_ = 0, alive_ = 0;
};

template <typename Function> void WarpRegisters::setEach(std::uint16_t number, Function value) {
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

} // namespace cupr::analysis

#endif
