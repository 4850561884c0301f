/// Macros and traits that nvcc predefines; `__NVCC__` itself is nvcc_macro.h's.
#ifndef CUPR_COMPATIBILITY_COMPILER_MACROS_H
#define CUPR_COMPATIBILITY_COMPILER_MACROS_H

// Not empty, as clang has it: sources ask `#if __CUDACC__`.
#undef __CUDACC__
#define __CUDACC__ 1

// atomics.h has them.
#define __CUDACC_DEVICE_ATOMIC_BUILTINS__ 1

// Sources choose between old and new interfaces by the toolkit's version.
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDA_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDA_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

// Clang's lambdas with __device__ are closures like any other, which is what these ask.
#ifndef __nv_is_extended_device_lambda_closure_type
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#endif

#endif
