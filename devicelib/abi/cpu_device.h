/// The contract of the CPU device with the code that it runs and with the host
/// runtime.
///
/// 1. A retargeted device object (one per translation unit) describes itself as
///    a CpuModule and registers it from a constructor that runs before the host
///    code's own registration.
/// 2. The host code registers an image (`__cudaRegisterFatBinary`) whose content
///    hash is the module's id: that is how a kernel's handle finds its code.
/// 3. The CUDA runtime API on the CPU device is the set of functions
///    `cupr_cpu_<name>` with the signature of `<name>`; what is missing answers
///    `cudaErrorNotSupported` and names itself.
/// 4. Records go to a RecordSink, what nodes of graphs do to a GraphWatcher.
#ifndef CUPR_ABI_CPU_DEVICE_H
#define CUPR_ABI_CPU_DEVICE_H

#include <cstddef>
#include <cstdint>

// The toolkit's own types.
struct CUstream_st;
struct cudaMemcpy3DParms;
struct cudaMemsetParams;

namespace cupr {
namespace abi {

struct CpuParameter {
  std::uint32_t bytes;
  std::uint32_t alignment;
};

struct CpuKernel {
  const char *name; ///< mangled, as the host registers it
  /// Runs one lane: `arguments[i]` points to the i-th argument, as in
  /// cudaLaunchKernel.
  void (*entry)(void **arguments);
  const void *code; ///< what device code knows the kernel by
  const CpuParameter *parameters;
  std::uint32_t parameterCount;
  std::uint32_t staticSharedBytes; ///< the dynamic part starts behind it
  std::uint32_t maxThreads;        ///< __launch_bounds__, or 0
  std::uint32_t flags;
};

enum : std::uint32_t {
  kCpuKernelRecordsNothing = 2, ///< reaches no hook: nobody has to be ready for records
};
/// __cluster_dims__ stands in a kernel's flags, in 8 bits for each dimension: all 0 where the kernel has none.
constexpr unsigned kCpuKernelClusterShift = 8;
constexpr std::uint32_t clusterInFlags(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return (x | y << 8 | z << 16) << kCpuKernelClusterShift;
}
constexpr std::uint32_t clusterOfFlags(std::uint32_t flags, unsigned dimension) {
  return flags >> (kCpuKernelClusterShift + 8 * dimension) & 0xff;
}

struct CpuVariable {
  const char *name; ///< mangled
  void *address;
  std::uint64_t bytes;
};

struct CpuModule {
  std::uint32_t abiVersion;
  std::uint32_t kernelCount;
  std::uint32_t variableCount;
  std::uint32_t architecture; ///< that the device code was compiled for, as 75 for sm_75
  std::uint64_t id[2];        ///< XXH3 128 of the image: low, high
  const CpuKernel *kernels;
  const CpuVariable *variables; ///< KernelInfo variables included
};

/// Receives what the CPU device records. Called from the threads that run
/// blocks, several at once, each with whole records of one block.
class RecordSink {
public:
  /// `words`: records of `launch`, `count` 16-byte words. The memory is the
  /// caller's and is reused after the call.
  virtual void records(std::uint64_t launch, const void *words, std::size_t count) = 0;

protected:
  ~RecordSink() {}
};

/// A kernel that a node of a graph is to run.
struct CpuGraphKernel {
  const void *handle; ///< the host's
  std::uint32_t grid[3], block[3];
  void **arguments;
  std::size_t sharedBytes;
  bool cooperative;
  std::uint32_t cluster[3]; ///< as its node has it; 0: it has none
};

/// A node that launches, copies or sets, in one launch of a graph.
struct CpuGraphStep {
  CUstream_st *stream;        ///< that the graph was launched in
  std::uint32_t number;       ///< from 0, in the order of execution, child graphs' nodes included
  const std::uint32_t *after; ///< numbers of the nodes that it waits for, ascending
  std::size_t afterCount;
};

/// Is told what the nodes of a graph do, while it runs, in the order in which they are executed. Called by
/// the thread that launches the graph.
class GraphWatcher {
public:
  /// Launches the kernel. The launch's cudaError_t.
  virtual int launch(const CpuGraphKernel &kernel, const CpuGraphStep &step) = 0;
  virtual void copied(const cudaMemcpy3DParms &copy, const CpuGraphStep &step) = 0;
  virtual void wasSet(const cudaMemsetParams &set, const CpuGraphStep &step) = 0;

protected:
  ~GraphWatcher() {}
};

} // namespace abi
} // namespace cupr

extern "C" {
/// How deep the calling thread is in the runtime's own code. Its handlers of signals read it, which must need
/// no memory for that: it lies in what a thread has from its start, in the library of the lane's state.
extern __thread int __cupr_runtime_depth __attribute__((tls_model("initial-exec")));
/// Called by the constructor of a retargeted device object.
void __cupr_cpu_register_module(const cupr::abi::CpuModule *module);
/// Called there as well: the module's code was made for `processor`, and uses `features` of it, by the
/// compiler's names with spaces between.
void __cupr_cpu_need_processor(const cupr::abi::CpuModule *module, const char *processor,
                               const char *features);
/// How many modules have been registered: whether the program has code for the CPU device.
unsigned cuprCpuModuleCount(void);
/// Sets who receives records; null: nobody.
void cuprCpuSetRecordSink(cupr::abi::RecordSink *sink);
/// Sets who performs and sees what nodes of graphs do; null: the CPU device, and nobody.
void cuprCpuSetGraphWatcher(cupr::abi::GraphWatcher *watcher);
/// The cudaError_t that a kernel has left behind, which all later calls answer; 0: none has.
int cuprCpuContextError(void);
/// What was said of it, for the user; stays as long as the program runs. Empty: none has.
const char *cuprCpuContextFailure(void);
/// Whether work for the stream becomes a node of a graph. Leaves the program's last error as it is.
int cuprCpuIsCapturing(CUstream_st *stream);
/// A handle for the kernel `name` (mangled) of the module that holds the kernel with this host handle;
/// null if there is none. The attributes set on that kernel count for both.
const void *cuprCpuKernelBeside(const void *kernelHandle, const char *name);
/// The module variable `name` of the module that holds the kernel with this
/// host handle; null if there is none.
const cupr::abi::CpuVariable *cuprCpuFindVariable(const void *kernelHandle, const char *name);
}

#endif
