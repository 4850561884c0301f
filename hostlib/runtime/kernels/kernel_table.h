/// The kernels of the program, by host handle: their names, and what the pass left
/// about them in their module. Looked up at the first launch of each, kept for the
/// life of the process, with or without a trace being written.
#ifndef CUPR_RUNTIME_KERNEL_TABLE_H
#define CUPR_RUNTIME_KERNEL_TABLE_H

#include "devicelib/abi/site_table.h"
#include "devicelib/abi/trace_argument.h"
#include "hostlib/runtime/driver/driver.h"
#include "hostlib/trace/clusters.h"
#include "hostlib/trace/events.h"
#include "module_info.h"

#include <memory>
#include <string>
#include <vector>

namespace cupr::host {

/// What the plain kernel takes of a multiprocessor, as its program knows it: its variants take other amounts.
struct KernelResources {
  std::uint32_t staticShared = 0; ///< bytes for a block
  std::uint32_t registers = 0;    ///< for a thread; 0: not known
  trace::Dim3 cluster{0, 0, 0};   ///< blocks of its clusters; 0: launches say it, if any

  void describe(trace::Launch &launch) const {
    launch.staticShared = staticShared;
    launch.registers = registers;
    if (launch.clusterX == 0)
      setClusters(cluster.x ? cluster : trace::Dim3{1, 1, 1}, launch);
  }
};

struct Kernel {
  std::string name;      ///< mangled
  std::string demangled; ///< without the trace argument
  bool instrumented = false;
  std::string reason;          ///< why it is not
  unsigned parameterCount = 0; ///< of the traced variant, the trace argument included
  unsigned traceParameter = 0; ///< which of them is the trace argument
  /// The plain kernel has that parameter too: it comes from augmented sources.
  bool takesTrace() const { return instrumented && traceParameter == 0; }
  /// Parameters of the plain kernel, if it is instrumented.
  unsigned plainParameterCount() const { return takesTrace() ? parameterCount : parameterCount - 1; }
  std::shared_ptr<const std::vector<std::byte>> siteTable;
  unsigned siteCount = 0; ///< of that table
  bool hasValues =
      false; ///< sites of that table have values or clocks (kSiteValues, kSiteClock), those of timed kernels apart
  /// How the module's timed variants measure; None: there are none.
  abi::LatencyScheme timedBy = abi::LatencyScheme::None;
  /// On the CPU device, the handle of the traced variant. On a GPU it depends on the context
  /// (traced_function.h).
  const void *tracedOnCpu = nullptr;
  const void *timedOnCpu = nullptr; ///< likewise, of the timed variant; null: there is none
  /// The kernel's slice in that table; kNoSlice: its accesses are recorded.
  std::uint32_t slice = abi::kNoSlice;
  std::uint32_t blockSite = 0;              ///< of that slice: where the records of its blocks are
  std::vector<abi::SliceInput> sliceInputs; ///< that launches say
  std::vector<std::uint32_t> placeSites;    ///< where launches record where its shared variables lie
  /// On the CPU device, the handle of the variant whose accesses are derived, and the addresses of variables on the
  /// first of its devices. On a GPU: traced_function.h.
  const void *derivedOnCpu = nullptr;
  std::vector<std::uint64_t> variablesOnCpu;
  KernelResources onCpu; ///< on a GPU: traced_function.h
};

/// The kernel with this handle. Thread-safe; the reference stays valid.
const Kernel &findKernel(const void *handle);
/// The same with the handle that was registered, of any handle.
struct FoundKernel {
  const void *registered = nullptr;
  const Kernel *kernel = nullptr; ///< never null where it is found
};
FoundKernel findRegisteredKernel(const void *handle);

/// What there is to say about a kernel that the program has loaded itself; null: it can't be asked about.
Kernel foreignKernel(const Driver &driver, CUfunction function);

/// The program holds another handle of a kernel (cudaFunction_t, cudaKernel_t).
void addHandle(const void *other, const void *registered);
/// The handle that was registered; `handle` itself when no other is known.
const void *registeredHandle(const void *handle);

/// The arguments of a kernel with the trace argument in its place. An augmented
/// launch has left room for it; a launch through the API has not.
class TracedArguments {
public:
  /// For the traced variant.
  TracedArguments(void **arguments, const Kernel &kernel, const Trace &trace);
  /// For the plain kernel.
  TracedArguments(void **arguments, const Kernel &kernel);
  TracedArguments(const TracedArguments &) = delete;
  TracedArguments &operator=(const TracedArguments &) = delete;
  void **get() { return arguments_; }

private:
  void insert(void **arguments, const Kernel &kernel);

  Trace trace_{};
  static constexpr unsigned kFew = 64; ///< parameters; more take memory
  void *few_[kFew];
  std::vector<void *> many_;
  void **arguments_;
};

} // namespace cupr::host

#endif
