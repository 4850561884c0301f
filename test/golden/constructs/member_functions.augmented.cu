#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "member_functions.cu"
/// Member functions of all kinds: static, nested, qualified, inherited, of class templates and their specialisations,
/// templates themselves, defined in the class and outside it. Volatile memory is loaded each time that the source says so.
#include "verdict.h"

struct View {
  const volatile int *data;
  __device__ int first(const cupr::Trace &cupr_trace, int i) const;
  __device__ int twice(const cupr::Trace &cupr_trace, int i) const & { return 2 * first(cupr_trace, i); }
  __device__ int twice(const cupr::Trace &cupr_trace, int i) && { return first(cupr_trace, i) + this->first(cupr_trace, i); }
  static __device__ int read(const cupr::Trace &cupr_trace, const View &view, int i) { return view.data[i]; }
  struct Nested {
    const View *outer;
    __device__ __noinline__ int get(const cupr::Trace &cupr_trace, int i) const { return outer->first(cupr_trace, i) + read(cupr_trace, *outer, i); }
    template <int N> __device__ int plus(const cupr::Trace &cupr_trace, int i) const { return get(cupr_trace, i) + N; }
  };
  __device__ Nested nested(const cupr::Trace &cupr_trace) const { return {this}; }
  template <class T> __device__ T as(const cupr::Trace &cupr_trace, int i) const;
};
__device__ int View::first(const cupr::Trace &cupr_trace, int i) const {
  return data[i];
}
template <class T> __device__ T View::as(const cupr::Trace &cupr_trace, int i) const { return T((*this).first(cupr_trace, i)); }
template <> __device__ short View::as<short>(const cupr::Trace &cupr_trace, int i) const { return short(-first(cupr_trace, i)); }

template <class T, class U = void> struct Reader {
  __device__ static T read(const cupr::Trace &cupr_trace, const volatile T *in, int i) { return in[i]; }
};
template <class T> struct Reader<T, int> {
  __device__ static T read(const cupr::Trace &cupr_trace, const volatile T *in, int i) { return T(10) * in[i]; }
};
template <> struct Reader<int, char> {
  static __device__ int read(const cupr::Trace &cupr_trace, const volatile int *in, int i);
};
__device__ int Reader<int, char>::read(const cupr::Trace &cupr_trace, const volatile int *in, int i) { return 100 * in[i]; }

template <class T> struct Base {
  const volatile T *in;
  __device__ T load(const cupr::Trace &cupr_trace, int i) const { return in[i]; }
  __device__ T load(const cupr::Trace &cupr_trace, int i, T factor) const { return in[i] * factor; }
};
template <class T> struct Derived : Base<T>, private View {
  using Base<T>::load;
  using Base<T>::in;
  using View::twice;
  __device__ explicit Derived(const volatile T *data) : Base<T>{data}, View{data} {}
  __device__ T load(const cupr::Trace &cupr_trace, int i, int, int) const { return this->load(cupr_trace, i) + Base<T>::load(cupr_trace, i, 2) + load(cupr_trace, i, T(3)) + twice(cupr_trace, i); }
};

__global__ void plain(const __grid_constant__ cupr::Trace cupr_trace, int *out, const volatile int *in) {
  const View view{in}, *at = &view;
  const int i = threadIdx.x;
  out[i] = view.twice(cupr_trace, i) + View{in}.twice(cupr_trace, i) + at->nested(cupr_trace).get(cupr_trace, i) + view.nested(cupr_trace).plus<5>(cupr_trace, i) + View::read(cupr_trace, view, i);
}
template <class T> __global__ void specialised(const __grid_constant__ cupr::Trace cupr_trace, T *out, const volatile T *in) {
  const View view{in};
  const int i = threadIdx.x;
  T sum = Reader<T>::read(cupr_trace, in, i) + Reader<T, int>::read(cupr_trace, in, i) + Reader<T, char>::read(cupr_trace, in, i);
  sum += view.as<T>(cupr_trace, i) + view.template as<short>(cupr_trace, i);
  out[i] = sum + Derived<T>(in).load(cupr_trace, i, 0, 0);
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i) + 1; })), first(32), second(32);
  plain<<<1, 32>>>(cupr_launch(0), first, static_cast<const int *>(in));
  specialised<int><<<1, 32>>>(cupr_launch(1), second, static_cast<const int *>(in));
  Verdict verdict("member_functions");
  verdict.equal("first", first.read(), generate<int>(32, [](std::size_t i) { return 9 * int(i + 1) + 5; }));
  verdict.equal("second", second.read(), generate<int>(32, [](std::size_t i) { return (111 + 8) * int(i + 1); }));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "member_functions.cu", "7:24+31 8:24+31 8:58+12 9:24+31 9:49+12 9:66+12 10:30+31 13:37+31 13:72+12 13:82+12 14:42+31 14:68+12 16:28+29 17:38+31 19:28+31 22:42+31 22:80+12 23:46+31 23:81+12 26:28+31 29:28+31 32:30+31 34:40+31 38:21+31 39:21+31 46:21+31 46:64+12 46:83+12 46:96+12 46:113+12 49:23+48 52:23+12 52:43+12 52:59+10 52:65+12 52:82+10 52:92+12 52:108+12 54:48+48 57:27+12 57:57+12 57:88+12 58:21+12 58:50+12 59:38+12 64:20+16 65:31+16")
#endif
