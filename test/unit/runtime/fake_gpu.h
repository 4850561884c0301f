/// A GPU that has no processors: device memory is the host's, a traced kernel and the snapshot kernel are functions of the
/// test, and the close kernel tells at once what the real one would.
#ifndef CUPR_TEST_FAKE_GPU_H
#define CUPR_TEST_FAKE_GPU_H

#include "devicelib/abi/snapshot.h"
#include "devicelib/abi/trace_argument.h"
#include "fake_device.h"

#include <functional>
#include <string>
#include <vector>

namespace cupr::test {

struct FakeGpu {
  CUcontext context = nullptr; ///< the current one
  bool hasMemory = true;
  bool hasTracedVariants = true;
  std::vector<std::size_t> parameterBytes; ///< of every plain kernel
  float milliseconds = 0;                  ///< between any two events
  CUresult eventResult = CUDA_SUCCESS;     ///< of who waits for one
  /// Kernels run for ever: of close kernels only those run that don't wait for them, if there is room for these.
  bool runsOn = false, hasRoom = true;
  unsigned delays = 0; ///< how often the delay kernel was launched
  /// What a traced variant does; the trace argument is the first one.
  std::function<CUresult(const Trace &)> kernel = [](const Trace &) { return CUDA_SUCCESS; };
  /// What the snapshot kernel does, with so many blocks.
  std::function<CUresult(const abi::SnapshotArgument &, unsigned)> snapshot =
      [](const abi::SnapshotArgument &, unsigned) { return CUDA_SUCCESS; };
};

/// A new fake device of that kind, and a new GPU in it.
FakeGpu &newFakeGpu();

} // namespace cupr::test

#endif
