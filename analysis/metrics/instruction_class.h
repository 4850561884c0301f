/// What the name of a class of instructions says (cuprewrite/pass/instruction_class.h): which figures of a roofline it counts for.
#ifndef CUPR_ANALYSIS_INSTRUCTION_CLASS_H
#define CUPR_ANALYSIS_INSTRUCTION_CLASS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace cupr::analysis {

/// What instructions of a class do to numbers. Divisions, roots and comparisons are no operations, as Nsight Compute counts: the machine
/// has no single instruction for the former, and the latter compute nothing.
struct ClassWork {
  /// `fp32`, `fp64`, `fp16`, `bf16`, `int32`, `int64`, or of tensor cores what they multiply, as `tensor.f16`; empty: none.
  std::string precision;
  std::uint64_t ofThread = 0; ///< operations of each thread, a multiply-add being two
  std::uint64_t ofWarp = 0;   ///< of each warp, of instructions that a warp executes as a whole
};
ClassWork workOf(std::string_view instructionClass);

/// What a table shows of it: `memory.global`, `compute.fp32`, `compute.tensor`, `warp`, `control`, `other`.
std::string_view groupOf(std::string_view instructionClass);

} // namespace cupr::analysis

#endif
