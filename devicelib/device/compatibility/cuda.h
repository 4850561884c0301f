/// Stands before a project's header of this name, for the first include alone: that is the one in clang's own
/// prologue of CUDA sources, which means the toolkit's and takes whatever is found in the project's folders.
/// nvcc has no such include. It is the first of the toolkit's, so macros that would disturb these are set aside. All later ones find what they would find without this file.
#ifndef CUDA_VERSION
#include <cupr/compatibility/set_aside.h>

#include <crt/../cuda.h>
#else
#include_next "cuda.h"
#endif
