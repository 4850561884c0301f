/// Runs a slice (devicelib/abi/slice.h) for the blocks of a launch, and gives the records that their accesses
/// would have left.
///
/// Each warp runs as far as it gets, to its end or to a barrier, and then the next one; behind a barrier all go on.
/// So records of a warp stand in the order of the program, and what barriers order between warps stands in that order.
/// (A GPU mixes warps as it likes in between.)
///
/// What the instructions compute: warp_instructions.cpp. One run may stand for several blocks that do the same side by side
/// (block_family.h).
///
/// Slices come from files that may be damaged or made to do harm. They have kept the rules (trace::brokenSliceRule), so
/// whatever they do ends in `runFor`'s bounds; only their owner's patience is limited.
#ifndef CUPR_ANALYSIS_DERIVED_BLOCK_H
#define CUPR_ANALYSIS_DERIVED_BLOCK_H

#include "block_pattern.h"
#include "hostlib/trace/chunk.h"
#include "hostlib/trace/events.h"
#include "hostlib/trace/module.h"
#include "launch_memory.h"
#include "warp_registers.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cupr::analysis {

class DerivedBlock {
public:
  /// All must outlive this, and slice and launch keep the rules of trace::brokenDerivationRule. `sites`: those of the launch's
  /// module; `memory`: what the slice may look up; `variables`: each shared one that is an input of the slice.
  DerivedBlock(const trace::Slice &slice, std::span<const trace::Site> sites, const trace::Launch &launch,
               const LaunchMemory &memory, std::span<const PlacedVariable> variables = {});
  DerivedBlock(const DerivedBlock &) = delete;
  DerivedBlock &operator=(const DerivedBlock &) = delete;

  /// Begins block `cta` of the launch, which ran on multiprocessor `sm`, and as many of the `most` blocks from that on as may do the
  /// same.
  void begin(std::uint64_t cta, std::uint32_t sm, std::uint64_t most = 1);
  /// When the block is done: how many blocks, itself among them, do the same, each its shift further on.
  std::uint64_t alike() const { return family_.size(); }

  struct Progress {
    std::uint64_t steps = 0; ///< instructions of warps
    bool isDone = false;
  };
  /// Adds the next records of the block to `words`: until there are `enough` words in it, the block is done, or `kMostSteps`
  /// steps have been made. `shifts`, which may be null, gets for each record what its addresses grow by from block to block. Throws
  /// UnknownMemory.
  Progress runFor(std::vector<trace::Word> &words, std::size_t enough,
                  std::vector<std::int64_t> *shifts = nullptr);
  static constexpr std::uint64_t kMostSteps = 1u << 20;

private:
  /// Threads that run together, up to where they meet others.
  struct Path {
    std::uint32_t at, lanes, meeting;
  };
  struct Warp {
    enum class State : std::uint8_t { Ready, Waiting, Done };
    Warp(std::size_t registerCount, BlockFamily &family) : registers(registerCount, family) {}
    std::vector<Path> paths; ///< the last one runs
    std::uint32_t all = 0;   ///< lanes that hold threads
    std::uint32_t alive = 0; ///< those that have not ended
    State state = State::Done;
    WarpRegisters registers;
  };

  void setFixed(Warp &warp, unsigned first, unsigned present,
                std::span<const PlacedVariable> variables) const;
  std::uint32_t sizeOf(abi::SliceSource source) const;
  std::uint64_t runWarp(unsigned number, std::vector<trace::Word> &words, std::size_t enough,
                        std::uint64_t mostSteps);
  static void branch(Warp &warp, const abi::SliceInstruction &instruction);
  static void endThreads(Warp &warp);
  void load(Warp &warp, const abi::SliceInstruction &instruction);
  void setPlace(Warp &warp, const trace::Dim3 &place, abi::SliceSource moving) const;
  void mustLeaveMemoryAlone(std::uint32_t bytes, const WarpRegisters::Lanes &addresses,
                            std::uint32_t lanes) const;
  void emitAccess(unsigned warp, std::uint32_t lanes, const abi::SliceInstruction &instruction,
                  std::vector<trace::Word> &words);

  const trace::Slice &slice_;
  const std::span<const trace::Site> sites_;
  const trace::Launch &launch_;
  const LaunchMemory &memory_;
  LaunchMemory::Look look_;
  const unsigned threads_;
  std::uint64_t cta_ = 0;
  std::uint32_t sm_ = 0;
  BlockFamily family_;
  std::vector<std::int64_t> *shifts_ = nullptr; ///< while it runs
  std::vector<Warp> warps_;
  unsigned current_ = 0; ///< warp
};

} // namespace cupr::analysis

#endif
