/// What host code says of a call of CUDA's API that has returned an error.
///
/// Behind each such call stands, put there by the compiler's plugin (cuprewrite/language/failed_calls.h):
///
///     if (error != 0) cuprCallFailed_v6(error, "cudaMemcpy");   // the program drops the value
///     if (error != 0) cuprCallFailed_v6(error, nullptr);        // it has a use for it
#ifndef CUPR_ABI_FAILED_CALL_H
#define CUPR_ABI_FAILED_CALL_H

#include "version.h"

#define CUPR_CALL_FAILED_SYMBOL CUPR_VERSIONED_TEXT(cuprCallFailed_v)

extern "C" void CUPR_VERSIONED(cuprCallFailed_v)(int error, const char *dropped) noexcept;

#endif
