/// Where a call was made, kept cheaply and told in words only if somebody asks.
#ifndef CUPR_CPU_CALL_STACK_H
#define CUPR_CPU_CALL_STACK_H

#include <string>

namespace cupr::cpu {

/// The innermost frames of a call.
class CallStack {
public:
  CallStack() = default;
  /// Of the caller.
  static CallStack here();
  /// One address: that of an instruction.
  static CallStack at(const void *instruction);

  /// "file:line" of the innermost frame that is known to be in the program's own source; else in any
  /// source; else empty. Runs llvm-symbolizer, which is there where programs are built for this device;
  /// the program needs line tables (cupr++ makes them).
  std::string place() const;

private:
  static constexpr int kFrames = 12;
  void *frames_[kFrames] = {};
  int depth_ = 0;
  bool returns_ = true; ///< the frames are return addresses: the calls are in front of them
};

} // namespace cupr::cpu

#endif
