// Device functions that clang's headers lack, or declare without a definition, on both devices: nan and nanf
// used to fail in ptxas.
// RUN: %cuprxx --device=both -std=c++14 -arch=sm_90 -o %t %s && env CUPR_TRACE=off %t | %filecheck %s
#include <cmath>
#include <cstdio>

struct Base {
  __device__ virtual int value() const { return 1; }
  __device__ virtual ~Base() {}
};
struct Derived : Base {
  __device__ int value() const override { return 2; }
};

__global__ void kernel(unsigned long long *out) {
  out[0] = __double_as_longlong(nan(""));
  out[1] = __double_as_longlong(std::nan("0x123"));
  out[2] = __float_as_uint(nanf("17"));
  out[3] = __float_as_uint(std::nanf("017"));
  out[4] = std::isnan(nanf(""));
  out[5] = __nv_bswap16(0x1234);
  out[6] = __nv_bswap32(0x12345678);
  out[7] = __nv_bswap64(0x123456789abcdef0);
  out[8] = (unsigned long long)(1000 * __tanhf(0.5f));
  Base *object = new Derived;
  out[9] = object->value();
  delete object; // with its size, which needs <new>
}

int main() {
  unsigned long long *out;
  cudaMallocManaged(&out, 10 * sizeof *out);
  kernel<<<1, 1>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  // CHECK: 7ff8000000000000
  // CHECK-NEXT: 7ff8000000000123
  // CHECK-NEXT: 7fc00011
  // CHECK-NEXT: 7fc0000f
  // CHECK-NEXT: 1
  // CHECK-NEXT: 3412
  // CHECK-NEXT: 78563412
  // CHECK-NEXT: f0debc9a78563412
  // CHECK-NEXT: 1ce
  // CHECK-NEXT: 2
  for (int i = 0; i < 10; ++i)
    std::printf("%llx\n", out[i]);
}
