/// vectoradd: the sum of two vectors, a thread for each number.
///
///     vectoradd [numbers]      default: 50000
///
/// Exit 1 when a sum is not the host's.
#include "vectors.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  const int numbers = argc > 1 ? std::atoi(argv[1]) : 50000;
  if (numbers < 1 || numbers > 1 << 28) {
    std::fprintf(stderr, "usage: vectoradd [numbers, 1 to 268435456]\n");
    return 2;
  }
  std::vector<float> left(numbers), right(numbers);
  for (int at = 0; at < numbers; ++at) {
    left[at] = static_cast<float>(at % 1013) / 8;
    right[at] = static_cast<float>(at % 727) / 4;
  }
  const std::vector<float> sum = addOnDevice(left, right);
  if (sum.empty())
    return 1;
  int wrong = 0;
  for (int at = 0; at < numbers; ++at)
    wrong += sum[at] != left[at] + right[at];
  std::printf("vectoradd: %d numbers, the last sum is %g, %s\n", numbers, sum.back(),
              wrong == 0 ? "as on the host" : "WRONG: differs from the host");
  return wrong == 0 ? 0 : 1;
}
