#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "member_kernels.cu"
/// Kernels that are static members of classes and of class templates, and friends.
#include "verdict.h"

struct Plain {
  static __global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, int value) { out[threadIdx.x] = value; }
  void launch(int *out) const { kernel<<<1, 32>>>(cupr_launch(0), out, 1); }
  struct Inner {
    template <int N> static __global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, int *out) { out[threadIdx.x] = N + load(cupr_trace, out); }
    static __device__ int load(const cupr::Trace &cupr_trace, const int *in) { return in[threadIdx.x]; }
  };
};
template <class T> struct Runner {
  static __global__ void kernel(const __grid_constant__ cupr::Trace cupr_trace, T *out, T value) { out[threadIdx.x] = value + offset(cupr_trace); }
  static void run(T *out) { kernel<<<1, 32>>>(cupr_launch(1), out, T(4)); }
  static __device__ T offset(const cupr::Trace &cupr_trace);
};
template <class T> __device__ T Runner<T>::offset(const cupr::Trace &cupr_trace) { return T(100); }
template <> __device__ short Runner<short>::offset(const cupr::Trace &cupr_trace) { return 200; }

class Private {
public:
  explicit Private(int *at) : at_(at) {}
  friend __global__ void befriended(const __grid_constant__ cupr::Trace cupr_trace, Private data, int value);
  template <class T> friend __global__ void befriended(const __grid_constant__ cupr::Trace cupr_trace, T data, long value);

private:
  int *at_;
};
__global__ void befriended(const __grid_constant__ cupr::Trace cupr_trace, Private data, int value) { data.at_[threadIdx.x] = value; }
template <class T> __global__ void befriended(const __grid_constant__ cupr::Trace cupr_trace, T data, long value) { data.at_[threadIdx.x] = int(value); }

template <class R, class T> void throughType(T *out) { R::kernel<<<1, 32>>>(cupr_launch(2), out, T(8)); }
template <class R> void throughMember(int *out) { R::Inner::template kernel<3><<<1, 32>>>(cupr_launch(3), out); }

int main() {
  Device<int> out(7 * 32);
  Device<short> small(32);
  int *at = out;
  Plain::kernel<<<1, 32>>>(cupr_launch(4), at, 0);
  Plain().launch(at + 32);
  Plain::Inner::kernel<2><<<1, 32>>>(cupr_launch(5), at);
  throughMember<Plain>(at + 32);
  Runner<int>::run(at + 64);
  throughType<Runner<int>>(at + 96);
  throughType<Plain>(at + 128);
  throughType<Runner<short>>(static_cast<short *>(small));
  befriended<<<1, 32>>>(cupr_launch(6), Private(at + 160), 9);
  befriended<<<1, 32>>>(cupr_launch(7), Private(at + 192), 10l);
  Verdict verdict("member_kernels");
  static const int kWanted[] = {2, 4, 104, 108, 8, 9, 10};
  verdict.equal("out", out.read(), generate<int>(7 * 32, [](std::size_t i) { return kWanted[i / 32]; }));
  verdict.equal("small", small.read(), std::vector<short>(32, 208));
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "member_kernels.cu", "5:33+48 6:51+16 8:52+48 8:92+12 9:32+31 13:33+48 13:86+10 14:47+16 15:30+29 17:51+29 18:52+29 23:37+48 24:56+48 29:28+48 30:47+48 32:77+16 33:91+16 39:28+16 41:38+16 47:25+16 48:25+16")
#endif
