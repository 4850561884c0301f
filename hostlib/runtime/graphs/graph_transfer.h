/// Copies and sets that nodes of graphs make, from what the runtime and the driver say of them. Where an
/// array takes part there is nothing to tell: arrays have no addresses.
#ifndef CUPR_RUNTIME_GRAPH_TRANSFER_H
#define CUPR_RUNTIME_GRAPH_TRANSFER_H

#include "hostlib/trace/events.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <optional>
#include <vector>

namespace cupr::host {

struct Driver;

struct GraphTransfer {
  std::vector<trace::Copy> copies; ///< one per slice
  cudaMemcpyKind kind = cudaMemcpyDefault;
  std::optional<trace::Set> set;

  static GraphTransfer of(const cudaMemcpy3DParms &copy);
  static GraphTransfer of(const CUDA_MEMCPY3D &copy);
  static GraphTransfer of(const cudaMemsetParams &set);
  /// Of a node; nothing: it is none that copies or sets.
  static std::optional<GraphTransfer> read(const Driver &driver, CUgraphNode node);
};

} // namespace cupr::host

#endif
