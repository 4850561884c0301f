// SIMD video instructions on two halves and four bytes of a word, against plain C++.
#include "check.h"
#include <cstdint>
#include <cstring>

template <int Count, bool Signed> struct Elements {
  static constexpr int kBits = 32 / Count;
  static long at(unsigned word, int i) {
    const long value = word >> (i * kBits) & ((1u << kBits) - 1);
    return Signed && value >> (kBits - 1) ? value - (1l << kBits) : value;
  }
  template <typename F> static unsigned each(unsigned a, unsigned b, F compute) {
    unsigned result = 0;
    for (int i = 0; i < Count; ++i)
      result |= (static_cast<unsigned>(compute(at(a, i), at(b, i))) & ((1u << kBits) - 1)) << (i * kBits);
    return result;
  }
  template <typename F> static unsigned sum(unsigned a, unsigned b, F compute) {
    unsigned result = 0;
    for (int i = 0; i < Count; ++i)
      result += static_cast<unsigned>(compute(at(a, i), at(b, i)));
    return result;
  }
  static long saturated(long value) {
    const long high = (1l << (Signed ? kBits - 1 : kBits)) - 1, low = Signed ? -high - 1 : 0;
    return value > high ? high : value < low ? low : value;
  }
};

static long add(long a, long b) { return a + b; }
static long difference(long a, long b) { return a > b ? a - b : b - a; }
static long smaller(long a, long b) { return a < b ? a : b; }
static long larger(long a, long b) { return a > b ? a : b; }
// Rounded away from zero.
static long average(long a, long b) { return a + b < 0 ? -((1 - a - b) / 2) : (a + b + 1) / 2; }

// The instruction, and what it must give of `a` and `b`.
#define VIDEO_OF(X, n, count)                                                                                \
  X(__vadd##n(a, b), (Elements<count, false>::each(a, b, add)))                                              \
  X(__vaddss##n(a, b), (Elements<count, true>::each(                                                         \
                           a, b, [](long x, long y) { return Elements<count, true>::saturated(x + y); })))   \
  X(__vaddus##n(a, b), (Elements<count, false>::each(                                                        \
                           a, b, [](long x, long y) { return Elements<count, false>::saturated(x + y); })))  \
  X(__vsub##n(a, b), (Elements<count, false>::each(a, b, [](long x, long y) { return x - y; })))             \
  X(__vsubss##n(a, b), (Elements<count, true>::each(                                                         \
                           a, b, [](long x, long y) { return Elements<count, true>::saturated(x - y); })))   \
  X(__vsubus##n(a, b), (Elements<count, false>::each(                                                        \
                           a, b, [](long x, long y) { return Elements<count, false>::saturated(x - y); })))  \
  X(__vabsdiffs##n(a, b), (Elements<count, true>::each(a, b, difference)))                                   \
  X(__vabsdiffu##n(a, b), (Elements<count, false>::each(a, b, difference)))                                  \
  X(__vavgs##n(a, b), (Elements<count, true>::each(a, b, average)))                                          \
  X(__vavgu##n(a, b), (Elements<count, false>::each(a, b, average)))                                         \
  X(__vmins##n(a, b), (Elements<count, true>::each(a, b, smaller)))                                          \
  X(__vminu##n(a, b), (Elements<count, false>::each(a, b, smaller)))                                         \
  X(__vmaxs##n(a, b), (Elements<count, true>::each(a, b, larger)))                                           \
  X(__vmaxu##n(a, b), (Elements<count, false>::each(a, b, larger)))                                          \
  X(__vseteq##n(a, b), (Elements<count, false>::each(a, b, [](long x, long y) { return long(x == y); })))    \
  X(__vsetges##n(a, b), (Elements<count, true>::each(a, b, [](long x, long y) { return long(x >= y); })))    \
  X(__vsetltu##n(a, b), (Elements<count, false>::each(a, b, [](long x, long y) { return long(x < y); })))    \
  X(__vcmpgts##n(a, b),                                                                                      \
    (Elements<count, true>::each(a, b, [](long x, long y) { return x > y ? -1l : 0l; })))                    \
  X(__vcmpleu##n(a, b),                                                                                      \
    (Elements<count, false>::each(a, b, [](long x, long y) { return x <= y ? -1l : 0l; })))                  \
  X(__vsads##n(a, b), (Elements<count, true>::sum(a, b, difference)))                                        \
  X(__vsadu##n(a, b), (Elements<count, false>::sum(a, b, difference)))                                       \
  X(__vabsss##n(a), (Elements<count, true>::each(a, b, [](long x, long) {                                    \
      return Elements<count, true>::saturated(x < 0 ? -x : x);                                               \
    })))                                                                                                     \
  X(__vneg##n(a), (Elements<count, true>::each(a, b, [](long x, long) { return -x; })))
#define VIDEO(X) VIDEO_OF(X, 2, 2) VIDEO_OF(X, 4, 4)

__global__ void compute(const unsigned *pairs, unsigned *results) {
  const unsigned a = pairs[2 * threadIdx.x], b = pairs[2 * threadIdx.x + 1];
  unsigned *own = results + 64 * threadIdx.x;
  int i = 0;
#define X(instruction, expected) own[i++] = instruction;
  VIDEO(X)
#undef X
}

int main() {
  constexpr int kPairs = 64;
  unsigned *pairs, *results;
  CUDA(cudaMallocManaged(&pairs, kPairs * 8));
  CUDA(cudaMallocManaged(&results, kPairs * 64 * 4));
  const unsigned corners[] = {0,           0xffffffffu, 0x80808080u, 0x7f7f7f7fu,
                              0x80007fffu, 0x01ff00feu, 0x12345678u, 0x8001ff7fu};
  for (int i = 0; i < kPairs; ++i) {
    pairs[2 * i] = corners[i % 8];
    pairs[2 * i + 1] = corners[i / 8];
  }
  compute<<<1, kPairs>>>(pairs, results);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < kPairs; ++i) {
    const unsigned a = pairs[2 * i], b = pairs[2 * i + 1];
    int at = 0;
#define X(instruction, expected)                                                                             \
  CHECK(results[64 * i + at] == expected, "%s of %08x, %08x: %08x, not %08x", #instruction, a, b,            \
        results[64 * i + at], expected);                                                                     \
  ++at;
    VIDEO(X)
#undef X
  }
  std::puts("ok");
}
