// min, max and their like in host code, without std:: and without an include.
// RUN: %cuprxx --device=cpu --no-trace -std=c++11 -o %t %s && %t | %filecheck %s
// RUN: %cuprxx --device=cpu --no-trace -std=c++20 -DWITH_STD -o %t %s && %t | %filecheck %s
#ifdef WITH_STD
#include <algorithm>
#endif
#include <cstdio>
#ifdef WITH_STD
using namespace std;
#endif

template <class Wanted, class Found> const char *type(Found) {
  return std::is_same<Wanted, Found>::value ? "as in nvcc" : "another";
}
struct Bits {
  unsigned few : 3;
  static const int size = 5; // without a definition: it must be taken by value
};
enum Colour { Red = 4 };
// Others have functions of their own.
enum class Level { Low, High };
struct Size {
  int x;
};
Size min(Size a, Size b) { return a.x < b.x ? a : b; }
Level max(Level a, Level b) { return a < b ? b : a; }
template <class T> __host__ __device__ T clamped(T x) { return min(max(x, T(1)), T(9)); }

__global__ void kernel(int *out, unsigned u, int i) {
  out[0] = min(u, 3) + max(i, 4) + min(1.0f, 2.0) + clamped(i) + umax(u, 4u);
}

int main() {
  int i = -1;
  unsigned u = 2;
  long l = 3;
  unsigned long long ull = 4;
  Bits bits{6};
  // CHECK: 1 2 4294967295 as in nvcc
  std::printf("%d %d %u %s\n", min(1, 2), max(1, 2), max(i, u), type<unsigned>(max(i, u)));
  // CHECK: 3 4 as in nvcc
  std::printf("%ld %llu %s\n", min(l, 5L), max(3LL, ull), type<unsigned long long>(max(3LL, ull)));
  // CHECK: 1.5 as in nvcc 2.5 as in nvcc
  std::printf("%.1f %s %.1f %s\n", min(1.5f, 2.f), type<float>(min(1.5f, 2.f)), max(1.5f, 2.5),
              type<double>(max(1.5f, 2.5)));
  // CHECK: 97 6 5 4 7
  std::printf("%d %d %d %d %d\n", max('a', 1), ::max(3, bits.few), min(Bits::size, 8), min(Red, 7), clamped(7));
  // CHECK: 2 3 4 4 1 9
  std::printf("%u %u %lld %lld %llu %llu\n", umin(2, 3), umax(2, 3), llmin(5, 4), llmax(3, 4), ullmin(1, 9),
              ullmax(1, 9));
  // CHECK-NEXT: 3 1
  std::printf("%d %d\n", min(Size{3}, Size{4}).x, static_cast<int>(max(Level::Low, Level::High)));
  float sine, cosine;
  sincos(0.0f, &sine, &cosine);
  // CHECK: 0 1 0.5
  std::printf("%g %g %g\n", sine, cosine, rsqrt(4.0));
  // CHECK: later than 2020
  const time_t now = time(nullptr);
  std::printf("%s\n", now > 50L * 365 * 24 * 3600 ? "later than 2020" : "a wrong clock");
}
