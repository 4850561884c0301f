/// Tells sanitizers of switches between stacks: what they keep about a thread (which addresses are its stack,
/// which of them are no variable's; what happened before what) goes with the stack. In other builds these do
/// nothing.
///
/// `top`: of the stack that is switched to, null for the host thread's own. The order is sanitizer::leave, the
/// switch, and behind it, on the other stack, sanitizer::arrive.
#ifndef CUPR_CPU_STACK_SANITIZING_H
#define CUPR_CPU_STACK_SANITIZING_H

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CUPR_CPU_STACK_SANITIZING 1
#endif
#endif

/// For functions that leave a stack for good: their variables must lie on it, not where the address sanitizer
/// puts variables whose use after return it looks for, and which it gives back when a stack is left.
#ifdef CUPR_CPU_STACK_SANITIZING
#define CUPR_CPU_LEAVES_STACK __attribute__((no_sanitize("address")))
#else
#define CUPR_CPU_LEAVES_STACK
#endif

namespace cupr::cpu::sanitizer {

/// Whether the stack that is left is to be come back to.
enum class Return { Expected, Never };

#ifdef CUPR_CPU_STACK_SANITIZING
/// A fiber is about to start at the top of this stack, of `bytes` bytes.
void start(unsigned char *top, std::size_t bytes);
/// What it returns is for arrive(), when this stack is come back to.
void *leave(unsigned char *top, std::size_t bytes, Return expected);
/// `left`: null on a stack that has just started.
void arrive(void *left);
#else
inline void start(unsigned char *, std::size_t) {}
inline void *leave(unsigned char *, std::size_t, Return) { return nullptr; }
inline void arrive(void *) {}
#endif

} // namespace cupr::cpu::sanitizer

#endif
