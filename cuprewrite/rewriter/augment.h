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

#include "diagnostics.h"
#include "edit.h"

namespace cupr::rewrite {

struct Augmentation {
  EditPlan plan;
  /// How many get, or hand over, the trace argument.
  unsigned kernels = 0, deviceFunctions = 0, launches = 0;
};

/// Plans all edits; reports what can't be done as errors and what is left alone
/// as warnings and remarks.
Augmentation augment(const Facts &facts, Diagnostics &diagnostics);

} // namespace cupr::rewrite

#endif
