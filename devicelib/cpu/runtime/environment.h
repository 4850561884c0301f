/// The settings of the CPU device, from the environment (devicelib/abi/settings.def). What makes no sense is
/// said in one line, and the default holds.
#ifndef CUPR_CPU_ENVIRONMENT_H
#define CUPR_CPU_ENVIRONMENT_H

#include "devicelib/abi/setting.h"

namespace cupr::cpu {

/// A number, a size or a switch; `fallback` where it is not set.
std::uint64_t environmentNumber(abi::SettingName name, std::uint64_t fallback);
inline std::uint64_t environmentNumber(abi::SettingName name) {
  return environmentNumber(name, abi::settingDefault(name));
}

/// One of the setting's words.
std::string_view environmentWord(abi::SettingName name);

} // namespace cupr::cpu

#endif
