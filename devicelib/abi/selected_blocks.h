/// Which blocks of a launch are recorded, as its trace argument says (Trace::ctaPeriod). Blocks are named by their linear
/// number.
#ifndef CUPR_ABI_SELECTED_BLOCKS_H
#define CUPR_ABI_SELECTED_BLOCKS_H

#include "record_head.h"
#include "trace_argument.h"

#include <cstdint>

namespace cupr {
namespace abi {

CUPR_RECORD_FUNCTION bool isSelected(const Trace &trace, std::uint64_t cta) {
  return trace.ctaPeriod == 0 || (cta >= trace.ctaFirst && cta < trace.ctaEnd && cta % trace.ctaPeriod == 0);
}

/// Whether it is the one of them with the smallest number.
CUPR_RECORD_FUNCTION bool isFirstSelected(const Trace &trace, std::uint64_t cta) {
  if (trace.ctaPeriod == 0)
    return cta == 0;
  return isSelected(trace, cta) && cta - trace.ctaFirst < trace.ctaPeriod;
}

} // namespace abi
} // namespace cupr

#endif
