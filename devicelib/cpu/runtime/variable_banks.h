/// The values that the variables of modules (`__device__`, `__constant__`) have on each of several devices.
///
/// Code of the CPU device has one place for each variable. Before a device's kernel runs, or the host
/// copies to or from a variable of that device, the values of the device that had the places are put away,
/// and its own are put there. A variable that a device has not had yet has its initial value there. Managed
/// variables are one for all devices.
#ifndef CUPR_CPU_VARIABLE_BANKS_H
#define CUPR_CPU_VARIABLE_BANKS_H

#include "devices.h"

#include "devicelib/abi/cpu_device.h"

#include <vector>

namespace cupr::cpu {

/// Threads: one at a time, and no kernel may run meanwhile (Device::holdVariables).
class VariableBanks {
public:
  /// From now on the places hold `device`'s values.
  void use(int device);

private:
  using Bytes = std::vector<unsigned char>;
  struct Variable {
    const abi::CpuVariable *place;
    Bytes initial;
    std::vector<Bytes> values; ///< by device; empty: it has the initial ones
  };

  void findVariables();

  std::vector<Variable> variables_;
  int holder_ = 0; ///< whose values lie in the places
};

} // namespace cupr::cpu

#endif
