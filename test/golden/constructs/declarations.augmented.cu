#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "declarations.cu"
/// Declarations as people write them: `(void)`, several lines, comments, continued lines, conditions in the list,
/// attributes in all places, text that only looks like a launch.
#include "verdict.h"

__device__ int none(const cupr::Trace &cupr_trace /*void*/);
__device__ int early(const cupr::Trace &cupr_trace, const int *, int), other(const cupr::Trace &cupr_trace, int);
extern "C" {
__device__ int cLoad(const cupr::Trace &cupr_trace, const int *in, int i);
__global__ void cKernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in);
}
__device__
int
multiline
(const cupr::Trace &cupr_trace, 
  const int *in // what is read
  , int i       /* where ) */
)
{ return in[i]; }
__device__ int con\
tinued(const cupr::Trace &cupr_trace, const int *in, \
       int i) { return in[i]; }
__device__ int conditional(const cupr::Trace &cupr_trace, 
#ifdef WITH_NOTHING
#elif defined(WITH_OFFSET)
    const int *in, int offset,
#else
    const int *in,
#endif
    int i) {
  return in[i];
}
[[nodiscard]] __device__ __forceinline__ int attributed(const cupr::Trace &cupr_trace, const int *__restrict__ in, [[maybe_unused]] int unused, int i) { return in[i]; }
__device__ __noinline__ static int late(const cupr::Trace &cupr_trace, const int *in, int i) __attribute__((pure));
static __device__ int late(const cupr::Trace &cupr_trace, const int *in, int i) { return in[i]; }
inline __device__ auto trailing(const cupr::Trace &cupr_trace, const int (&in)[32], int i) noexcept -> int { return in[i]; }
int __device__ reversed(const cupr::Trace &cupr_trace, const int in[], int i) { return in[i]; }
typedef int Word;
const volatile __device__ Word *pointer(const cupr::Trace &cupr_trace, const Word *in) { return in; }
__device__ int (*array(const cupr::Trace &cupr_trace, int *in))[32] { return reinterpret_cast<int (*)[32]>(in); }
__device__ int unnamed(const cupr::Trace &cupr_trace, const int *, int = 0, ...) { return 1; }
__host__ int hostOnly(int i) { return i; }

__global__ void __launch_bounds__(32) bounded(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {
  const int i = threadIdx.x;
  out[i] = none(cupr_trace) + multiline(cupr_trace, in, i) + continued(cupr_trace, in, i) + conditional(cupr_trace, in, i) + attributed(cupr_trace, in, 0, i) + unnamed(cupr_trace, in)
           + (early)(cupr_trace, in, i) + (other(cupr_trace, i)); // k<<<1, 1>>>(x)
}
__launch_bounds__(64, 1) __global__ static void before(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {
  const int i = threadIdx.x;
  out[i] = late(cupr_trace, in, i) + reversed(cupr_trace, in, i) + *pointer(cupr_trace, in + i);
}
static void __global__ behind(const __grid_constant__ cupr::Trace cupr_trace, int *out, int *in) { out[threadIdx.x] = trailing(cupr_trace, *array(cupr_trace, in), threadIdx.x); }
__global__ __attribute__((used)) void
lines(const __grid_constant__ cupr::Trace cupr_trace, int *out,
      const int *in)
{ out[threadIdx.x] = cLoad(cupr_trace, in, threadIdx.x); }
extern "C" __global__ void cKernel(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) { out[threadIdx.x] = cLoad(cupr_trace, in, threadIdx.x); }
__device__ int none(const cupr::Trace &cupr_trace) { return 0; }
__device__ int early(const cupr::Trace &cupr_trace, const int *in, int i) { return in[i]; }
__device__ int other(const cupr::Trace &cupr_trace, int i) { return i; }
extern "C" __device__ int cLoad(const cupr::Trace &cupr_trace, const int *in, int i) { return in[i]; }

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(5 * 32);
  int *at = out;
  bounded<<<1, 32>>>(cupr_launch(0), at, in);
  before<<<1, 32>>>(cupr_launch(1), at + 32, in);
  behind<<<1, 32>>>(cupr_launch(2), at + 64, in);
  lines
      <<<1,
         32>>>
      (cupr_launch(3), at + 96,
       in);
  cKernel<<<1, 32>>>(cupr_launch(4), at + 128, in);
  const char *const text = R"text(bounded<<<1, 32>>>(at, in); "none()")text", *const more = "cKernel<<<1, 32>>>(at, in)";
  Verdict verdict("declarations");
  static const int kFactor[] = {6, 3, 1, 1, 1};
  verdict.equal("out", out.read(), generate<int>(5 * 32, [](std::size_t i) { return kFactor[i / 32] * int(i % 32) + (i < 32); }));
  verdict.equal("text", std::vector<std::size_t>{std::strlen(text), std::strlen(more)}, {36, 26});
  return verdict.finish() + hostOnly(0);
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "declarations.cu", "5:21+32 5:25+2 6:22+31 6:47+31 8:22+31 9:25+48 14:2+31 20:8+31 22:28+31 32:57+31 33:41+31 34:28+31 35:33+31 36:25+31 38:41+31 39:24+31 40:24+31 43:47+48 45:17+10 45:31+12 45:50+12 45:71+12 45:91+12 45:111+12 46:22+12 46:38+12 48:56+48 50:17+12 50:35+12 50:53+12 52:31+48 52:80+12 52:87+12 54:7+48 56:28+12 57:36+48 57:88+12 58:21+29 59:22+31 60:22+31 61:33+31 66:22+16 67:21+16 68:21+16 72:8+16 74:22+16")
#endif
