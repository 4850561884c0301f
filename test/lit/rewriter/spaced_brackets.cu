// Launch brackets that a formatter has taken apart, as nvcc takes them: joined, at the same places.
// RUN: rm -rf %t && %cuprewrite -q -o %t --root %S %s && %clang_cuda -fsyntax-only %t/spaced_brackets.cu
// RUN: %filecheck --input-file %t/spaced_brackets.cu %s --strict-whitespace

template <class T> struct Box {};
template <class T> struct Bag { static const int size = 2; };
__global__ void k(int *p, const char *text) {}

void host(int *p) {
  k << <1, 32 >> >(p, "k << <1, 32 >> >(p)");
  // CHECK: {{^}}  k <<< 1, 32 >>> (cupr_launch(0), p, "k << <1, 32 >> >(p)");
  k << < (1 << 2) + Bag<Box<Box<int>> >::size, 32 >> > (p, "");
  // CHECK: {{^}}  k <<<  (1 << 2) + Bag<Box<Box<int>> >::size, 32 >>>  (cupr_launch(1), p, "");
  k<<<1, 32>>>(p, ""); /* << < */
  // CHECK: {{^}}  k<<<1, 32>>>(cupr_launch(2), p, ""); /* << < */
}
