// The copies and <cupr/cupr.h> are C++11, without warnings; a header's copy serves plain C++ too.
// RUN: %rewritten %s %t -std=c++11 -Wall -Wextra | %filecheck %s
// RUN: %rewritten %s %t -std=c++23 -Wall -Wextra | %filecheck %s
// RUN: c++ -std=c++11 -Wall -Werror -x c++ -fsyntax-only -I%include %include/cupr/cupr.h

__device__ int load(const int *p) { return *p; }
__global__ void kernel(int *p) { p[0] = load(p + 1); }
void host(int *p) { kernel<<<1, 1>>>(p); }
// CHECK: void host(int *p) { kernel<<<1, 1>>>(cupr_launch(0), p); }
