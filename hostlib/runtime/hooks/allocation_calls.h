/// What hooks tell the session of calls that allocate and free.
///
/// A freed address is announced before the call: another thread may be given the same address as soon as it is free.
#ifndef CUPR_RUNTIME_ALLOCATION_CALLS_H
#define CUPR_RUNTIME_ALLOCATION_CALLS_H

#include "hostlib/runtime/driver/unlisted_call.h"
#include "hostlib/runtime/kernels/allocation_site.h"
#include "hostlib/runtime/paths/api_call.h"
#include "hostlib/runtime/session/session.h"

#include <cstddef>

namespace cupr::host {

/// A call of the runtime that allocates or frees, and is listed by its hook.
class AllocatingCall {
public:
  __attribute__((always_inline)) explicit AllocatingCall(const char *hook = __builtin_FUNCTION())
      : call_(hook) {}

private:
  const ApiCall call_;
  const UnlistedCall unlisted_;
};

/// The program has made the call `call`, which allocated `bytes` bytes at `address` if that is not null.
inline void announceAllocation(trace::MemoryKind kind, const char *call, const void *address,
                               std::size_t bytes) {
  const AllocationSite site = takeAllocationSite(); // of this call, also if it failed
  if (address)
    if (Session *const session = Session::current())
      session->contained([&] { session->events().allocated(kind, call, address, bytes, site); });
}

/// The call `call` is about to free what begins there.
inline void announceFree(const char *call, const void *address) {
  if (address)
    if (Session *const session = Session::current())
      session->contained([&] { session->events().freed(call, address); });
}

/// What the call `call` was to free is still there, or never was: it has answered `result`.
template <class Result> Result announceFreed(const char *call, const void *address, Result result) {
  constexpr int kInvalidValue =
      1; // of the runtime's and of the driver's errors; others speak of kernels that have failed
  if (address && static_cast<int>(result) == kInvalidValue)
    if (Session *const session = Session::current())
      session->contained([&] { session->events().notFreed(call, address); });
  return result;
}

/// The call that follows waits for the device before it frees.
inline void beforeWaitingFree(const void *address) {
  if (Session *const session = address ? Session::current() : nullptr)
    session->beforeWaiting(nullptr, [] { return true; });
}

} // namespace cupr::host

#endif
