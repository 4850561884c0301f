/// Member functions of all kinds: static, nested, qualified, inherited, of class templates and their specialisations,
/// templates themselves, defined in the class and outside it. Volatile memory is loaded each time that the source says so.
#include "verdict.h"

struct View {
  const volatile int *data;
  __device__ int first(int i) const;
  __device__ int twice(int i) const & { return 2 * first(i); }
  __device__ int twice(int i) && { return first(i) + this->first(i); }
  static __device__ int read(const View &view, int i) { return view.data[i]; }
  struct Nested {
    const View *outer;
    __device__ __noinline__ int get(int i) const { return outer->first(i) + read(*outer, i); }
    template <int N> __device__ int plus(int i) const { return get(i) + N; }
  };
  __device__ Nested nested() const { return {this}; }
  template <class T> __device__ T as(int i) const;
};
__device__ int View::first(int i) const {
  return data[i];
}
template <class T> __device__ T View::as(int i) const { return T((*this).first(i)); }
template <> __device__ short View::as<short>(int i) const { return short(-first(i)); }

template <class T, class U = void> struct Reader {
  __device__ static T read(const volatile T *in, int i) { return in[i]; }
};
template <class T> struct Reader<T, int> {
  __device__ static T read(const volatile T *in, int i) { return T(10) * in[i]; }
};
template <> struct Reader<int, char> {
  static __device__ int read(const volatile int *in, int i);
};
__device__ int Reader<int, char>::read(const volatile int *in, int i) { return 100 * in[i]; }

template <class T> struct Base {
  const volatile T *in;
  __device__ T load(int i) const { return in[i]; }
  __device__ T load(int i, T factor) const { return in[i] * factor; }
};
template <class T> struct Derived : Base<T>, private View {
  using Base<T>::load;
  using Base<T>::in;
  using View::twice;
  __device__ explicit Derived(const volatile T *data) : Base<T>{data}, View{data} {}
  __device__ T load(int i, int, int) const { return this->load(i) + Base<T>::load(i, 2) + load(i, T(3)) + twice(i); }
};

__global__ void plain(int *out, const volatile int *in) {
  const View view{in}, *at = &view;
  const int i = threadIdx.x;
  out[i] = view.twice(i) + View{in}.twice(i) + at->nested().get(i) + view.nested().plus<5>(i) + View::read(view, i);
}
template <class T> __global__ void specialised(T *out, const volatile T *in) {
  const View view{in};
  const int i = threadIdx.x;
  T sum = Reader<T>::read(in, i) + Reader<T, int>::read(in, i) + Reader<T, char>::read(in, i);
  sum += view.as<T>(i) + view.template as<short>(i);
  out[i] = sum + Derived<T>(in).load(i, 0, 0);
}

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i) + 1; })), first(32), second(32);
  plain<<<1, 32>>>(first, static_cast<const int *>(in));
  specialised<int><<<1, 32>>>(second, static_cast<const int *>(in));
  Verdict verdict("member_functions");
  verdict.equal("first", first.read(), generate<int>(32, [](std::size_t i) { return 9 * int(i + 1) + 5; }));
  verdict.equal("second", second.read(), generate<int>(32, [](std::size_t i) { return (111 + 8) * int(i + 1); }));
  return verdict.finish();
}
