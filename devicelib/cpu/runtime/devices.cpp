#include "devices.h"

#include "environment.h"

namespace cupr::cpu {

namespace {

thread_local int current = 0;

} // namespace

int deviceCount() {
  static_assert(abi::settingOf(abi::SettingName::CUPR_CPU_DEVICES).high == kMaxDevices);
  static const int count = static_cast<int>(environmentNumber(abi::SettingName::CUPR_CPU_DEVICES));
  return count;
}

int currentDevice() { return current; }
void selectDevice(int device) { current = device; }

} // namespace cupr::cpu
