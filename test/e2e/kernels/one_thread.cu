/// One thread alone: its first access is the first of the whole trace. It loads two elements, one after the other,
/// and stores one: 2 loads, 1 store.
#include "verdict.h"

__global__ void follow(int *values, const int *next) { values[0] = next[next[0]]; }

int main() {
  Device<int> next(std::vector<int>{2, 0, 7}), out(1);
  follow<<<1, 1>>>(out, next);
  Verdict verdict("one_thread");
  verdict.equal("out", out.read(), std::vector<int>{7});
  return verdict.finish();
}
