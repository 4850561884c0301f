/// What libraries allocate that were not rebuilt, as CUPTI tells of it.
///
/// A library with a CUDA runtime of its own, or that calls the driver, passes none of the hooks. CUPTI, which the toolkit
/// has, calls back at each call of the driver, whoever makes it. It is opened when the program runs, where it is found,
/// and asked for the calls alone that allocate and free. What hooks list, and what the tracer itself allocates, is
/// left out (unlisted_call.h).
///
/// A process has room for one subscriber of CUPTI. Where CUPTI is there before, or a profiler has come along
/// with the driver, it is left to them.
#ifndef CUPR_RUNTIME_LIBRARY_MEMORY_H
#define CUPR_RUNTIME_LIBRARY_MEMORY_H

namespace cupr::host {

/// From now on the session is told of such allocations. Once, before the driver has begun.
void watchLibraryMemory();

} // namespace cupr::host

#endif
