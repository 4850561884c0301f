/// Whether timed accesses are timed: looks in the assembler's output for what each interval's second clock waits for.
///
/// The pass writes PTX in which a comparison needs what the access brings, and the clock is taken under the comparison's predicate
/// (pass/access_timing.h). It is up to ptxas what becomes of it: it reads the clock in advance, and nothing but its habits keep that
/// read behind the comparison. So each interval is found in the machine code by the numbers that it compares with
/// (devicelib/abi/interval_mark.h), and between its access and its second clock there must be an instruction that waits for the access's
/// scoreboard, or the fence's. An interval whose code does not show that is refused: its access is recorded without a time.
///
/// What the driver assembles of PTX for newer GPUs is not looked at.
#ifndef CUPR_TOOL_LATENCY_AUDIT_H
#define CUPR_TOOL_LATENCY_AUDIT_H

#include "devicelib/abi/interval_mark.h"
#include "machine_code.h"

#include <string>
#include <string_view>
#include <vector>

namespace cupr::tool {

struct TimedInterval {
  std::uint32_t number = 0;
  abi::IntervalWait wait = abi::IntervalWait::Nothing;
  std::string place; ///< `file:line:column`, or a function
};

/// Of the pass's list (devicelib/abi/interval_mark.h).
std::vector<TimedInterval> readIntervals(std::string_view list);

struct RefusedInterval {
  TimedInterval interval;
  std::string reason;
};

/// The intervals that the functions of a program don't bear out. One that is there several times, since ptxas has unrolled a loop,
/// must be right each time.
std::vector<RefusedInterval> auditIntervals(const std::vector<TimedInterval> &intervals,
                                            const std::vector<std::vector<MachineInstruction>> &functions);

} // namespace cupr::tool

#endif
