#include "graph_transfer.h"

#include "hostlib/runtime/driver/driver.h"

namespace cupr::host {
namespace {

/// Where a copy reads or writes.
struct Place {
  std::uint64_t address; ///< of the first byte
  std::uint64_t pitch, slice;
};

void addSlices(GraphTransfer &transfer, const Place &to, const Place &from, std::uint64_t rowBytes,
               std::uint64_t rows, std::uint64_t slices) {
  for (std::uint64_t z = 0; z < slices; ++z) {
    trace::Copy copy;
    copy.destination = to.address + z * to.slice;
    copy.source = from.address + z * from.slice;
    copy.rowBytes = rowBytes;
    copy.rows = rows;
    copy.destinationPitch = rows > 1 ? to.pitch : rowBytes;
    copy.sourcePitch = rows > 1 ? from.pitch : rowBytes;
    copy.asynchronous = true;
    transfer.copies.push_back(copy);
  }
}

Place placeOf(const cudaPitchedPtr &memory, const cudaPos &at) {
  const std::uint64_t slice = std::uint64_t{memory.pitch} * memory.ysize;
  return {reinterpret_cast<std::uint64_t>(memory.ptr) + at.z * slice + at.y * memory.pitch + at.x,
          memory.pitch, slice};
}

Place placeOf(CUmemorytype type, const void *host, CUdeviceptr device, std::size_t pitch, std::size_t height,
              std::size_t x, std::size_t y, std::size_t z) {
  const std::uint64_t start =
      type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uint64_t>(host) : std::uint64_t{device};
  const std::uint64_t slice = std::uint64_t{pitch} * height;
  return {start + z * slice + y * pitch + x, pitch, slice};
}

cudaMemcpyKind kindOf(CUmemorytype from, CUmemorytype to) {
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED)
    return cudaMemcpyDefault;
  if (from == CU_MEMORYTYPE_HOST)
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

} // namespace

GraphTransfer GraphTransfer::of(const cudaMemcpy3DParms &copy) {
  GraphTransfer transfer;
  transfer.kind = copy.kind;
  if (!copy.srcArray && !copy.dstArray)
    addSlices(transfer, placeOf(copy.dstPtr, copy.dstPos), placeOf(copy.srcPtr, copy.srcPos),
              copy.extent.width, copy.extent.height, copy.extent.depth);
  return transfer;
}

GraphTransfer GraphTransfer::of(const CUDA_MEMCPY3D &copy) {
  GraphTransfer transfer;
  transfer.kind = kindOf(copy.srcMemoryType, copy.dstMemoryType);
  if (copy.srcMemoryType != CU_MEMORYTYPE_ARRAY && copy.dstMemoryType != CU_MEMORYTYPE_ARRAY)
    addSlices(transfer,
              placeOf(copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstPitch, copy.dstHeight,
                      copy.dstXInBytes, copy.dstY, copy.dstZ),
              placeOf(copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcPitch, copy.srcHeight,
                      copy.srcXInBytes, copy.srcY, copy.srcZ),
              copy.WidthInBytes, copy.Height, copy.Depth);
  return transfer;
}

GraphTransfer GraphTransfer::of(const cudaMemsetParams &given) {
  GraphTransfer transfer;
  trace::Set set;
  set.destination = reinterpret_cast<std::uint64_t>(given.dst);
  set.rowBytes = given.width * given.elementSize;
  set.rows = given.height;
  set.pitch = given.height > 1 ? given.pitch : set.rowBytes;
  set.asynchronous = true;
  transfer.set = set;
  return transfer;
}

std::optional<GraphTransfer> GraphTransfer::read(const Driver &driver, CUgraphNode node) {
  CUgraphNodeType type;
  if (driver.cuGraphNodeGetType(node, &type) != CUDA_SUCCESS)
    return std::nullopt;
  CUDA_MEMCPY3D copy{};
  if (type == CU_GRAPH_NODE_TYPE_MEMCPY && driver.cuGraphMemcpyNodeGetParams(node, &copy) == CUDA_SUCCESS)
    return of(copy);
  CUDA_MEMSET_NODE_PARAMS set{};
  if (type == CU_GRAPH_NODE_TYPE_MEMSET && driver.cuGraphMemsetNodeGetParams(node, &set) == CUDA_SUCCESS)
    return of(cudaMemsetParams{reinterpret_cast<void *>(set.dst), set.pitch, set.value, set.elementSize,
                               set.width, set.height});
  return std::nullopt;
}

} // namespace cupr::host
