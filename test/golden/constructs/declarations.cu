/// Declarations as people write them: `(void)`, several lines, comments, continued lines, conditions in the list,
/// attributes in all places, text that only looks like a launch.
#include "verdict.h"

__device__ int none(void);
__device__ int early(const int *, int), other(int);
extern "C" {
__device__ int cLoad(const int *in, int i);
__global__ void cKernel(int *out, const int *in);
}
__device__
int
multiline
(
  const int *in // what is read
  , int i       /* where ) */
)
{ return in[i]; }
__device__ int con\
tinued(const int *in, \
       int i) { return in[i]; }
__device__ int conditional(
#ifdef WITH_NOTHING
#elif defined(WITH_OFFSET)
    const int *in, int offset,
#else
    const int *in,
#endif
    int i) {
  return in[i];
}
[[nodiscard]] __device__ __forceinline__ int attributed(const int *__restrict__ in, [[maybe_unused]] int unused, int i) { return in[i]; }
__device__ __noinline__ static int late(const int *in, int i) __attribute__((pure));
static __device__ int late(const int *in, int i) { return in[i]; }
inline __device__ auto trailing(const int (&in)[32], int i) noexcept -> int { return in[i]; }
int __device__ reversed(const int in[], int i) { return in[i]; }
typedef int Word;
const volatile __device__ Word *pointer(const Word *in) { return in; }
__device__ int (*array(int *in))[32] { return reinterpret_cast<int (*)[32]>(in); }
__device__ int unnamed(const int *, int = 0, ...) { return 1; }
__host__ int hostOnly(int i) { return i; }

__global__ void __launch_bounds__(32) bounded(int *out, const int *in) {
  const int i = threadIdx.x;
  out[i] = none() + multiline(in, i) + continued(in, i) + conditional(in, i) + attributed(in, 0, i) + unnamed(in)
           + (early)(in, i) + (other(i)); // k<<<1, 1>>>(x)
}
__launch_bounds__(64, 1) __global__ static void before(int *out, const int *in) {
  const int i = threadIdx.x;
  out[i] = late(in, i) + reversed(in, i) + *pointer(in + i);
}
static void __global__ behind(int *out, int *in) { out[threadIdx.x] = trailing(*array(in), threadIdx.x); }
__global__ __attribute__((used)) void
lines(int *out,
      const int *in)
{ out[threadIdx.x] = cLoad(in, threadIdx.x); }
extern "C" __global__ void cKernel(int *out, const int *in) { out[threadIdx.x] = cLoad(in, threadIdx.x); }
__device__ int none() { return 0; }
__device__ int early(const int *in, int i) { return in[i]; }
__device__ int other(int i) { return i; }
extern "C" __device__ int cLoad(const int *in, int i) { return in[i]; }

int main() {
  Device<int> in(generate<int>(32, [](std::size_t i) { return int(i); })), out(5 * 32);
  int *at = out;
  bounded<<<1, 32>>>(at, in);
  before<<<1, 32>>>(at + 32, in);
  behind<<<1, 32>>>(at + 64, in);
  lines
      <<<1,
         32>>>
      (at + 96,
       in);
  cKernel<<<1, 32>>>(at + 128, in);
  const char *const text = R"text(bounded<<<1, 32>>>(at, in); "none()")text", *const more = "cKernel<<<1, 32>>>(at, in)";
  Verdict verdict("declarations");
  static const int kFactor[] = {6, 3, 1, 1, 1};
  verdict.equal("out", out.read(), generate<int>(5 * 32, [](std::size_t i) { return kFactor[i / 32] * int(i % 32) + (i < 32); }));
  verdict.equal("text", std::vector<std::size_t>{std::strlen(text), std::strlen(more)}, {36, 26});
  return verdict.finish() + hostOnly(0);
}
