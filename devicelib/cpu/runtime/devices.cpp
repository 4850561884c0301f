#include "devices.h"

#include "device.h"

namespace cupr::cpu {

namespace {

thread_local int current = 0;

} // namespace

int deviceCount() {
  static const int count = static_cast<int>(environmentNumber("CUPR_CPU_DEVICES", 1, 1, kMaxDevices));
  return count;
}

int currentDevice() { return current; }
void selectDevice(int device) { current = device; }

} // namespace cupr::cpu
