#include "fiber_notes.h"

#ifdef CUPR_CPU_FIBER_NOTES

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

namespace cupr::cpu::note {

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

} // namespace cupr::cpu::note

#endif
