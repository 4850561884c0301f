/// What the reader and its libraries call, and WebAssembly's C library and C++ runtime, as Debian has them, lack. Included before
/// everything else.
#ifndef CUPR_VIEWER_MISSING_H
#define CUPR_VIEWER_MISSING_H

extern "C" int mkstemp(char *name);

namespace __cxxabiv1 {
extern "C" int __cxa_thread_atexit(void (*destroy)(void *), void *object, void *library);
}

#endif
