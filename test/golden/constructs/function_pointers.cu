/// Device functions by address: in tables, members, parameters, results, template arguments. They keep their
/// signature; what they call does not.
#include "verdict.h"

typedef int (*Operation)(const volatile int *, int);
__device__ int load(const volatile int *in, int i) { return in[i]; }
__device__ int plus(const volatile int *in, int i) { return load(in, i) + i; }
__device__ __noinline__ int minus(const volatile int *in, int i) { return load(in, i) - i; }
__device__ __noinline__ int called(const volatile int *in, int i) { return load(in, i); }
template <class T> __device__ T times(const volatile T *in, int i) { return load(in, i) * T(2); }
struct Member {
  const volatile int *in;
  __device__ int get(int i) const { return load(in, i); }
  static __device__ int fixed(const volatile int *in, int) { return load(in, 0); }
  Operation operation;
};
__device__ Operation table[] = {plus, &minus, times<int>, Member::fixed};
__device__ Operation chosen(int which) { return which ? called : plus; }
template <Operation F> __device__ int applied(const volatile int *in, int i) { return F(in, i); }
template <class F> __device__ int invoked(F &&f, const volatile int *in, int i) { return f(in, i); }
__device__ int received(int (*f)(const volatile int *, int), const volatile int *in, int i) { return (*f)(in, i); }

__global__ void pointers(int *out, const volatile int *in, int which) {
  const int i = threadIdx.x;
  int (Member::*const method)(int) const = &Member::get;
  const Member member{in, which > 100 ? minus : called};
  int sum = table[which](in, i);                  // times: 2 i
  sum += chosen(i % 2)(in, i);                    // i, or 2 i where i is even
  sum += applied<minus>(in, i) + invoked(plus, in, i) + received(called, in, i) + (member.*method)(i); // 0, 2 i, i, i
  sum += member.operation(in, i);                 // i
  sum += called(in, i);                           // i
  out[i] = sum;
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(32);
  pointers<<<1, 32>>>(out, static_cast<const int *>(in), 2);
  Verdict verdict("function_pointers");
  verdict.equal("out", out.read(), generate<int>(32, [](std::size_t i) { return int(i) * (i % 2 ? 9 : 10); }));
  return verdict.finish();
}
