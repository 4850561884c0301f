/// Every atomic operation of every type that has it, one after the other on words of the thread's own, 2
/// blocks of 64. The old values are used, so that none becomes a plain store. Per thread, in bytes of the
/// word: int 9 x 4, unsigned 11 x 4, unsigned long long 8 x 8, float 2 x 4, double 1 x 8; and one store of
/// the sum of the old values.
#include "verdict.h"

constexpr int kThreads = 128;

__global__ void atomicsOfInt(int *words, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  int sum = atomicAdd(&words[0 * kThreads + i], 5);
  sum += 3 * atomicSub(&words[1 * kThreads + i], 7);
  sum += 5 * atomicExch(&words[2 * kThreads + i], 11);
  sum += 7 * atomicMin(&words[3 * kThreads + i], 50);
  sum += 11 * atomicMax(&words[4 * kThreads + i], 50);
  sum += 13 * atomicCAS(&words[5 * kThreads + i], 9, 10);
  sum += 17 * atomicAnd(&words[6 * kThreads + i], 0x3c);
  sum += 19 * atomicOr(&words[7 * kThreads + i], 0x41);
  sum += 23 * atomicXor(&words[8 * kThreads + i], 0x55);
  out[i] = sum;
}

__global__ void atomicsOfUnsigned(unsigned *words, unsigned *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  unsigned sum = atomicAdd(&words[0 * kThreads + i], 5u);
  sum += 3 * atomicSub(&words[1 * kThreads + i], 7u);
  sum += 5 * atomicExch(&words[2 * kThreads + i], 11u);
  sum += 7 * atomicMin(&words[3 * kThreads + i], 50u);
  sum += 11 * atomicMax(&words[4 * kThreads + i], 50u);
  sum += 13 * atomicCAS(&words[5 * kThreads + i], 9u, 10u);
  sum += 17 * atomicAnd(&words[6 * kThreads + i], 0x3cu);
  sum += 19 * atomicOr(&words[7 * kThreads + i], 0x41u);
  sum += 23 * atomicXor(&words[8 * kThreads + i], 0x55u);
  sum += 29 * atomicInc(&words[9 * kThreads + i], 20u);
  sum += 31 * atomicDec(&words[10 * kThreads + i], 20u);
  out[i] = sum;
}

typedef unsigned long long Long;

__global__ void atomicsOfLong(Long *words, Long *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  Long sum = atomicAdd(&words[0 * kThreads + i], 5ull);
  sum += 5 * atomicExch(&words[1 * kThreads + i], 11ull);
  sum += 7 * atomicMin(&words[2 * kThreads + i], 50ull);
  sum += 11 * atomicMax(&words[3 * kThreads + i], 50ull);
  sum += 13 * atomicCAS(&words[4 * kThreads + i], 9ull, 10ull);
  sum += 17 * atomicAnd(&words[5 * kThreads + i], 0x3cull);
  sum += 19 * atomicOr(&words[6 * kThreads + i], 0x41ull);
  sum += 23 * atomicXor(&words[7 * kThreads + i], 0x55ull);
  out[i] = sum;
}

__global__ void atomicsOfReal(float *words, double *wide, float *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const float added = atomicAdd(&words[0 * kThreads + i], 5.0f);
  const float exchanged = atomicExch(&words[1 * kThreads + i], 11.0f);
  const double wideAdded = atomicAdd(&wide[i], 0.5);
  out[i] = added + (exchanged + float(wideAdded));
}

/// What the 11 operations make of the start value `v` (word k of thread i starts as i + k), for integer
/// types.
template <typename T> T after(int operation, T v) {
  switch (operation) {
  case 0:
    return v + 5;
  case 1:
    return v - 7;
  case 2:
    return 11;
  case 3:
    return v < 50 ? v : 50;
  case 4:
    return v > 50 ? v : 50;
  case 5:
    return v == 9 ? 10 : v;
  case 6:
    return v & 0x3c;
  case 7:
    return v | 0x41;
  case 8:
    return v ^ 0x55;
  case 9:
    return v >= 20 ? 0 : v + 1;
  default:
    return v == 0 || v > 20 ? 20 : v - 1;
  }
}

template <typename T>
void check(Verdict &verdict, const char *what, const std::vector<int> &operations, void (*launch)(T *, T *)) {
  static const int kFactors[] = {1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
  std::vector<T> words(operations.size() * kThreads), wanted(words.size()), sums(kThreads, 0);
  for (std::size_t k = 0; k < operations.size(); ++k) {
    for (int i = 0; i < kThreads; ++i) {
      const T start = T(i) + T(k);
      words[k * kThreads + i] = start;
      wanted[k * kThreads + i] = after<T>(operations[k], start);
      sums[i] += T(kFactors[operations[k]]) * start;
    }
  }
  Device<T> deviceWords(words), out(kThreads);
  launch(deviceWords, out);
  verdict.equal(what, deviceWords.read(), wanted);
  verdict.equal(what, out.read(), sums);
}

int main() {
  Verdict verdict("atomics");
  check<int>(verdict, "int", {0, 1, 2, 3, 4, 5, 6, 7, 8},
             [](int *words, int *out) { atomicsOfInt<<<2, 64>>>(words, out); });
  check<unsigned>(verdict, "unsigned", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                  [](unsigned *words, unsigned *out) { atomicsOfUnsigned<<<2, 64>>>(words, out); });
  check<Long>(verdict, "unsigned long long", {0, 2, 3, 4, 5, 6, 7, 8},
              [](Long *words, Long *out) { atomicsOfLong<<<2, 64>>>(words, out); });

  Device<float> words(generate<float>(2 * kThreads, [](std::size_t i) { return float(i); })), out(kThreads);
  Device<double> wide(generate<double>(kThreads, [](std::size_t i) { return double(i) + 0.25; }));
  atomicsOfReal<<<2, 64>>>(words, wide, out);
  verdict.equal("float", words.read(), generate<float>(2 * kThreads, [](std::size_t i) {
                  return i < kThreads ? float(i) + 5.0f : 11.0f;
                }));
  verdict.equal("double", wide.read(),
                generate<double>(kThreads, [](std::size_t i) { return double(i) + 0.75; }));
  verdict.equal("old", out.read(), generate<float>(kThreads, [](std::size_t i) {
                  return float(i) + (float(i + kThreads) + (float(i) + 0.25f));
                }));
  return verdict.finish();
}
