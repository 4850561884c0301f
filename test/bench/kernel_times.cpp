/// A library that the driver loads into a program (CUDA_INJECTION64_PATH), and that writes down how long each kernel of the program ran on the GPU.
///
/// KERNEL_TIMES names the file: a line for each launch, apart by tabs: nanoseconds, registers, bytes of local memory of a thread, bytes of shared memory of
/// a block, threads of a block, blocks, and the kernel's name. CUPTI takes the times, the GPU's own; launches run as they would without it, but those
/// that the device's own launches make are not seen.
#include <cupti.h>

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <mutex>

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
std::FILE *file;
std::mutex writing;

void writeKernel(const CUpti_ActivityKernel10 &kernel) {
  int status = 0;
  char *const name = abi::__cxa_demangle(kernel.name, nullptr, nullptr, &status);
  std::fprintf(file, "%llu\t%d\t%u\t%d\t%lld\t%lld\t%s\n",
               static_cast<unsigned long long>(kernel.end - kernel.start), kernel.registersPerThread,
               kernel.localMemoryPerThread, kernel.staticSharedMemory + kernel.dynamicSharedMemory,
               1ll * kernel.blockX * kernel.blockY * kernel.blockZ,
               1ll * kernel.gridX * kernel.gridY * kernel.gridZ, name ? name : kernel.name);
  std::free(name);
}

void CUPTIAPI giveBuffer(uint8_t **buffer, size_t *size, size_t *mostRecords) {
  *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *mostRecords = 0;
}

void CUPTIAPI takeBuffer(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t bytes) {
  const std::lock_guard<std::mutex> lock(writing);
  CUpti_Activity *record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, bytes, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      writeKernel(*reinterpret_cast<const CUpti_ActivityKernel10 *>(record));
  std::free(buffer);
}

void finish() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard<std::mutex> lock(writing);
  std::fflush(file);
}

/// Records of a context that ends (cudaDeviceReset) must be fetched before.
void CUPTIAPI beforeContextEnds(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *) { finish(); }

} // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char *const path = std::getenv("KERNEL_TIMES");
  file = path ? std::fopen(path, "w") : nullptr;
  CUpti_SubscriberHandle subscriber;
  if (!file || cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer) != CUPTI_SUCCESS ||
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS)
    return 0;
  if (cuptiSubscribe(&subscriber, beforeContextEnds, nullptr) == CUPTI_SUCCESS)
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                        CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  std::atexit(finish);
  return 1;
}
