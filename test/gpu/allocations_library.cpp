/// A library with a CUDA runtime of its own, which nobody has rebuilt (allocations.cu). What its runtime asks of the driver is what
/// CUPTI tells of; which of several calls a version of the runtime makes is its own affair.
#include <cuda_runtime_api.h>

extern "C" __attribute__((visibility("default"))) int allocate() {
  void *device, *managed, *pinned, *async;
  cudaArray_t array;
  const cudaChannelFormatDesc channels = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  int wrong = 0;
  // LIBRARY cuMemAlloc device 1400
  wrong |= cudaMalloc(&device, 1400);
  // LIBRARY cuMemAllocManaged managed 1401
  wrong |= cudaMallocManaged(&managed, 1401, cudaMemAttachGlobal);
  // LIBRARY cuMemHostAlloc|cuMemAllocHost host 1402
  wrong |= cudaHostAlloc(&pinned, 1402, 0);
  // LIBRARY cuMemAllocAsync|cuMemAllocFromPoolAsync pool 1403
  wrong |= cudaMallocAsync(&async, 1403, nullptr);
  // LIBRARY cuArrayCreate|cuArray3DCreate array 256
  wrong |= cudaMallocArray(&array, &channels, 32, 2, 0);
  wrong |= cudaFree(device) | cudaFree(managed) | cudaFreeHost(pinned) | cudaFreeAsync(async, nullptr) |
           cudaFreeArray(array) | cudaDeviceSynchronize();
  return wrong;
}
