/// Functions that can't get another parameter: operators, conversions, constructors, lambdas, `__host__
/// __device__` and constexpr functions, a virtual function, a function whose address is taken. 2 blocks of
/// 32. throughMembers: 128 loads and 64 stores of 4 bytes. throughLambda: 64 and 64. throughPointer: 64 and
/// 64.
#include "verdict.h"

class View {
public:
  __host__ __device__ explicit View(int *data) : data_(data) {}
  __device__ int &operator[](int i) const { return data_[i]; }
  __device__ operator int() const { return *data_; }

private:
  int *data_;
};

__host__ __device__ constexpr int triple(int value) { return 3 * value; }

__global__ void throughMembers(int *in, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const View from(in), to(out), here(in + 64 + i);
  to[i] = triple(from[i]) + int(here);
}

__global__ void throughLambda(const int *in, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const auto next = [&](int add) { return in[i] + add; };
  out[i] = next(5);
}

__device__ __noinline__ int readFirst(const int *in, int i) { return in[i]; }
__device__ __noinline__ int readOther(const int *in, int i) { return in[i + 64]; }

__global__ void throughPointer(const int *in, int *out, int which) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  int (*read)(const int *, int) = which ? &readOther : &readFirst;
  out[i] = read(in, i);
}

int main() {
  const int n = 64;
  Device<int> in(generate<int>(2 * n, [](std::size_t i) { return int(i); })), first(n), second(n), third(n);
  throughMembers<<<2, 32>>>(in, first);
  throughLambda<<<2, 32>>>(in, second);
  throughPointer<<<2, 32>>>(in, third, 1);
  Verdict verdict("kept_signatures");
  verdict.equal("members", first.read(), generate<int>(n, [](std::size_t i) { return int(4 * i + 64); }));
  verdict.equal("lambda", second.read(), generate<int>(n, [](std::size_t i) { return int(i + 5); }));
  verdict.equal("pointer", third.read(), generate<int>(n, [](std::size_t i) { return int(i + 64); }));
  return verdict.finish();
}
