/// There is one thread, and files that are made are the worker's (viewer/src/reader/files.ts).
#include "missing.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <kj/mutex.h>

int mkstemp(char *name) {
  static unsigned made = 0;
  char *const end = name + std::strlen(name) - 6;
  std::snprintf(end, 7, "%06u", made++ % 1000000);
  return ::open(name, O_RDWR | O_CREAT | O_EXCL);
}

/// The thread ends with the worker, and its memory with it.
int __cxxabiv1::__cxa_thread_atexit(void (*)(void *), void *, void *) { return 0; }

namespace kj::_ {

Mutex::Mutex() : futex(0) {}
Mutex::~Mutex() {}
bool Mutex::lock(Exclusivity, Maybe<Duration>, LockSourceLocationArg) { return true; }
void Mutex::unlock(Exclusivity, Waiter *) {}

} // namespace kj::_
