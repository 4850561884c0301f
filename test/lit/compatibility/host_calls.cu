// __host__ __device__ functions that call functions of one side alone: a warning where code of the other side reaches
// them, and the end of the kernel or the program that gets there.
// RUN: %cuprxx --device=both -std=c++17 -arch=sm_80 -o %t %s 2>&1 | %filecheck %s --check-prefix=WARN --implicit-check-not=error: --implicit-check-not="'current'"
// RUN: env CUPR_TRACE=%t.cuprtrace %t 1 | %filecheck %s --check-prefix=FINE
// RUN: %cupranalyze verify %t.cuprtrace
// RUN: %cuprxx --device=cpu --no-trace -w -std=c++17 -O0 -o %t.plain %s 2>&1 | count 0
// RUN: %t.plain 1 | %filecheck %s --check-prefix=FINE
// RUN: for reached in 2 3 4 5 6; do CUPR_TRACE=off %t $reached; %t.plain $reached; done 2>&1 | %filecheck %s --check-prefix=STOPPED
// RUN: not --crash %t 7
// RUN: not %cuprxx --device=cpu -DON_DEVICE -c -o %t.o %s 2>&1 | %filecheck %s --check-prefix=REFUSED
#include <cstdio>
#include <cstdlib>
#include <string>

int defined(int x) { return std::abs(x) + 1000; }
static int inside(int x) { return x + std::atoi("2000"); }
inline int withClasses(int x) { return std::string(x, 'a').size() + 3000; }
template <class T> struct Policy {
  T value;
  T onHost() { return inside(value); }
};
struct Resource {
  std::string text;
  Resource() : text("4000") {}
  ~Resource() { text.clear(); }
};
__device__ inline int onDevice(int x) { return x + threadIdx.x; }

// WARN-DAG: :[[#@LINE+4]]:12: warning: __host__ function 'defined' is called in code for the device: a kernel that gets here is stopped
// WARN-DAG: note: called by 'kernel'
template <class T> __host__ __device__ T apply(T x) {
  if (x == 2)
    return defined(x);
  // WARN-DAG: :[[#@LINE+2]]:12: warning: __host__ function 'inside'
  if (x == 3)
    return inside(x);
  // WARN-DAG: :[[#@LINE+2]]:12: warning: __host__ function 'withClasses'
  if (x == 4)
    return withClasses(x);
  // WARN-DAG: :[[#@LINE+3]]:14: warning: __host__ function 'onHost'
  if (x == 5) {
    Policy<T> p{x};
    return p.onHost();
  }
  return x;
}
__host__ __device__ inline int constructed(int x) {
  // WARN-DAG: :[[#@LINE+2]]:14: warning: __host__ function 'Resource'
  if (x == 6) {
    Resource r;
    return std::atoi(r.text.c_str());
  }
  return x;
}
static __host__ __device__ int deviceOnly(int x) {
  // WARN-DAG: :[[#@LINE+1]]:19: warning: __device__ function 'onDevice' is called in code for the host: a program that gets here is stopped
  return x == 7 ? onDevice(x) : x;
}
template <class T> __host__ __device__ int neverReached() { return defined(1); } // nothing to warn of

__global__ void kernel(int *p) { *p = apply(*p) + constructed(*p) + deviceOnly(*p); }
#ifdef ON_DEVICE
// REFUSED: error: no matching function for call to 'defined'
__device__ int refused() { return defined(1); }
#endif

int main(int, char **arguments) {
  const int x = std::atoi(arguments[1]);
  const int onHost = apply(x) + constructed(x) + deviceOnly(x) + (x == 0 ? neverReached<int>() : 0);
  int *p;
  cudaMallocManaged(&p, sizeof *p);
  *p = x;
  kernel<<<1, 1>>>(p);
  const cudaError_t error = cudaDeviceSynchronize();
  // FINE: error 0 device 3 host 3
  // STOPPED: error 715 device 0 host 1006
  // STOPPED: error 715 device 0 host 1006
  // STOPPED: error 715 device 0 host 2009
  // STOPPED: error 715 device 0 host 2009
  // STOPPED: error 715 device 0 host 3012
  // STOPPED: error 715 device 0 host 3012
  // STOPPED: error 715 device 0 host 2015
  // STOPPED: error 715 device 0 host 2015
  // STOPPED: error 715 device 0 host 4012
  // STOPPED: error 715 device 0 host 4012
  std::printf("error %d device %d host %d\n", error, error ? 0 : *p, onHost);
}
