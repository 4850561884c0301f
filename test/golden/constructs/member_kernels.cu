/// Kernels that are static members of classes and of class templates, and friends.
#include "verdict.h"

struct Plain {
  static __global__ void kernel(int *out, int value) { out[threadIdx.x] = value; }
  void launch(int *out) const { kernel<<<1, 32>>>(out, 1); }
  struct Inner {
    template <int N> static __global__ void kernel(int *out) { out[threadIdx.x] = N + load(out); }
    static __device__ int load(const int *in) { return in[threadIdx.x]; }
  };
};
template <class T> struct Runner {
  static __global__ void kernel(T *out, T value) { out[threadIdx.x] = value + offset(); }
  static void run(T *out) { kernel<<<1, 32>>>(out, T(4)); }
  static __device__ T offset();
};
template <class T> __device__ T Runner<T>::offset() { return T(100); }
template <> __device__ short Runner<short>::offset() { return 200; }

class Private {
public:
  explicit Private(int *at) : at_(at) {}
  friend __global__ void befriended(Private data, int value);
  template <class T> friend __global__ void befriended(T data, long value);

private:
  int *at_;
};
__global__ void befriended(Private data, int value) { data.at_[threadIdx.x] = value; }
template <class T> __global__ void befriended(T data, long value) { data.at_[threadIdx.x] = int(value); }

template <class R, class T> void throughType(T *out) { R::kernel<<<1, 32>>>(out, T(8)); }
template <class R> void throughMember(int *out) { R::Inner::template kernel<3><<<1, 32>>>(out); }

int main() {
  Device<int> out(7 * 32);
  Device<short> small(32);
  int *at = out;
  Plain::kernel<<<1, 32>>>(at, 0);
  Plain().launch(at + 32);
  Plain::Inner::kernel<2><<<1, 32>>>(at);
  throughMember<Plain>(at + 32);
  Runner<int>::run(at + 64);
  throughType<Runner<int>>(at + 96);
  throughType<Plain>(at + 128);
  throughType<Runner<short>>(static_cast<short *>(small));
  befriended<<<1, 32>>>(Private(at + 160), 9);
  befriended<<<1, 32>>>(Private(at + 192), 10l);
  Verdict verdict("member_kernels");
  static const int kWanted[] = {2, 4, 104, 108, 8, 9, 10};
  verdict.equal("out", out.read(), generate<int>(7 * 32, [](std::size_t i) { return kWanted[i / 32]; }));
  verdict.equal("small", small.read(), std::vector<short>(32, 208));
  return verdict.finish();
}
