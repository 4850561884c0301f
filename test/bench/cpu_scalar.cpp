/// The kernels of cpu_kernels.cu as one would write them in C++ for one processor: loops over the same
/// elements, in the order of the kernels' threads. Same arguments, same line of JSON.
#include "cpu_timing.h"

#include <cstring>
#include <vector>

namespace {

void matmul(const float *a, const float *b, float *c, int n) {
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
      c[row * n + column] = sum;
    }
}

void saxpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i];
}

float reduce(const float *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i];
  return sum;
}

void rows(const float *x, float *sums, int n) {
  for (int row = 0; row < n; ++row) {
    float sum = 0;
    for (int i = 0; i < rowLength(row); ++i)
      sum += x[row * kRow + i];
    sums[row] = sum;
  }
}

/// Threads that do nothing, but as often as told.
void nothing(int threads) {
  for (int i = 0; i < threads; ++i)
    asm volatile("");
}

constexpr int kTouched = 4096;

void touch(float *x, int threads) {
  for (int i = 0; i < threads; ++i) {
    x[i % kTouched] = 1;
    asm volatile("" ::: "memory");
  }
}

/// Keeps the compiler from running one call for all rounds.
void used(const void *memory) { asm volatile("" ::"r"(memory) : "memory"); }

} // namespace

int main(int argc, char **argv) {
  const Request request(argc, argv);
  const auto is = [&](const char *name) { return std::strcmp(request.kernel, name) == 0; };
  const int n = request.size;
  if (is("matmul")) {
    const long count = static_cast<long>(n) * n;
    std::vector<float> a(count), b(count), c(count);
    fill(a.data(), count, 5);
    fill(b.data(), count, 7);
    const double seconds = leastTime(
        request.rounds, [] {},
        [&] {
          matmul(a.data(), b.data(), c.data(), n);
          used(c.data());
        });
    report(seconds, 2.0 * count * n + count, sumOf(c.data(), count));
  } else if (is("saxpy")) {
    std::vector<float> x(n), y(n);
    fill(x.data(), n, 5);
    const double seconds = leastTime(
        request.rounds, [&] { fill(y.data(), n, 7); },
        [&] {
          saxpy(n, 2, x.data(), y.data());
          used(y.data());
        });
    report(seconds, 3.0 * n, sumOf(y.data(), n));
  } else if (is("reduce") || is("tree")) {
    std::vector<float> x(n);
    fill(x.data(), n, 5);
    float sum = 0;
    const double seconds = leastTime(
        request.rounds, [] {},
        [&] {
          sum = reduce(x.data(), n);
          used(&sum);
        });
    report(seconds, n, sum);
  } else if (is("rows")) {
    std::vector<float> x(static_cast<std::size_t>(n) * kRow), sums(n);
    fill(x.data(), static_cast<long>(n) * kRow, 5);
    const double seconds = leastTime(
        request.rounds, [] {},
        [&] {
          rows(x.data(), sums.data(), n);
          used(sums.data());
        });
    double accesses = n;
    for (int row = 0; row < n; ++row)
      accesses += rowLength(row);
    report(seconds, accesses, sumOf(sums.data(), n));
  } else if (is("nothing")) {
    report(leastTime(request.rounds, [] {}, [&] { nothing(32 * n); }), 0, 0);
  } else if (is("touch")) {
    std::vector<float> x(kTouched);
    const double seconds = leastTime(request.rounds, [] {}, [&] { touch(x.data(), 32 * n); });
    report(seconds, 32.0 * n, sumOf(x.data(), kTouched));
  } else {
    return 2;
  }
}
