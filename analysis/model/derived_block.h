/// Runs a slice (devicelib/abi/slice.h) for the blocks of a launch, and gives the records that their accesses
/// would have left.
///
/// Each warp runs as far as it gets, to its end or to a barrier, and then the next one; behind a barrier all go on.
/// So records of a warp stand in the order of the program, and what barriers order between warps stands in that order.
/// (A GPU mixes warps as it likes in between.)
///
/// Values of a warp's lanes are kept as `base + stride * lane` as long as that says them exactly, and one by one otherwise:
/// regular kernels run at the cost of a few scalar operations for each instruction of a warp.
///
/// Slices come from files that may be damaged or made to do harm. They have kept the rules (trace::brokenSliceRule), so
/// whatever they do ends in `runFor`'s bounds; only their owner's patience is limited.
#ifndef CUPR_ANALYSIS_DERIVED_BLOCK_H
#define CUPR_ANALYSIS_DERIVED_BLOCK_H

#include "hostlib/trace/chunk.h"
#include "hostlib/trace/events.h"
#include "hostlib/trace/slice.h"

#include <array>
#include <cstdint>
#include <vector>

namespace cupr::analysis {

class DerivedBlock {
public:
  /// Both must outlive this, and keep the rules of trace::brokenDerivationRule.
  DerivedBlock(const trace::Slice &slice, const trace::Launch &launch);
  ~DerivedBlock();
  DerivedBlock(const DerivedBlock &) = delete;
  DerivedBlock &operator=(const DerivedBlock &) = delete;

  /// Begins block `cta` of the launch, which ran on multiprocessor `sm`.
  void begin(std::uint64_t cta, std::uint32_t sm);

  struct Progress {
    std::uint64_t steps = 0; ///< instructions of warps
    bool isDone = false;
  };
  /// Adds the next records of the block to `words`: until there are `enough` words in it, the block is done, or `kMostSteps`
  /// steps have been made.
  Progress runFor(std::vector<trace::Word> &words, std::size_t enough);
  static constexpr std::uint64_t kMostSteps = 1u << 20;

private:
  static constexpr unsigned kLanes = 32;
  using Lanes = std::array<std::uint64_t, kLanes>;

  /// A register of a warp. Affine: lane n has base + stride * n, with no carry out of the value's width in any of the 32
  /// lanes. Mask: bit n of base. Each: the Lanes that belong to the register.
  struct Register {
    enum class Kind : std::uint8_t { Affine, Mask, Each };
    std::uint64_t base = 0;
    std::int64_t stride = 0;
    Kind kind = Kind::Affine;
  };
  /// Threads that run together, up to where they meet others.
  struct Path {
    std::uint32_t at, lanes, meeting;
  };
  struct Warp {
    enum class State : std::uint8_t { Ready, Waiting, Done };
    std::vector<Path> paths; ///< the last one runs
    std::uint32_t alive = 0; ///< lanes that have not ended
    State state = State::Done;
  };

  std::uint64_t inputValue(const abi::SliceInput &input, std::uint64_t launchValue) const;
  void beginWarp(unsigned number);
  std::uint64_t runWarp(unsigned number, std::vector<trace::Word> &words, std::size_t enough,
                        std::uint64_t mostSteps);
  void execute(const abi::SliceInstruction &instruction);
  void branch(const abi::SliceInstruction &instruction);
  void endThreads();
  void emitAccess(const abi::SliceInstruction &instruction, std::vector<trace::Word> &words);

  Register &at(std::uint16_t number) { return registers_[number]; }
  Lanes &lanesOf(std::uint16_t number) { return lanes_[number]; }
  const Lanes &each(std::uint16_t number, Lanes &scratch);
  std::uint32_t maskOf(std::uint16_t number);
  bool isUniform(std::uint16_t number) const;
  void set(std::uint16_t number, const Register &value);
  void setAffine(std::uint16_t number, std::uint64_t base, std::uint64_t stride, unsigned width);
  void setMask(std::uint16_t number, std::uint32_t mask);
  template <typename Function> void setEach(std::uint16_t number, Function value);
  template <typename Function> void combine(const abi::SliceInstruction &instruction, Function function);
  template <typename Function>
  void compare(const abi::SliceInstruction &instruction, bool isSigned, Function function);
  void addAffine(const abi::SliceInstruction &instruction, bool subtracts);
  void multiply(const abi::SliceInstruction &instruction, std::uint16_t many, std::uint64_t factor);
  void choose(const abi::SliceInstruction &instruction);
  void makeEach(std::uint16_t number);

  const trace::Slice &slice_;
  const trace::Launch &launch_;
  const unsigned threads_, blockWidth_;
  std::uint64_t cta_ = 0;
  std::uint32_t sm_ = 0;
  std::vector<Warp> warps_;
  unsigned current_ = 0;               ///< warp
  std::vector<Register> allRegisters_; ///< by warp
  std::vector<Lanes> allLanes_;        ///< by warp
  Register *registers_ = nullptr;      ///< of the warp that runs
  Lanes *lanes_ = nullptr;             ///< likewise
  Warp *warp_ = nullptr;               ///< likewise
  std::uint32_t active_ = 0;           ///< lanes that run
};

} // namespace cupr::analysis

#endif
