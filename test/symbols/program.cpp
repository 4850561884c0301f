/// Functions of many kinds, for names: static, overloaded, inlined, of templates, classes, lambdas and unnamed namespaces.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define KEPT __attribute__((noinline))

extern "C" int plain(int value);

namespace weather {
namespace {

KEPT int sum(int a, int b) { return a + b * std::abs(a); }
KEPT double sum(double a, double b) { return a + b * a; }

inline int twice(int value) { return value + std::abs(value) * 3; }
__attribute__((always_inline)) inline int fourTimes(int value) {
  const int once = twice(value);
  return twice(once + 1);
}

template <typename T, int kCount> KEPT T power(T value) {
  T result = 1;
  for (int i = 0; i < kCount; ++i)
    result = result * value + static_cast<T>(i);
  return result;
}

} // namespace

class Station {
public:
  explicit Station(int size) : values_(static_cast<unsigned>(size), 1) {}
  virtual ~Station();
  KEPT int operator[](int index) const { return values_[static_cast<unsigned>(index)]; }
  virtual int height() const;
  struct Sensor {
    KEPT static int read(Station &station) { return fourTimes(station[0]); }
  };

private:
  std::vector<int> values_;
};

Station::~Station() { std::puts("gone"); }
int Station::height() const { return fourTimes((*this)[1]) + fourTimes(static_cast<int>(values_.size())); }

} // namespace weather

static KEPT int alone(int value) {
  if (value == 0x7fffffff) // next to never: compilers move it away
    std::abort();
  return weather::fourTimes(value) / 3;
}

int main(int count, char **) {
  weather::Station station(count + 3);
  const auto local = [&](int value)
                         __attribute__((noinline)) { return weather::sum(value, station.height()); };
  std::printf("%d %g %d %d %d %d\n", local(count), weather::sum(1.5, 1.0 * count),
              weather::power<int, 3>(count), weather::Station::Sensor::read(station), alone(count),
              plain(count));
}
