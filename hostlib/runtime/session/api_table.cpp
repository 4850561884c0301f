#include "hostlib/runtime/driver/api_table.h"

#include "devicelib/abi/setting.h"
#include "hostlib/runtime/driver/driver.h"
#include "hostlib/runtime/driver/message.h"
#include "hostlib/runtime/kernels/registration.h"
#include "session.h"

#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <mutex>

extern "C" {
extern void *cupr_api_table[];
extern void *const cupr_api_gpu[];
extern void *const cupr_api_cpu[];
extern void *const cupr_api_hook[];
extern const char *const cupr_api_name[];
extern const unsigned cupr_api_count;

void cuprApiSelect();
cudaError_t cuprApiMissing(unsigned index);
}

namespace cupr::host {
namespace {

std::once_flag chosen;
bool isChosen = false;
DeviceKind kind = DeviceKind::Cpu;

DeviceKind choose() {
  const char *const wish = ::secure_getenv("CUPR_DEVICE");
  const bool gpuPossible = hasGpuImages();
  const bool cpuPossible = hasCpuImages();
  if (wish && std::strcmp(wish, "cpu") == 0) {
    if (!cpuPossible && gpuPossible)
      message("CUPR_DEVICE=cpu, but the program was built without code for the CPU device (--device=gpu); "
              "kernels "
              "will not be found");
    return DeviceKind::Cpu;
  }
  if (wish && std::strcmp(wish, "gpu") == 0) {
    if (!gpuPossible && cpuPossible)
      message("CUPR_DEVICE=gpu, but the program was built without code for the GPU (--device=cpu); kernels "
              "will not "
              "be found");
    return DeviceKind::Gpu;
  }
  const abi::Setting &setting = abi::settingOf(abi::SettingName::CUPR_DEVICE);
  if (wish && *wish && !abi::isWord(setting.values, wish))
    message("{} is '{}': expected {}; choosing by what is there", setting.variable, wish,
            abi::expectationOf(setting));
  if (!gpuPossible && cpuPossible)
    return DeviceKind::Cpu;
  if (!cpuPossible && gpuPossible) {
    if (!Driver::hasGpu())
      message("there is no GPU here, and the program holds no code for the CPU device: its kernels can't run "
              "(cupr++ makes code for both)");
    return DeviceKind::Gpu;
  }
  return Driver::hasGpu() ? DeviceKind::Gpu : DeviceKind::Cpu;
}

void fillTable() {
  void *const *const backend = kind == DeviceKind::Gpu ? cupr_api_gpu : cupr_api_cpu;
  for (unsigned i = 0; i < cupr_api_count; ++i)
    cupr_api_table[i] = cupr_api_hook[i] ? cupr_api_hook[i] : backend[i];
}

void select() {
  std::call_once(chosen, [] {
    kind = choose();
    isChosen = true;
    replayRegistrations();
    Session::start(kind);
    // Last: other threads that call meanwhile wait in call_once.
    fillTable();
  });
}

} // namespace

DeviceKind deviceKind() {
  select();
  return kind;
}

void *backendFunction(const char *name) {
  void *const *const backend =
      (isChosen ? kind : deviceKind()) == DeviceKind::Gpu ? cupr_api_gpu : cupr_api_cpu;
  for (unsigned i = 0; i < cupr_api_count; ++i)
    if (std::strcmp(cupr_api_name[i], name) == 0)
      return backend[i];
  message("internal error: {} is not in the API table", name);
  std::abort();
}

} // namespace cupr::host

void cuprApiSelect() { cupr::host::select(); }

cudaError_t cuprApiMissing(unsigned index) {
  cupr::host::message("the CPU device does not implement {}; it returns cudaErrorNotSupported",
                      cupr_api_name[index]);
  return cudaErrorNotSupported;
}
