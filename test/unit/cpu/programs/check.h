// What the test programs share: every program checks itself against plain C++ and
// says "ok" on its last line.
#ifndef CUPR_TEST_CPU_CHECK_H
#define CUPR_TEST_CPU_CHECK_H

#include <cmath>
#include <cstdio>
#include <cstdlib>

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

#endif
