/// A call of CUDA's API by the program, from its begin to its end, as the first thing in the function that stands in for it.
#ifndef CUPR_RUNTIME_API_CALL_H
#define CUPR_RUNTIME_API_CALL_H

#include "thread_calls.h"

namespace cupr::host {

/// Those of the caller of the function that asks. A frame begins with the caller's frame pointer and the return address (System V ABI for
/// x86-64, figure 3.3).
__attribute__((always_inline)) inline Registers callersRegisters() {
  const auto *const frame = static_cast<const std::uint64_t *>(__builtin_frame_address(0));
  return {frame[1], reinterpret_cast<std::uint64_t>(frame + 2), frame[0]};
}

class ApiCall {
public:
  /// `hook`: the function that this is a variable of. Its caller is the program's: what leads there from the API's name only jumps.
  __attribute__((always_inline)) explicit ApiCall(const char *hook = __builtin_FUNCTION())
      : thread_(ThreadCalls::ofThread()) {
    thread_.begin(hook, callersRegisters());
  }
  __attribute__((always_inline)) ~ApiCall() { thread_.end(); }
  ApiCall(const ApiCall &) = delete;
  ApiCall &operator=(const ApiCall &) = delete;

private:
  ThreadCalls &thread_;
};

} // namespace cupr::host

#endif
