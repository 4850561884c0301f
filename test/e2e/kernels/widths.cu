/// Loads and stores of 1, 2, 4, 8 and 16 bytes: 2 blocks of 48 threads negate one element each, nine types.
/// The vector types are aligned to their size, so each is one access.
#include "verdict.h"

template <typename T> __host__ __device__ T negated(T value) { return T(-value); }
__host__ __device__ inline float2 negated(float2 value) { return make_float2(-value.x, -value.y); }
__host__ __device__ inline float4 negated(float4 value) {
  return make_float4(-value.x, -value.y, -value.z, -value.w);
}
__host__ __device__ inline double2 negated(double2 value) { return make_double2(-value.x, -value.y); }

template <typename T> __global__ void negateElements(const T *from, T *to) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  to[i] = negated(from[i]);
}

template <typename T> void check(Verdict &verdict, const char *what) {
  const auto from = generate<T>(96, [](std::size_t i) {
    T value;
    std::memset(&value, int(i % 50 + sizeof(T)), sizeof value);
    return value;
  });
  Device<T> deviceFrom(from), deviceTo(96);
  negateElements<T><<<2, 48>>>(deviceFrom, deviceTo);
  verdict.equal(what, deviceTo.read(), generate<T>(96, [&](std::size_t i) { return negated(from[i]); }));
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
