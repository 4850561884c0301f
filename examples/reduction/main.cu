/// reduction: the sum of numbers, in six ways.
///
///     reduction [numbers] [rounds] [kernel] [threads] [type]      default: 65536 100 2 64 double
///     reduction all [numbers]                                     each of the 132 instances once; default: 5000
///
/// `kernel` is 0 to 5 (kernels.cuh), `threads` those of a block: a power of two, `type` int, float or double. Exit 1 when a sum is not
/// the host's. All numbers are whole and small, so that every order of adding gives the same sum.
#include "reduction.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kMostNumbers = 1 << 20; ///< whose sum a float can hold
constexpr const char *kTypeNames[kTypes] = {"int", "float", "double"};

template <typename Number> bool isRight(int count, const Plan &plan) {
  std::vector<Number> numbers;
  Number host = 0, device = -1;
  for (int at = 0; at < count; ++at) {
    numbers.push_back(static_cast<Number>(at % 13));
    host += numbers.back();
  }
  return sumOnDevice(device, numbers, plan) && device == host;
}

bool isRight(int type, int count, const Plan &plan) {
  if (type == 0)
    return isRight<int>(count, plan);
  return type == 1 ? isRight<float>(count, plan) : isRight<double>(count, plan);
}

int usage() {
  std::fprintf(stderr,
               "usage: reduction [numbers, 1 to %d] [rounds, 1 to 10000] [kernel, 0 to %d]\n"
               "                 [threads, a power of two up to %d; kernels 0 to 2: from 2 on] [int|float|double]\n"
               "       reduction all [numbers]\n",
               kMostNumbers, kKernels - 1, 1 << (kBlockSizes - 1));
  return 2;
}

/// Every kernel of every type, the sized ones with every size, for a number that is a power of two and one that is not.
int tryAll(int count) {
  int instances = 0, wrong = 0;
  const auto trial = [&](int type, int numbers, const Plan &plan) {
    ++instances;
    wrong += !isRight(type, numbers, plan);
  };
  int powerOfTwo = 1 << (kBlockSizes + 1);
  for (int type = 0; type < kTypes; ++type) {
    for (int kernel = 0; kernel < kFirstSized; ++kernel)
      trial(type, count, {kernel, 64, 1});
    for (int kernel = kFirstSized; kernel < kKernels; ++kernel)
      for (int threads = 1; threads < 1 << kBlockSizes; threads *= 2)
        for (const int numbers : {powerOfTwo, count})
          trial(type, numbers, {kernel, threads, 1});
  }
  std::printf("reduction: %d instances, %d numbers and %d, %s\n", instances, powerOfTwo, count,
              wrong == 0 ? "as on the host" : "WRONG: differs from the host");
  return wrong == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  const auto argument = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  if (argc > 1 && std::strcmp(argv[1], "all") == 0) {
    const int count = argument(2, 5000);
    return count < 1 || count > kMostNumbers ? usage() : tryAll(count);
  }
  const int count = argument(1, 65536);
  const Plan plan{argument(3, 2), argument(4, 64), argument(2, 100)};
  int type = 0;
  const char *const name = argc > 5 ? argv[5] : "double";
  while (type < kTypes && std::strcmp(name, kTypeNames[type]) != 0)
    ++type;
  const bool isPowerOfTwo = plan.threads > 0 && (plan.threads & (plan.threads - 1)) == 0;
  if (count < 1 || count > kMostNumbers || plan.rounds < 1 || plan.rounds > 10000 || plan.kernel < 0 ||
      plan.kernel >= kKernels || !isPowerOfTwo || plan.threads >= 1 << kBlockSizes ||
      (plan.kernel < 3 && plan.threads < 2) || type == kTypes)
    return usage();
  const bool equal = isRight(type, count, plan);
  std::printf("reduction: %d numbers (%s), %d rounds of kernel %d with %d threads, %s\n", count, kTypeNames[type],
              plan.rounds, plan.kernel, plan.threads, equal ? "as on the host" : "WRONG: differs from the host");
  return equal ? 0 : 1;
}
