/// What C++23 adds: a deduced `this`, `if consteval`, subscripts of several dimensions, static operators.
#include "verdict.h"

__device__ int load(const volatile int *in, int i) { return in[i]; }
struct Matrix {
  const volatile int *in;
  template <class Self> __device__ int at(this const Self &self, int i) { return self.offset() + load(self.in, i); }
  __device__ int plain(this Matrix self, int i) { return load(self.in, i); }
  __device__ int offset() const { return 0; }
  __device__ int operator[](int i, int j) const { return at(i) + plain(j); }
};
struct Shifted : Matrix {
  __device__ int offset() const { return load(in, 1); }
};
struct Static {
  static __device__ int operator()(const volatile int *in, int i) { return load(in, i); }
};
__host__ __device__ constexpr int side() {
  if consteval {
    return 1;
  } else {
    return 2;
  }
}

__global__ void kernel(int *out, Matrix matrix) {
  const int i = int(threadIdx.x);
  const auto lambda = [](int k) static { return k; };
  const int room[side()] = {side()};
  out[i] = matrix[i, i] + Shifted{matrix}.at(i) + Static()(matrix.in, i) + lambda(i) + room[0];
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  kernel<<<1, 32>>>(out, Matrix{static_cast<const int *>(in)});
  Verdict verdict("cpp23");
  verdict.equal("out", out.read(), generate<int>(32, [](std::size_t i) { return int(5 * i + 3); }));
  return verdict.finish();
}
