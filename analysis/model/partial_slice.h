/// What of a slice (devicelib/abi/slice.h) a part of its accesses follows from: for who asks where a launch writes, and not what it reads.
///
/// The same again as the pass does with a kernel: an instruction stays if an access that is wanted, or whether it is made, follows from it.
/// Mostly little stays: of a loop that sums up a row only what its last line needs, and no turn of it.
#ifndef CUPR_ANALYSIS_PARTIAL_SLICE_H
#define CUPR_ANALYSIS_PARTIAL_SLICE_H

#include "hostlib/trace/slice.h"

#include <cstdint>
#include <functional>

namespace cupr::analysis {

/// A slice that makes the accesses at the sites that are wanted, each thread in the order that it has, and no other ones. It has no barriers: what
/// a warp does stands behind what it did itself, and between warps there is no order. Inputs, constants and registers are those of `slice`, which keeps
/// trace::brokenSliceRule, as what is returned does.
trace::Slice partialSlice(const trace::Slice &slice, const std::function<bool(std::uint32_t)> &isWanted);

} // namespace cupr::analysis

#endif
