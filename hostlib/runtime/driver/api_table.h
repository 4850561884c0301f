/// The API table: how a program's CUDA calls find the GPU or the CPU device, and pass
/// the tracer on the way.
///
/// The runtime library defines every function of the CUDA runtime API itself, as
/// a jump through one entry of a table. For function f the entry leads to
///
///     cupr_hook_f   if the tracer wants to see the call; it calls the backend's f
///     the backend   otherwise: cupr_real_f, the toolkit's own function (renamed
///                   in a copy of libcudart_static.a), or cupr_cpu_f, the CPU device's;
///                   functions that the CPU device lacks print their name and return
///                   cudaErrorNotSupported
///
/// Until the first call every entry leads to the choice of the device, so a program
/// that never uses CUDA never touches the driver. Only registration, which runs before main, leads to its
/// hook from the start (registration.h).
///
/// The table is generated from the symbols of the toolkit's library: no call is missed.
#ifndef CUPR_RUNTIME_API_TABLE_H
#define CUPR_RUNTIME_API_TABLE_H

namespace cupr::host {

enum class DeviceKind { Gpu, Cpu };

/// The device that this process uses. Chooses it if that has not been done.
DeviceKind deviceKind();

/// The backend's function of this name; chooses the device if need be. The name
/// must be a function of the CUDA runtime.
void *backendFunction(const char *name);

} // namespace cupr::host

/// The backend's version of a CUDA runtime function, with its type.
#define CUPR_BACKEND(name)                                                                                   \
  (reinterpret_cast<decltype(&::name)>([]() -> void * {                                                      \
    static void *const function = ::cupr::host::backendFunction(#name);                                      \
    return function;                                                                                         \
  }()))

#endif
