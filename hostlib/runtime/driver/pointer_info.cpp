#include "pointer_info.h"

#include <iterator>

namespace cupr::host {

PointerInfo pointerInfo(const Driver &driver, CUdeviceptr address) {
  PointerInfo info{};
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *to[] = {&info.memoryType, &info.isManaged, &info.device};
  static_assert(std::size(attributes) == std::size(to));
  if (driver.cuPointerGetAttributes(std::size(attributes), attributes, to, address) != CUDA_SUCCESS)
    return {};
  return info;
}

} // namespace cupr::host
