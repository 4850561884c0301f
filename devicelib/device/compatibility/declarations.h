/// What nvcc can say of a kernel or a variable, and clang can't for CUDA. The marks are read by the pass
/// (cuprewrite/pass/kernel_attributes.h, managed_variables.h) and by clang's parser.
#ifndef CUPR_COMPATIBILITY_DECLARATIONS_H
#define CUPR_COMPATIBILITY_DECLARATIONS_H

// A section: of all marks the one that a declaration keeps, too (`extern __managed__ int x;`).
#undef __managed__
#define __managed__ __attribute__((device, section("cupr.managed")))

// Understood where clang has our plugin (cuprewrite/rewriter/shared_objects.h).
#if __has_attribute(cupr_uninitialized)
#undef __shared__
#define __shared__ __attribute__((shared, cupr_uninitialized))
#endif

// Clang ignores the first two: with a warning, or, as it knows the second from AMD's GPUs, without.
#undef __maxnreg__
#define __maxnreg__(registers) __attribute__((annotate("cupr.maxnreg", registers)))
#undef __cluster_dims__
#define __cluster_dims__(...) __attribute__((annotate("cupr.cluster_dims", __VA_ARGS__)))
#undef __block_size__
#define __block_size__(...) __attribute__((annotate("cupr.block_size")))

#endif
