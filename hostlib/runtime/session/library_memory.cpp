#include "library_memory.h"

#include "hostlib/runtime/driver/array_bytes.h"
#include "hostlib/runtime/driver/unlisted_call.h"
#include "hostlib/runtime/paths/api_call.h"
#include "session.h"

#include <cstdlib>
#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <dlfcn.h>
#include <string>

// What the header below names of the driver's first version, whose calls nobody makes.
#define CUdeviceptr_v1 unsigned
struct CUDA_MEMCPY2D_v1;
struct CUDA_MEMCPY3D_v1;
struct CUDA_ARRAY_DESCRIPTOR_v1;
struct CUDA_ARRAY3D_DESCRIPTOR_v1;
#include <generated_cuda_meta.h>
#undef CUdeviceptr_v1

namespace cupr::host {
namespace {

using trace::MemoryKind;

const void *pointer(CUdeviceptr address) { return reinterpret_cast<const void *>(address); }

void allocated(MemoryKind kind, const char *call, const void *address, std::size_t bytes) {
  if (Session *const session = address ? Session::current() : nullptr)
    session->contained([&] { session->events().allocated(kind, call, address, bytes); });
}

void freed(const char *call, const void *address) {
  if (Session *const session = address ? Session::current() : nullptr)
    session->contained([&] { session->events().freed(call, address); });
}

/// The calls that allocate: CUPR_ALLOCATES(function, its name as the trace has it, kind, address, bytes), of `p`, the call's parameters.
#define CUPR_ALLOCATING_CALLS(CUPR_ALLOCATES)                                                                \
  CUPR_ALLOCATES(cuMemAlloc_v2, "cuMemAlloc", Device, pointer(*p.dptr), p.bytesize)                          \
  CUPR_ALLOCATES(cuMemAllocPitch_v2, "cuMemAllocPitch", Pitched, pointer(*p.dptr), *p.pPitch *p.Height)      \
  CUPR_ALLOCATES(cuMemAllocManaged, "cuMemAllocManaged", Managed, pointer(*p.dptr), p.bytesize)              \
  CUPR_ALLOCATES(cuMemAllocHost_v2, "cuMemAllocHost", Host, *p.pp, p.bytesize)                               \
  CUPR_ALLOCATES(cuMemHostAlloc, "cuMemHostAlloc", Host, *p.pp, p.bytesize)                                  \
  CUPR_ALLOCATES(cuMemHostRegister_v2, "cuMemHostRegister", Host, p.p, p.bytesize)                           \
  CUPR_ALLOCATES(cuMemAllocAsync, "cuMemAllocAsync", Pool, pointer(*p.dptr), p.bytesize)                     \
  CUPR_ALLOCATES(cuMemAllocAsync_ptsz, "cuMemAllocAsync", Pool, pointer(*p.dptr), p.bytesize)                \
  CUPR_ALLOCATES(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", Pool, pointer(*p.dptr), p.bytesize)     \
  CUPR_ALLOCATES(cuMemAllocFromPoolAsync_ptsz, "cuMemAllocFromPoolAsync", Pool, pointer(*p.dptr),            \
                 p.bytesize)                                                                                 \
  CUPR_ALLOCATES(cuMemMap, "cuMemMap", Device, pointer(p.ptr), p.size)                                       \
  CUPR_ALLOCATES(cuArrayCreate_v2, "cuArrayCreate", Array, *p.pHandle, arrayBytes(*p.pAllocateArray))        \
  CUPR_ALLOCATES(cuArray3DCreate_v2, "cuArray3DCreate", Array, *p.pHandle, arrayBytes(*p.pAllocateArray))    \
  CUPR_ALLOCATES(cuMipmappedArrayCreate, "cuMipmappedArrayCreate", Array, *p.pHandle,                        \
                 arrayBytes(*p.pMipmappedArrayDesc, p.numMipmapLevels))

/// The calls that free what begins at an address: CUPR_FREES(function, name, address).
#define CUPR_FREEING_CALLS(CUPR_FREES)                                                                       \
  CUPR_FREES(cuMemFree_v2, "cuMemFree", pointer(p.dptr))                                                     \
  CUPR_FREES(cuMemFreeHost, "cuMemFreeHost", p.p)                                                            \
  CUPR_FREES(cuMemHostUnregister, "cuMemHostUnregister", p.p)                                                \
  CUPR_FREES(cuMemFreeAsync, "cuMemFreeAsync", pointer(p.dptr))                                              \
  CUPR_FREES(cuMemFreeAsync_ptsz, "cuMemFreeAsync", pointer(p.dptr))                                         \
  CUPR_FREES(cuArrayDestroy, "cuArrayDestroy", p.hArray)                                                     \
  CUPR_FREES(cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", p.hMipmappedArray)

/// A call has been made, and has succeeded.
void seeAllocation(CUpti_CallbackId call, const void *parameters) {
  switch (call) {
#define CUPR_ALLOCATES(function, name, kind, address, bytes)                                                 \
  case CUPTI_DRIVER_TRACE_CBID_##function: {                                                                 \
    const auto &p = *static_cast<const function##_params *>(parameters);                                     \
    return allocated(MemoryKind::kind, name, address, bytes);                                                \
  }
    CUPR_ALLOCATING_CALLS(CUPR_ALLOCATES)
#undef CUPR_ALLOCATES
  default:
    break;
  }
}

/// A call is about to be made.
void seeFree(CUpti_CallbackId call, const void *parameters) {
  switch (call) {
#define CUPR_FREES(function, name, address)                                                                  \
  case CUPTI_DRIVER_TRACE_CBID_##function: {                                                                 \
    const auto &p = *static_cast<const function##_params *>(parameters);                                     \
    return freed(name, address);                                                                             \
  }
    CUPR_FREEING_CALLS(CUPR_FREES)
#undef CUPR_FREES
  case CUPTI_DRIVER_TRACE_CBID_cuMemUnmap: {
    const auto &p = *static_cast<const cuMemUnmap_params *>(parameters);
    if (Session *const session = Session::current())
      session->contained([&] { session->events().freedWithin("cuMemUnmap", pointer(p.ptr), p.size); });
    return;
  }
  default:
    break;
  }
}

void CUPTIAPI see(void *, CUpti_CallbackDomain, CUpti_CallbackId call, const void *data) {
  if (UnlistedCall::isOpen())
    return;
  const auto &what = *static_cast<const CUpti_CallbackData *>(data);
  ThreadCalls &calls = ThreadCalls::ofThread();
  if (what.callbackSite == CUPTI_API_ENTER) {
    calls.begin(what.functionName, callersRegisters());
    seeFree(call, what.functionParams);
    return;
  }
  if (*static_cast<const CUresult *>(what.functionReturnValue) == CUDA_SUCCESS)
    seeAllocation(call, what.functionParams);
  calls.end();
}

/// Its name alone: where the system looks for libraries. Else where the toolkit has it. A program with more rights than its user has
/// (set-user-ID) takes no folder from the environment.
void *openCupti() {
  constexpr const char *kName = "libcupti.so.13";
  if (void *const library = dlopen(kName, RTLD_NOW | RTLD_LOCAL))
    return library;
  for (const char *const variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *const toolkit = secure_getenv(variable))
      if (void *const library =
              dlopen((std::string(toolkit) + "/extras/CUPTI/lib64/" + kName).c_str(), RTLD_NOW | RTLD_LOCAL))
        return library;
  return dlopen((std::string("/usr/local/cuda/extras/CUPTI/lib64/") + kName).c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Whether somebody else in this process uses CUPTI, or is about to.
bool isTaken() {
  for (const char *const name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
    if (dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      return true;
  // A profiler that the driver loads; Nsight Systems.
  return secure_getenv("CUDA_INJECTION64_PATH") || secure_getenv("NSYS_PROFILING_SESSION_ID");
}

} // namespace

void watchLibraryMemory() {
  if (isTaken())
    return;
  void *const library = openCupti();
  if (!library)
    return;
  const auto subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(dlsym(library, "cuptiSubscribe"));
  const auto enable = reinterpret_cast<decltype(&cuptiEnableCallback)>(dlsym(library, "cuptiEnableCallback"));
  CUpti_SubscriberHandle subscriber{};
  if (!subscribe || !enable || subscribe(&subscriber, see, nullptr) != CUPTI_SUCCESS)
    return;
  const auto watch = [&](CUpti_CallbackId call) { enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call); };
#define CUPR_WATCH(function, ...) watch(CUPTI_DRIVER_TRACE_CBID_##function);
  CUPR_ALLOCATING_CALLS(CUPR_WATCH)
  CUPR_FREEING_CALLS(CUPR_WATCH)
  CUPR_WATCH(cuMemUnmap)
#undef CUPR_WATCH
}

} // namespace cupr::host
