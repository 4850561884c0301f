#include "driver.h"

#include <dlfcn.h>
#include <memory>

namespace cupr::host {
namespace {

// The header maps names to versioned ones (cuMemAlloc is cuMemAlloc_v2): take the mapped name.
#define CUPR_STRING_(name) #name
#define CUPR_STRING(name) CUPR_STRING_(name)

std::unique_ptr<Driver> load() {
  void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  auto driver = std::make_unique<Driver>();
#define CUPR_DRIVER_LOAD(name)                                                                               \
  driver->name = reinterpret_cast<decltype(driver->name)>(dlsym(library, CUPR_STRING(name)));                \
  if (!driver->name)                                                                                         \
    return nullptr;
  CUPR_DRIVER_FUNCTIONS(CUPR_DRIVER_LOAD)
#undef CUPR_DRIVER_LOAD
  return driver;
}

} // namespace

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

const char *driverErrorName(CUresult result) {
  const char *name = nullptr;
  const Driver *const driver = Driver::get();
  return driver && driver->cuGetErrorName(result, &name) == CUDA_SUCCESS && name ? name
                                                                                 : "unknown driver error";
}

} // namespace cupr::host
