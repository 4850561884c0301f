/// What nvcc offers to every CUDA source without an include, and clang does not.
///
/// cupr++ includes this before the first line of each CUDA source; by hand: `-include cupr/compatibility.h`.
/// Under nvcc, and in plain C++, it is empty. docs/compatibility.md lists what it bridges, and what it can't.
///
/// A program may define the same names itself: many do, since they were made to compile with clang before.
/// Its own definitions must neither clash with these nor lose against them. So what stands here
///
/// - is a template that takes a parameter pack beside the real parameters, which nobody else would declare.
///   Such a template is worse than any other function with these parameters;
/// - or, where clang declares a function that nothing defines, is an overload that is better than that
///   declaration (`enable_if`).
///
/// For user programs: C++11.
#ifndef CUPR_COMPATIBILITY_H
#define CUPR_COMPATIBILITY_H

#if defined(__clang__) && defined(__CUDA__)

#include <cupr/compatibility/compiler_macros.h>

#include <cupr/compatibility/atomics.h>
#include <cupr/compatibility/cache_hints.h>
#include <cupr/compatibility/declarations.h>
#include <cupr/compatibility/host_math.h>
#include <cupr/compatibility/intrinsics.h>
#include <cupr/compatibility/toolkit_headers.h>
// Behind all that includes the toolkit's headers.
#include <cupr/compatibility/nvcc_macro.h>

#include <cupr/compatibility/put_back.h>

#endif

#endif
