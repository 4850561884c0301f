// Attributes stand where people put them.
// RUN: %rewritten %s %t -std=c++17 | %filecheck %s

__global__ void __launch_bounds__(128, 2) behind(int *__restrict__ p) {}
// CHECK: __global__ void __launch_bounds__(128, 2) behind(const __grid_constant__ cupr::Trace cupr_trace, int *__restrict__ p) {}
__launch_bounds__(64) __global__ void front(const int &p) {}
// CHECK: __launch_bounds__(64) __global__ void front(const __grid_constant__ cupr::Trace cupr_trace, const int &p) {}
__global__ __launch_bounds__(64) static void middle() {}
// CHECK: static void middle(const __grid_constant__ cupr::Trace cupr_trace) {}
void __global__ late(int) {}
// CHECK: void __global__ late(const __grid_constant__ cupr::Trace cupr_trace, int) {}
extern "C" {
__global__ void plain(int n);
__device__ int helper(int n);
}
// CHECK: __global__ void plain(const __grid_constant__ cupr::Trace cupr_trace, int n);
// CHECK: __device__ int helper(const cupr::Trace &cupr_trace, int n);
extern "C" __global__ void plain(int n) { helper(n); }
// CHECK: { helper(cupr_trace, n); }
extern "C" __device__ int helper(int n) { return n; }

[[nodiscard]] __device__ __noinline__ int valued(int n) { return n; }
// CHECK: {{\[\[}}nodiscard]] __device__ __noinline__ int valued(const cupr::Trace &cupr_trace, int n) { return n; }
static __forceinline__ __device__ int forced(int n, ...) { return n; }
// CHECK: int forced(const cupr::Trace &cupr_trace, int n, ...) { return n; }
__device__ int pure(int n) __attribute__((pure));
// CHECK: __device__ int pure(const cupr::Trace &cupr_trace, int n) __attribute__((pure));
__device__ auto later(int (&a)[4], int (*f)(int)) noexcept -> int { return a[0] + f(1); }
// CHECK: auto later(const cupr::Trace &cupr_trace, int (&a)[4], int (*f)(int)) noexcept -> int
__device__ void gone(int) = delete;
// CHECK: __device__ void gone(const cupr::Trace &cupr_trace, int) = delete;
__device__ int /* ( */ commented /* of ( */ (/* none */) { return 1; }
// CHECK: __device__ int /* ( */ commented /* of ( */ (const cupr::Trace &cupr_trace/* none */) { return 1; }
__device__ int commentedVoid(/* before */ void /* behind */) { return commented(/* nothing */); }
// CHECK: commentedVoid(/* before */ const cupr::Trace &cupr_trace /*void*/ /* behind */) { return commented(cupr_trace/* nothing */); }
