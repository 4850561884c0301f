/// What augmented sources include: the trace argument, the markers of launches and
/// allocations, and the handle for code that keeps its signature.
///
/// For user programs: C++11, clang and nvcc, host and device side. Nothing here
/// may get in the way of the program that includes it, so there are no names
/// outside namespace cupr but macros and functions that start with cupr.
#ifndef CUPR_CUPR_H
#define CUPR_CUPR_H

#include <cupr/trace_argument.h>
#include <cupr/version.h>

// clang's own choice is older than all that CUDA 13 has code for, and ends in an error of its back end.
#if defined(__clang__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 750
#error "CUDA 13 builds for sm_75 and newer: name an architecture, such as --cuda-gpu-arch=sm_75"
#endif

#ifndef __CUDA_ARCH__
asm(".pushsection .cupr.needs,\"\",@progbits\n.quad " CUPR_ABI_TEXT(
    CUPR_RUNTIME_NEEDED) "\n.quad " CUPR_ABI_TEXT(CUPR_INTERFACE_NEEDED) "\n.popsection");
#endif

// Each device function of a copy has the parameter, and not each has a use for it. On
// purpose without push and pop: this is for the copy, the original warns as ever.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

#ifdef __CUDA_ARCH__
#define cupr_allocation(name, type, line, column) static_cast<void>(0)
#define cupr_next_allocation(name, type, line, column) static_cast<void>(0)
#else
extern "C" {
/// This thread's next call that allocates is the one at this place. All texts live as long as the program.
void CUPR_VERSIONED(cuprAllocationBegin_v)(const char *name, const char *type, const char *file,
                                           unsigned line, unsigned column) noexcept;
/// The full expression that holds the call is over, whether it was made or not.
void CUPR_VERSIONED(cuprAllocationEnd_v)(void) noexcept;
/// The same for the statement that follows.
void CUPR_VERSIONED(cuprAllocationNext_v)(const char *name, const char *type, const char *file, unsigned line,
                                          unsigned column) noexcept;
}

namespace cupr {

/// Stands in front of a comma, as a temporary: it lives until the end of the full expression.
class Allocation {
public:
  Allocation(const char *name, const char *type, const char *file, unsigned line, unsigned column) noexcept {
    CUPR_VERSIONED(cuprAllocationBegin_v)(name, type, file, line, column);
  }
  ~Allocation() { CUPR_VERSIONED(cuprAllocationEnd_v)(); }
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;
};

} // namespace cupr

// `void` in front of a comma: no `operator,` takes it.
#define cupr_allocation(name, type, line, column)                                                            \
  static_cast<void>(::cupr::Allocation(name, type, __FILE__, line, column))
#define cupr_next_allocation(name, type, line, column)                                                       \
  CUPR_VERSIONED(cuprAllocationNext_v)(name, type, __FILE__, line, column)
#endif

#if defined(__CUDACC__) || defined(__CUDA__)

extern "C" {
/// The next launch of this thread is the one at this place. `site` counts the
/// launches of the file from 0. The runtime fills in the trace argument when
/// the launch is made.
void CUPR_VERSIONED(cuprLaunchBegin_v)(const char *file, unsigned line, unsigned site);
/// The same for a launch whose arguments hold no trace.
void CUPR_VERSIONED(cuprLaunchPlace_v)(const char *file, unsigned line, unsigned site);
/// The full expression that holds the launch is over, whether it was made or not.
void CUPR_VERSIONED(cuprLaunchEnd_v)(void);
}

namespace cupr {

/// The first argument of a launch, as a temporary: it lives from before the
/// launch until the end of the full expression.
class Launch {
public:
  Launch(unsigned site, const char *file, unsigned line) {
    CUPR_VERSIONED(cuprLaunchBegin_v)(file, line, site);
  }
  ~Launch() { CUPR_VERSIONED(cuprLaunchEnd_v)(); }
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;

  /// Records nothing, until the runtime puts the real one in its place.
  operator Trace() const {
    Trace trace = Trace();
    trace.mark = argument::kTraceAwaitsLaunch;
    return trace;
  }
};

} // namespace cupr

#define cupr_launch(site) (::cupr::Launch((site), __FILE__, __LINE__))

namespace cupr {

/// What tells the place of a launch whose arguments stay as they are: `k<<<cupr_place(0)->*grid,
/// block>>>(p)`. The value of the expression is that of the right operand, whose operators all bind more
/// tightly or, taken out, come after.
class Place {
public:
  Place(unsigned site, const char *file, unsigned line) {
    CUPR_VERSIONED(cuprLaunchPlace_v)(file, line, site);
  }
  ~Place() { CUPR_VERSIONED(cuprLaunchEnd_v)(); }
  Place(const Place &) = delete;
  Place &operator=(const Place &) = delete;

  /// By value: a reference would need a definition of constants that have none.
  template <class T> friend T operator->*(const Place &, T value) { return value; }
};

} // namespace cupr

#define cupr_place(site) (::cupr::Place((site), __FILE__, __LINE__))

#if defined(__clang__)
/// Known to the pass, which replaces calls by the trace argument of the kernel
/// that runs. The same for the whole life of a thread, hence `const`.
extern "C" __device__ const cupr::argument::Trace *CUPR_VERSIONED(__cupr_current_v)(void)
    __attribute__((const, nothrow));

#else
namespace cupr {
namespace detail {
static __device__ const unsigned long long kNoTrace[sizeof(Trace) / 8] = {};
}
} // namespace cupr
#endif

namespace cupr {
/// The trace argument, for code that keeps its signature. `noexcept`, since users ask `noexcept(f())`.
__host__ __device__ __forceinline__ const Trace &current() noexcept {
#if !defined(__CUDA_ARCH__) // compiled for the host, too, where it never runs
  static const Trace none = Trace();
  return none;
#elif defined(__clang__)
  return *CUPR_VERSIONED(__cupr_current_v)();
#else // under nvcc there is no pass: a trace argument that records nothing
  return *reinterpret_cast<const Trace *>(detail::kNoTrace);
#endif
}
} // namespace cupr

#if defined(__clang__) && defined(__CUDA_ARCH__)
/// The edit table of a copy, for the pass: "path\nline:column+length ...".
#define CUPR_EDITS(id, path, table)                                                                          \
  static __device__ __attribute__((used)) const char cupr_edits_##id[] = path "\n" table;
#else
#define CUPR_EDITS(id, path, table)
#endif

#else // plain C++ that shares a header with CUDA code

namespace cupr {
/// Device code is parsed here and there in plain C++ too; it never runs.
inline const Trace &current() noexcept {
  static const Trace none = Trace();
  return none;
}
} // namespace cupr

#define CUPR_EDITS(id, path, table)

#endif

#endif
