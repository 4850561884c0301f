/// Loads and stores of 1, 2, 4, 8 and 16 bytes: 2 blocks of 48 threads copy one element each, nine types. The
/// vector types are aligned to their size, so each is one access.
#include "verdict.h"

template <typename T> __global__ void copyElements(const T *from, T *to) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  to[i] = from[i];
}

template <typename T> void check(Verdict &verdict, const char *what) {
  const auto from = generate<T>(96, [](std::size_t i) {
    T value;
    std::memset(&value, int(i + sizeof(T)), sizeof value);
    return value;
  });
  Device<T> deviceFrom(from), deviceTo(96);
  copyElements<T><<<2, 48>>>(deviceFrom, deviceTo);
  verdict.equal(what, deviceTo.read(), from);
}

int main() {
  Verdict verdict("widths");
  check<unsigned char>(verdict, "unsigned char");
  check<short>(verdict, "short");
  check<int>(verdict, "int");
  check<float>(verdict, "float");
  check<long long>(verdict, "long long");
  check<double>(verdict, "double");
  check<float2>(verdict, "float2");
  check<float4>(verdict, "float4");
  check<double2>(verdict, "double2");
  return verdict.finish();
}
