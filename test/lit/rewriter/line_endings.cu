// A byte order mark, carriage returns and a missing newline at the end survive.
// RUN: %rewritten %s %t | %filecheck %s
__device__ int f(int *p) { return *p; }
// CHECK: int f(const cupr::Trace &cupr_trace, int *p)
__global__ void k(int *p) { f(p); }
// CHECK: { f(cupr_trace, p); }
// CHECK: "3:18+31 5:19+48 5:31+12 8:27+16"
void host() { k<<<1, 1>>>(nullptr); }