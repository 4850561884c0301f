/// Switching between stacks, and the stacks.
///
/// A fiber is a stack and the stack pointer at which it was left. The switch
/// saves what the x86-64 System V ABI makes the callee keep, and jumps: `ret`
/// would mislead the processor's return predictor.
#ifndef CUPR_CPU_FIBER_H
#define CUPR_CPU_FIBER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cupr::cpu {

using FiberPointer = void *;

/// Leaves the running fiber, storing its stack pointer to `*from`, and goes on
/// where `to` was left: the call that left it there returns `result`.
extern "C" std::uint64_t cuprCpuSwitch(FiberPointer *from, FiberPointer to, std::uint64_t result);

/// The stack pointer of a fiber that has not run: when first switched to, it
/// calls `start(argument)`, which must not return.
FiberPointer makeFiber(unsigned char *stackTop, void (*start)(void *), void *argument);

/// The stacks of one host thread's lanes: one reserved stretch of addresses, a
/// guard page below each stack, made when first needed and kept.
class StackPool {
public:
  StackPool(std::size_t stackBytes, unsigned count);
  ~StackPool();
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;

  /// Whether there were addresses for them.
  bool exists() const { return base_ != nullptr; }
  /// The top of a stack, or null when all `count` are taken.
  unsigned char *take();
  void give(unsigned char *top) { free_.push_back(top); }
  /// Of one stack, from its top down.
  std::size_t bytes() const { return stackBytes_; }
  unsigned char *low() const { return base_; }
  unsigned char *high() const { return base_ + stride_ * count_; }

private:
  std::size_t stackBytes_, stride_;
  unsigned count_, made_ = 0;
  unsigned char *base_;
  std::vector<unsigned char *> free_;
};

} // namespace cupr::cpu

#endif
