/// An object for each thread that is there as long as the thread may need it.
///
/// What C++ calls thread_local is destroyed before the thread's last code runs: destructors of older objects
/// and of pthread keys come later, and on the thread that calls exit() all of its handlers and the
/// destructors of static objects. Programs launch kernels there. So a thread that asks again is given a new
/// object, which is destroyed like the first one where the thread still destroys anything, and else stays.
///
/// Only a pointer lies in the thread's own memory: a library that is loaded while the program runs has little
/// of it.
#ifndef CUPR_ABI_THREAD_OWNED_H
#define CUPR_ABI_THREAD_OWNED_H

#include <cxxabi.h>

extern "C" void *__dso_handle __attribute__((visibility("hidden")));

namespace cupr {
namespace abi {

template <typename T> class ThreadOwned {
public:
  static T &get() {
    if (!object_) {
      object_ = new T;
      __cxxabiv1::__cxa_thread_atexit(destroy, object_, &__dso_handle);
    }
    return *object_;
  }

  /// Null: the thread has not asked for it. Nothing is allocated.
  static const T *ifThere() { return object_; }

private:
  static void destroy(void *) {
    delete object_;
    object_ = nullptr;
  }

  static thread_local T *object_;
};

template <typename T> thread_local T *ThreadOwned<T>::object_ = nullptr;

} // namespace abi
} // namespace cupr

#endif
