/// `__NVCC__`, for the program's own sources: some declare their device functions by it alone. Extensions of the language
/// that nvcc has and clang lacks are asked for by other macros (`__CUDACC_EXTENDED_LAMBDA__`). cupr++ asks for it
/// (CUPR_NVCC_MACRO), and leaves it out where a build system wants to know which compiler it has.
#ifndef CUPR_COMPATIBILITY_NVCC_MACRO_H
#define CUPR_COMPATIBILITY_NVCC_MACRO_H

#ifdef CUPR_NVCC_MACRO

// Headers of the toolkit and of CUB, Thrust and libcu++ know clang. They ask here, once, for all of them.
#if __cplusplus >= 201103L
#if __has_include(<nv/target>)
#include <nv/target>
#endif
#if __has_include(<cuda/std/__cccl/compiler.h>)
#include <cuda/std/__cccl/compiler.h>
#endif
#endif

#ifndef __NVCC__
#define __NVCC__ 1
#endif

#endif

/// CUTLASS leaves `__grid_constant__` out for clang, which has it (cutlass/device_kernel.h). Without, a kernel's tensor maps lie in copies in
/// local memory, and the hardware can't read them there.
#ifndef CUTLASS_GRID_CONSTANT
#define CUTLASS_GRID_CONSTANT __grid_constant__
#endif

#endif
