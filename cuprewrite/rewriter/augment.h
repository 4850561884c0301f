/// From facts to edits: who gets the trace argument, and what is inserted where.
///
///     kernel            k(const __grid_constant__ cupr::Trace cupr_trace, ...)
///     device function   f(const cupr::Trace &cupr_trace, ...)
///     call of one       f(cupr_trace, ...), or f(cupr::current(), ...) in code
///                       that keeps its signature
///     launch            k<<<...>>>(cupr_launch(0), ...)
///     other launches    k<<<cupr_place(0)->*...>>>(...): of kernels that keep their
///                       signature, and by calls that take the arguments as an array
///
/// The argument stands first: behind the others it would break default
/// arguments and parameter packs.
#ifndef CUPR_REWRITE_AUGMENT_H
#define CUPR_REWRITE_AUGMENT_H

#include "decision.h"
#include "edit.h"

namespace cupr::rewrite {

struct Augmentation {
  EditPlan plan;
  /// Of each kernel, device function and launch, by place.
  std::vector<Decision> decisions;
};

/// Plans all edits and decides; reports what can't be done as errors, but not the decisions (decision.h).
Augmentation augment(const Facts &facts, Diagnostics &diagnostics);

} // namespace cupr::rewrite

#endif
