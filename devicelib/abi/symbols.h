/// What the pass adds to a device module, and others find there by name.
///
/// For each kernel K (mangled name):
///
///     __cupr_traced_K   a second kernel, which records its accesses; K itself records nothing
///     __cupr_derived_K  a third one, of a kernel whose accesses are determined by its launches: it says which
///                       blocks began, and readers derive the accesses (slice.h)
///     __cupr_timed_K    of programs built to be timed: it records how long each of its accesses took (latency_scheme.h)
///     __cupr_kernel_K   a global variable, a KernelInfo (site_table.h): what the host must know of K
///
/// The hooks, which instrumented code calls, are in hooks.h.
#ifndef CUPR_ABI_SYMBOLS_H
#define CUPR_ABI_SYMBOLS_H

#include "version.h"

#define CUPR_TRACED_PREFIX "__cupr_traced_"
#define CUPR_DERIVED_PREFIX "__cupr_derived_"
#define CUPR_TIMED_PREFIX "__cupr_timed_"
#define CUPR_KERNEL_INFO_PREFIX "__cupr_kernel_"
/// const Trace *(void): how code that keeps its signature asks for the trace (device/cupr.h). The pass
/// answers, so that no call of it is left.
#define CUPR_CURRENT_SYMBOL CUPR_VERSIONED_TEXT(__cupr_current_v)

#endif
