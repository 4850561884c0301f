// What the test programs share: every program checks itself against plain C++ and
// says "ok" on its last line.
#ifndef CUPR_TEST_CPU_CHECK_H
#define CUPR_TEST_CPU_CHECK_H

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#define CUDA(call)                                                                                           \
  do {                                                                                                       \
    cudaError_t error_ = (call);                                                                             \
    if (error_ != cudaSuccess) {                                                                             \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                 \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

#define CHECK(condition, ...)                                                                                \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      std::printf("%s:%d: %s is false: ", __FILE__, __LINE__, #condition);                                   \
      std::printf(__VA_ARGS__);                                                                              \
      std::printf("\n");                                                                                     \
      std::exit(1);                                                                                          \
    }                                                                                                        \
  } while (0)

inline bool near(double a, double b, double tolerance = 1e-5) {
  return std::fabs(a - b) <= tolerance * (1.0 + std::fabs(a) + std::fabs(b));
}

/// What the project says goes to standard error as it was when the program was started: starts it again with a
/// file there, for `said`. First in `main`.
inline void keepStandardError(char **arguments) {
  if (std::getenv("CHECK_KEEPS_STDERR"))
    return;
  char name[] = "/tmp/cupr-check-XXXXXX";
  const int file = mkstemp(name);
  CHECK(file >= 0 && unlink(name) == 0 && dup2(file, 2) == 2, "no file");
  setenv("CHECK_KEEPS_STDERR", "1", 1);
  execv("/proc/self/exe", arguments);
  CHECK(false, "it does not start again");
}

/// What `launch` writes to standard error.
template <typename F> std::string said(F launch) {
  std::fflush(stderr);
  const off_t before = lseek(2, 0, SEEK_END);
  launch();
  std::fflush(stderr);
  char text[4096] = {};
  CHECK(before >= 0 && pread(2, text, sizeof text - 1, before) >= 0, "no file");
  return text;
}

#endif
