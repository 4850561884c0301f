#include "stack_sanitizing.h"

#ifdef CUPR_CPU_STACK_SANITIZING

#if __has_feature(thread_sanitizer)

#include <sanitizer/tsan_interface.h>
#include <unordered_map>

/// A function whose entry would be noted on one stack and its end on the other.
#define CUPR_CPU_UNSEEN __attribute__((disable_sanitizer_instrumentation))

namespace cupr::cpu::sanitizer {

namespace {

/// The sanitizer's idea of a stack is a fiber, too: of calls that have not returned. One that was left for
/// good holds such calls, so the next on this stack gets a new one.
struct Fibers {
  std::unordered_map<unsigned char *, void *> byStack; ///< of this host thread, by the stack's top
  void *host = nullptr;                                ///< its own stack's
  void *gone = nullptr;                                ///< to be given back once it is not the present one
};

CUPR_CPU_UNSEEN Fibers &fibers() {
  thread_local Fibers own;
  return own;
}

} // namespace

CUPR_CPU_UNSEEN void start(unsigned char *top, std::size_t) {
  Fibers &own = fibers();
  void *&fiber = own.byStack[top];
  if (fiber && fiber == __tsan_get_current_fiber())
    own.gone = fiber;
  else if (fiber)
    __tsan_destroy_fiber(fiber);
  fiber = __tsan_create_fiber(0);
}

CUPR_CPU_UNSEEN void *leave(unsigned char *top, std::size_t, Return) {
  Fibers &own = fibers();
  if (!own.host)
    own.host = __tsan_get_current_fiber(); // a host thread leaves its own stack first
  void *const to = top ? own.byStack[top] : own.host;
  __tsan_switch_to_fiber(to, 0);
  return nullptr;
}

CUPR_CPU_UNSEEN void arrive(void *) {
  Fibers &own = fibers();
  if (own.gone)
    __tsan_destroy_fiber(own.gone);
  own.gone = nullptr;
}

} // namespace cupr::cpu::sanitizer

#else

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

namespace cupr::cpu::sanitizer {

namespace {

struct Bounds {
  void *bottom = nullptr;
  std::size_t bytes = 0;
};

const Bounds &hostStack() {
  thread_local const Bounds bounds = [] {
    Bounds own;
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &own.bottom, &own.bytes);
    pthread_attr_destroy(&attributes);
    return own;
  }();
  return bounds;
}

} // namespace

/// What was given up there may have left marks around its variables.
void start(unsigned char *top, std::size_t bytes) { ASAN_UNPOISON_MEMORY_REGION(top - bytes, bytes); }

CUPR_CPU_LEAVES_STACK void *leave(unsigned char *top, std::size_t bytes, Return expected) {
  const Bounds to = top ? Bounds{top - bytes, bytes} : hostStack();
  void *left = nullptr;
  __sanitizer_start_switch_fiber(expected == Return::Expected ? &left : nullptr, to.bottom, to.bytes);
  return left;
}

void arrive(void *left) { __sanitizer_finish_switch_fiber(left, nullptr, nullptr); }

} // namespace cupr::cpu::sanitizer

#endif
#endif
