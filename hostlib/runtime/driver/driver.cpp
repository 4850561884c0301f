#include "driver.h"

#include "unlisted_call.h"

#include <dlfcn.h>
#include <memory>

namespace cupr::host {
namespace {

// The header maps names to versioned ones (cuMemAlloc is cuMemAlloc_v2): take the mapped name.
#define CUPR_STRING_(name) #name
#define CUPR_STRING(name) CUPR_STRING_(name)

/// The tracer's own memory: in place of the driver's function, which it calls.
template <auto Member> struct Own;
template <class... Parameters, CUresult (*Driver::*Member)(Parameters...)> struct Own<Member> {
  static inline CUresult (*function)(Parameters...) = nullptr;
  static CUresult call(Parameters... arguments) {
    const UnlistedCall unlisted;
    return function(arguments...);
  }
  static void putIn(Driver &driver) {
    function = driver.*Member;
    driver.*Member = call;
  }
};

std::unique_ptr<Driver> load() {
  auto driver = std::make_unique<Driver>();
#define CUPR_DRIVER_LOAD(name)                                                                               \
  driver->name = reinterpret_cast<decltype(driver->name)>(Driver::find(CUPR_STRING(name)));                  \
  if (!driver->name)                                                                                         \
    return nullptr;
  CUPR_DRIVER_FUNCTIONS(CUPR_DRIVER_LOAD)
#undef CUPR_DRIVER_LOAD
  Own<&Driver::cuMemAlloc>::putIn(*driver);
  Own<&Driver::cuMemHostAlloc>::putIn(*driver);
  Own<&Driver::cuMemFree>::putIn(*driver);
  Own<&Driver::cuMemFreeHost>::putIn(*driver);
  return driver;
}

} // namespace

void *Driver::find(const char *name) {
  static void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name) : nullptr;
}

const Driver *Driver::get() {
  static const Driver *const driver =
      load().release(); // launches may be made while static objects are destroyed
  return driver;
}

bool Driver::hasGpu() {
  const Driver *const driver = get();
  int count = 0;
  return driver && driver->cuInit(0) == CUDA_SUCCESS && driver->cuDeviceGetCount(&count) == CUDA_SUCCESS &&
         count > 0;
}

thread_local unsigned UnlistedCall::depth_ = 0;

const char *driverErrorName(CUresult result) {
  const char *name = nullptr;
  const Driver *const driver = Driver::get();
  return driver && driver->cuGetErrorName(result, &name) == CUDA_SUCCESS && name ? name
                                                                                 : "unknown driver error";
}

} // namespace cupr::host
