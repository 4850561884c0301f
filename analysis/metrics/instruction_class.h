/// What the name of a class of instructions says (cuprewrite/pass/instruction_class.h): which figures of a roofline it counts for.
#ifndef CUPR_ANALYSIS_INSTRUCTION_CLASS_H
#define CUPR_ANALYSIS_INSTRUCTION_CLASS_H

#include <cstdint>
#include <string>
#include <string_view>

namespace cupr::analysis {

/// What instructions of a class do to numbers. A division or a root is one operation, as in the source, although the machine takes several
/// instructions for it; comparisons and conversions are none.
struct ClassWork {
  /// `fp32`, `fp64`, `fp16`, `bf16`, `int32`, `int64`, or of tensor cores what they multiply, as `tensor.f16`; empty: none.
  std::string precision;
  std::uint64_t ofThread = 0; ///< operations of each thread, a multiply-add being two
  std::uint64_t ofWarp = 0;   ///< of each warp, of instructions that a warp executes as a whole
};
ClassWork workOf(std::string_view instructionClass);

} // namespace cupr::analysis

#endif
