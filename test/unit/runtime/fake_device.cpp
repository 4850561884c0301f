#include "fake_device.h"

#include "devicelib/abi/cpu_device.h"

#include <cstdlib>
#include <cstring>
#include <iostream>

namespace cupr::test {
namespace {

FakeDevice device;

cudaError_t streamGetId(cudaStream_t stream, unsigned long long *id) {
  const auto known = device.streams.find(stream);
  if (known == device.streams.end())
    return cudaErrorInvalidResourceHandle;
  *id = known->second;
  return cudaSuccess;
}

cudaError_t streamGetFlags(cudaStream_t stream, unsigned *flags) {
  *flags = device.streams.count(stream) ? cudaStreamNonBlocking : 0;
  return cudaSuccess;
}

cudaError_t getSymbolAddress(void **address, const void *symbol) {
  const auto known = device.symbols.find(symbol);
  if (known == device.symbols.end())
    return cudaErrorInvalidSymbol;
  *address = known->second;
  return cudaSuccess;
}

const char *getErrorName(cudaError_t error) {
  return error == cudaErrorInvalidValue     ? "cudaErrorInvalidValue"
         : error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress"
                                            : "another error";
}

CUresult addressRange(CUdeviceptr *base, std::size_t *bytes, CUdeviceptr address) {
  auto after = device.driverMemory.upper_bound(address);
  if (after == device.driverMemory.begin() || address - (--after)->first >= after->second)
    return CUDA_ERROR_INVALID_VALUE;
  *base = after->first;
  *bytes = after->second;
  return CUDA_SUCCESS;
}

cudaError_t getDevice(int *number) {
  *number = device.currentDevice;
  return cudaSuccess;
}

cudaError_t streamGetDevice(cudaStream_t, int *number) { return getDevice(number); }

/// A kernel's function has its handle's address.
cudaError_t getFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  *function = static_cast<cudaFunction_t>(const_cast<void *>(symbol));
  return cudaSuccess;
}

} // namespace

FakeDevice &currentFakeDevice() { return device; }

FakeDevice &newFakeDevice(host::DeviceKind kind) {
  device = {};
  device.kind = kind;
  device.driver.cuMemGetAddressRange = addressRange;
  device.driver.cuPointerGetAttributes = [](unsigned count, CUpointer_attribute *attributes, void **values,
                                            CUdeviceptr) {
    for (unsigned i = 0; i < count; ++i)
      if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
        *static_cast<unsigned *>(values[i]) = device.pointerType;
      else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
        *static_cast<unsigned *>(values[i]) = device.pointerIsManaged;
    return CUDA_SUCCESS;
  };
  device.driver.cuStreamGetId = [](CUstream stream, unsigned long long *id) {
    return streamGetId(stream, id) == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  device.driver.cuStreamGetFlags = [](CUstream stream, unsigned *flags) {
    return streamGetFlags(stream, flags) == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  device.driver.cuStreamIsCapturing = [](CUstream stream, CUstreamCaptureStatus *status) {
    *status = stream && stream == device.capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                   : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  device.driver.cuGetErrorName = [](CUresult, const char **name) {
    *name = "CUDA_ERROR_OF_THE_TEST";
    return CUDA_SUCCESS;
  };
  return device;
}

} // namespace cupr::test

namespace cupr::host {

DeviceKind deviceKind() { return test::device.kind; }

void *backendFunction(const char *name) {
  const std::map<std::string, void *> known = {
      {"cudaStreamGetId", reinterpret_cast<void *>(test::streamGetId)},
      {"cudaStreamGetFlags", reinterpret_cast<void *>(test::streamGetFlags)},
      {"cudaGetSymbolAddress", reinterpret_cast<void *>(test::getSymbolAddress)},
      {"cudaGetDevice", reinterpret_cast<void *>(test::getDevice)},
      {"cudaStreamGetDevice", reinterpret_cast<void *>(test::streamGetDevice)},
      {"cudaGetFuncBySymbol", reinterpret_cast<void *>(test::getFuncBySymbol)},
      {"cudaGetErrorName", reinterpret_cast<void *>(test::getErrorName)}};
  const auto found = known.find(name);
  if (found == known.end()) {
    std::cerr << "the fake device lacks " << name << "\n";
    std::abort();
  }
  return found->second;
}

const Driver *Driver::get() { return test::device.kind == DeviceKind::Gpu ? &test::device.driver : nullptr; }
bool Driver::hasGpu() { return Driver::get(); }

const char *driverErrorName(CUresult result) {
  const char *name = nullptr;
  const Driver *const driver = Driver::get();
  return driver && driver->cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "unknown driver error";
}

} // namespace cupr::host

extern "C" {
__thread int __cupr_runtime_depth = 0;
int cuprCpuContextError() { return cupr::test::device.contextError; }
const char *cuprCpuContextFailure() { return cupr::test::device.contextError ? "block (0,0,0): why" : ""; }
int cuprCpuIsCapturing(CUstream_st *stream) { return stream && stream == cupr::test::device.capturing; }
unsigned cuprCpuModuleCount() { return 0; }
const void *cuprCpuKernelBeside(const void *, const char *) { return nullptr; }
const cupr::abi::CpuVariable *cuprCpuFindVariable(const void *, const char *name) {
  const auto &known = cupr::test::device.moduleVariables;
  const auto found = known.find(name);
  return found == known.end() ? nullptr : &found->second;
}
}
