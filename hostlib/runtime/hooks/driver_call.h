/// How a hook calls the driver's function that it stands in for.
#ifndef CUPR_RUNTIME_DRIVER_CALL_H
#define CUPR_RUNTIME_DRIVER_CALL_H

#include "hostlib/runtime/driver/driver.h"
#include "hostlib/runtime/driver/unlisted_call.h"

namespace cupr::host {

/// The driver's own function, of the type of what stands in for it.
template <class Function> Function *behind(Function *, const char *name) {
  return reinterpret_cast<Function *>(Driver::find(name));
}

} // namespace cupr::host

/// The call of the driver's function `name`, or what the driver answers that is not there.
#define CUPR_DRIVER_CALL(name, ...)                                                                          \
  ([&]() -> CUresult {                                                                                       \
    static auto *const function = cupr::host::behind(&cupr_driver_##name, #name);                            \
    const cupr::host::UnlistedCall unlisted;                                                                 \
    return function ? function(__VA_ARGS__) : CUDA_ERROR_NOT_INITIALIZED;                                    \
  }())

#endif
