/// Clocks around accesses: how long each of a timed kernel's takes (devicelib/abi/latency_scheme.h).
///
///     %v = load float, ptr %p          with -cupr-latency=dependency:
///
///     %began = asm "mov.u32 $0, %clock; setp.ne.b32 q, $1, RARE; @q mov.u32 $0, %clock;" (%p's halves, what a store takes, and %tid.x, one xor the other)
///     %v = load float, ptr %p
///     %ended = asm "setp.ne.b32 q, $1, RARE; @q mov.u32 $0, %clock; @!q mov.u32 $0, %clock;" (%v)
///     %now = %clock64                  the beginning in 64 bits is so long ago
///     call the hook
///
/// Problem: ptxas puts a read of the clock wherever nothing forbids it, and the machine goes on behind a load until somebody needs what
/// it brings. An instruction that takes the clock under a predicate is behind the one that computes the predicate, which is behind
/// what that needs: of the first clock the address, whose arithmetic so stays in front; of the second what the scheme waits for. ptxas
/// takes the clock in advance and selects, but keeps the order, and instructions issue in order. The predicate holds but for one rare
/// value, and then the other read of the clock counts, a few cycles later.
///
/// 32 bits of a clock take one cheap instruction (CS2R.32), 64 of them 15 cycles more (H100). So the interval has clocks of 32 bits,
/// whose difference is right for accesses of less than 2^32 cycles.
///
/// What waits: for a load or an atomic operation the xor of all that it brings, each 32 bits of it; a fence of the block for what
/// brings nothing, and with the scheme `fence` for all memory that can be written. Not `membar.cta`: it does not wait for loads (H100:
/// 18 cycles for a load that takes 170). For `cp.async`, `cp.async.wait_all`: all copies of the thread are over then, and what the program
/// waits for later has come. With the scheme `use` that stands in front of the program's own wait.
///
/// The rare values are numbers of their own, two for each interval: by them the comparisons, and the clocks behind them, are found in
/// the machine code, where it is checked that something waits (tool/latency_audit.h). What fails is timed no more when the pass
/// is run again (-cupr-latency-without).
///
/// With the scheme `use` the second clock stands in front of the first instruction of the basic block that needs any of it, and
/// accesses between are under way at the same time. Their hooks, which take long, are called where no interval is open.
#ifndef CUPR_PASS_ACCESS_TIMING_H
#define CUPR_PASS_ACCESS_TIMING_H

#include "access.h"
#include "devicelib/abi/interval_mark.h"
#include "devicelib/abi/latency_scheme.h"

#include "llvm/ADT/MapVector.h"

namespace cupr::pass {

/// As the option -cupr-latency says; None: there are no timed kernels.
abi::LatencyScheme latencyScheme();

/// Whether it can be found out how long the access takes. Not of bulk copies, which an instruction begins and others wait for, nor of copies that are more
/// than one instruction.
bool isTimed(const Access &access);

/// Of one instruction.
struct AccessClocks {
  llvm::Value *began = nullptr;    ///< the clock in front of it, 64 bits
  llvm::Value *duration = nullptr; ///< cycles, in 64 bits
  /// Hooks of its accesses are called in front of this instruction, where no access is under way that is timed.
  llvm::Instruction *hooksBefore = nullptr;
};

/// What an instruction makes.
struct TimedInstruction {
  std::uint32_t number = 0; ///< of its interval in the module, from 1 on
  llvm::SmallVector<const Access *, 1> accesses;
};
/// Of one function, by instruction of its body.
using TimedInstructions = llvm::MapVector<llvm::Instruction *, TimedInstruction>;

/// Whether the interval of this number may be there: not if -cupr-latency-without names it.
bool isKept(std::uint32_t number);

/// What the interval's second clock waits for (abi/interval_mark.h).
abi::IntervalWait intervalWaitOf(const llvm::Instruction &instruction, const TimedInstruction &timed);

/// Writes what -cupr-latency-list asks for: `list` has the lines (abi/interval_mark.h).
void writeIntervals(llvm::StringRef list);

/// Puts clocks around instructions, by latencyScheme().
llvm::DenseMap<llvm::Instruction *, AccessClocks>
timeInstructions(const TimedInstructions &accesses, llvm::function_ref<llvm::Value *(llvm::Value *)> mapped);

} // namespace cupr::pass

#endif
