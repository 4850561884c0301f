// Loops of a header, on both sides.
#ifndef CUPR_TEST_NESTED_H
#define CUPR_TEST_NESTED_H

void set(); // makes one call

inline void inHeader() {
  for (int i = 0; i < 2; ++i) // loop: header
    set();
}

#ifdef __CUDACC__
template <int count> __device__ __noinline__ int instances(const volatile int *in) {
  int sum = 0;
  for (int i = 0; i < count; ++i) // loop: device-template
    sum += in[i];
  return sum;
}
#endif

#endif
