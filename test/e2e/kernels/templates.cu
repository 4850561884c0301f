/// Templates, parameter packs, default arguments, overloads, namespaces. 2 blocks of 32 each time. addAll
/// of three arrays: 192 loads and 64 stores of 4 bytes. scaleBy<double, 3>: 64 loads and 64 stores of 8
/// bytes. firstElements of a specialised reader: char 64 loads of 1 byte, and 64 stores of 4.
#include "verdict.h"

namespace numbers {

template <typename T> __device__ T sum(const T *first, int i) { return first[i]; }

template <typename T> __device__ T addUp(int) { return T(0); }
template <typename T, typename... Rest> __device__ T addUp(int i, const T *first, Rest... rest) {
  return sum(first, i) + addUp<T>(i, rest...);
}

template <typename... Arrays> __global__ void addAll(int *out, Arrays... arrays) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = addUp<int>(i, arrays...);
}

} // namespace numbers

template <typename T> __device__ T twice(T value, int times = 2) { return value * T(times); }

template <typename T, int kFactor> __global__ void scaleBy(const T *in, T *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = twice(in[i]) * T(kFactor);
}

template <typename T> struct Reader {
  __device__ static int read(const T *in, int i) { return int(in[i]); }
};
template <> struct Reader<char> {
  __device__ static int read(const char *in, int i) { return in[i] + 1000; }
};

template <typename T> __global__ void firstElements(const T *in, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = Reader<T>::read(in, i);
}

int main() {
  const int n = 64;
  const auto values = generate<int>(n, [](std::size_t i) { return int(i); });
  Device<int> a(values), b(values), c(values), sums(n), read(n);
  Device<double> reals(generate<double>(n, [](std::size_t i) { return double(i); })), scaled(n);
  Device<char> letters(generate<char>(n, [](std::size_t i) { return char(i); }));
  numbers::addAll<<<2, 32>>>(sums, static_cast<const int *>(a), static_cast<const int *>(b),
                             static_cast<const int *>(c));
  scaleBy<double, 3><<<2, 32>>>(reals, scaled);
  firstElements<char><<<2, 32>>>(letters, read);
  Verdict verdict("templates");
  verdict.equal("sums", sums.read(), generate<int>(n, [](std::size_t i) { return int(3 * i); }));
  verdict.equal("scaled", scaled.read(), generate<double>(n, [](std::size_t i) { return 6.0 * double(i); }));
  verdict.equal("letters", read.read(), generate<int>(n, [](std::size_t i) { return int(i) + 1000; }));
  return verdict.finish();
}
