// Headers that clang has included one half of, and what nvcc has under the names of macros.
// RUN: %cuprxx --device=both --no-trace -arch=sm_90 -DTOOLKIT_SEES_CLANG -c -o %t.o %s
// RUN: %cuprxx --device=both -std=c++11 -arch=sm_75 -expt-extended-lambda --expt-relaxed-constexpr -DWITH_FLAGS=1 -c -o %t.o %s
// `__NVCC__` is for the program; who says it for the toolkit's headers, too, still gets through them.
// RUN: %cuprxx --device=cpu -arch=sm_90 -D__NVCC__ -c -o %t.o %s
#include <device_atomic_functions.h>
#include <device_double_functions.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <math_functions.h>
#include <sm_20_atomic_functions.h>
#include <sm_20_intrinsics.h>
#include <sm_30_intrinsics.h>
#include <sm_32_atomic_functions.h>
#include <sm_32_intrinsics.h>
#include <sm_35_atomic_functions.h>
#include <sm_35_intrinsics.h>
#include <sm_60_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <surface_types.h>
#include <texture_types.h>

#if __cplusplus >= 201703L
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#if !__NVCC__
#error the program's own device code stands behind it
#endif
#if defined(TOOLKIT_SEES_CLANG) && (_CCCL_CUDA_COMPILER(NVCC) || !_CCCL_CUDA_COMPILER(CLANG))
#error these headers are to know clang
#endif

#if __CUDACC_VER_MAJOR__ < 13 || __CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 != CUDART_VERSION
#error wrong __CUDACC_VER_MAJOR__
#endif
#if __CUDACC__ && __CUDACC_DEVICE_ATOMIC_BUILTINS__
#else
#error a macro of nvcc is missing
#endif
#if __CUDACC_EXTENDED_LAMBDA__ + __CUDACC_RELAXED_CONSTEXPR__ != 2 * WITH_FLAGS
#error no macros of the flags, or without the flags
#endif

__global__ void kernel(int *p) {
  atomicAdd(p, 1);
  p[1] = __popc(p[2]) + __dp4a(p[3], p[4], 0) + __shfl_sync(~0u, p[5], 0);
}

auto closure = [] __device__(int x) { return x; };
static_assert(!__nv_is_extended_device_lambda_closure_type(decltype(closure)), "an ordinary class");
