/// Turns a device module (nvptx64, after the instrumentation) into a host module.
#ifndef CUPR_CPU_RETARGET_H
#define CUPR_CPU_RETARGET_H

#include "llvm/IR/Module.h"

#include <cstdint>
#include <string>

namespace cupr::cpu {

struct RetargetOptions {
  std::uint64_t id[2] = {}; ///< of the image that the host code registers: low, high
  std::string hostCpu;      ///< as for -march; empty: the compiler's default
  bool logAccesses = false; ///< report all accesses to the runtime's witness, for tests
  bool logValues = false;   ///< and what they read and write
};

/// False, with a message in `error`, when the module can't be retargeted at all.
bool retarget(llvm::Module &module, const RetargetOptions &options, std::string &error);

} // namespace cupr::cpu

#endif
