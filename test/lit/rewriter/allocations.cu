// Calls that allocate: the copy says the variable's name, its elements' type and the place, and means the same.
// RUN: %rewritten %s %t | %filecheck %s
#include <cstddef>
#include <cstdlib>
#include <vector>

void report(cudaError_t result, const char *text);
#define MUST(call)                                                                                                     \
  do {                                                                                                                 \
    if ((call) != cudaSuccess)                                                                                         \
      abort();                                                                                                         \
  } while (0)
#define QUOTED(call) report((call), #call)
#define TWICE(call) ((call), (call))
#define ALLOCATE(pointer, count) cudaMalloc(&pointer, count)
#define PASTED(name) cuda##name
#ifdef __CUDA_ARCH__
#define SIDED(call) (call)
#else
#define SIDED(call) report((call), #call)
#endif
#define BOTH(a, b) (cudaMalloc(&a, 4), cudaMalloc(&b, 4))
// CHECK: #define ALLOCATE(pointer, count) cudaMalloc(&pointer, count)

struct Particle {
  float x[3];
};
struct Node {
  double *values;
  Node *next;
};
namespace mine {
template <class T> cudaError_t cudaMalloc(T **, long) { return cudaSuccess; }
} // namespace mine
struct Pool {
  cudaError_t cudaMalloc(void **pointer, std::size_t) { return *pointer = this, cudaSuccess; }
};
/// Is its own address, and greedy with commas.
template <class T> struct Out {
  T *to;
  Out(const Out &) = delete;
  explicit Out(T *t) : to(t) {}
  operator void **() { return reinterpret_cast<void **>(&to); }
};
template <class L, class T> int operator,(L, const Out<T> &);

template <class T> struct Buffer {
  T *data;
  explicit Buffer(std::size_t n) { MUST(cudaMalloc(&data, n * sizeof(T))); }
  // CHECK: MUST(cudaMalloc((cupr_allocation("data", "T", [[#@LINE-1]], 41), &data), n * sizeof(T)));
};
template <class T> struct Once {
  T *data;
  Once() { cudaMallocManaged(&data, sizeof(T)); }
  // CHECK: cudaMallocManaged((cupr_allocation("data", "Particle", [[#@LINE-1]], 12), &data), sizeof(T));
};
template <class T> struct Never {
  T *data;
  Never() { cudaMalloc(&data, sizeof(T)); }
  // CHECK: cudaMalloc((cupr_allocation("data", "T", [[#@LINE-1]], 13), &data), sizeof(T));
};
/// Which function it is depends on the argument.
template <class T> void dependent(T pointer) {
  using namespace mine;
  cudaMalloc(pointer, 4L);
  // CHECK: cudaMalloc(pointer, 4L);
}

__host__ __device__ void both(void **p) {
#ifndef __CUDA_ARCH__
  cudaMalloc(p, 4);
  // CHECK: cudaMalloc((cupr_allocation("*p", "", [[#@LINE-1]], 3), p), 4);
#endif
}

__global__ void kernel(float *p) { p[0] = 1; }

int main() {
  float *x, *y;
  Particle *p;
  Node node, *at = &node;
  int *buffers[3];
  void *any;
  std::vector<double *> list(2);
  cudaMalloc(&x, 4);
  // CHECK: cudaMalloc((cupr_allocation("x", "float", [[#@LINE-1]], 3), &x), 4);
  cudaMalloc( (void **)&p , sizeof *p);
  // CHECK: cudaMalloc((cupr_allocation("p", "Particle", [[#@LINE-1]], 3),  (void **)&p ), sizeof *p);
  cudaMalloc(reinterpret_cast<void **>(&at->values), 8), cudaMallocHost(&list[1], 8);
  // CHECK: cudaMalloc((cupr_allocation("at->values", "double", [[#@LINE-1]], 3), reinterpret_cast<void **>(&at->values)), 8), cudaMallocHost((cupr_allocation("list[1]", "double", [[#@LINE-1]], 58), &list[1]), 8);
  for (int i = 0; i < 3; ++i)
    MUST(cudaMalloc(&buffers[i], 4));
  // CHECK: MUST(cudaMalloc((cupr_allocation("buffers[i]", "int", [[#@LINE-1]], 10), &buffers[i]), 4));
  cudaMalloc(buffers, 4);
  // CHECK: cudaMalloc((cupr_allocation("*buffers", "int", [[#@LINE-1]], 3), buffers), 4);
  cudaMalloc(buffers + 1, 4);
  // CHECK: cudaMalloc((cupr_allocation("*(buffers + 1)", "int", [[#@LINE-1]], 3), buffers + 1), 4);
  cudaMalloc(&any, 4);
  // CHECK: cudaMalloc((cupr_allocation("any", "", [[#@LINE-1]], 3), &any), 4);
  cudaMalloc(x ? &any : (void **)&x, 4);
  // CHECK: cudaMalloc((cupr_allocation({{.*}}), x ? &any : (void **)&x), 4);
  cudaError_t e = x ? cudaMalloc(&x, 4) : cudaMallocManaged((float **)&any, 4);
  // CHECK: x ? cudaMalloc((cupr_allocation("x", "float", [[#@LINE-1]], 23), &x), 4) : cudaMallocManaged((cupr_allocation("any", "float", [[#@LINE-1]], 43), (float **)&any), 4);
  if (x) QUOTED(cudaMalloc(&x, 4));
  // CHECK: if (x) QUOTED(cudaMalloc(&x, 4));
  QUOTED(cudaMalloc(&x, 4)); QUOTED(cudaFree(x));
  // CHECK: {{^}}  cupr_next_allocation("x", "float", [[#@LINE-1]], 10); QUOTED(cudaMalloc(&x, 4)); QUOTED(cudaFree(x));
  SIDED(cudaMalloc(&x, 4));
  // CHECK: {{^}}  cupr_next_allocation("x", "float", [[#@LINE-1]], 9); SIDED(cudaMalloc(&x, 4));
  static cudaError_t first = (QUOTED(cudaMalloc(&x, 4)), cudaSuccess);
  // CHECK: {{^}}  static cudaError_t first = (QUOTED(cudaMalloc(&x, 4)), cudaSuccess);
  TWICE(cudaMalloc(&x, 4));
  // CHECK: TWICE(cudaMalloc((cupr_allocation("x", "float", [[#@LINE-1]], 9), &x), 4));
  ALLOCATE(y, 4);
  // CHECK: {{^}}  cupr_next_allocation("y", "float", [[#@LINE-1]], 3); ALLOCATE(y, 4);
  BOTH(x, y);
  // CHECK: {{^}}  BOTH(x, y);
  PASTED(Malloc)(&x, 4);
  // CHECK: PASTED(Malloc)((cupr_allocation("x", "float", [[#@LINE-1]], 3), &x), 4);
  switch (e) {
  case cudaSuccess: QUOTED(cudaMalloc(&x, 4));
    // CHECK: case cudaSuccess: QUOTED(cudaMalloc(&x, 4));
  default:
    cudaMalloc(&x, 4);
    // CHECK: cudaMalloc((cupr_allocation("x", "float", [[#@LINE-1]], 5), &x), 4);
  }
  static_assert(sizeof(cudaMalloc(&x, 4)) == sizeof e && !noexcept(cudaMallocHost(&x, 4)), "");
  // CHECK: sizeof(cudaMalloc(&x, 4)) == sizeof e && !noexcept(cudaMallocHost(&x, 4))
  decltype(cudaMalloc(&x, 4)) f = e;
  // CHECK: decltype(cudaMalloc(&x, 4)) f = e;
  cudaError_t (*call)(void **, std::size_t) = cudaMalloc;
  call(&any, 4);
  // CHECK: call(&any, 4);
  mine::cudaMalloc(&x, 4);
  Pool().cudaMalloc(&any, 4);
  // CHECK: mine::cudaMalloc(&x, 4);
  // CHECK: Pool().cudaMalloc(&any, 4);
  cudaMalloc(Out<float>(x), 4);
  // CHECK: cudaMalloc((cupr_allocation({{.*}}), Out<float>(x)), 4);
  cudaMalloc(0, 4), cudaMalloc(nullptr, 4), cudaMalloc({}, 4);
  // CHECK: cudaMalloc(0, 4), {{.*}}nullptr{{.*}}, cudaMalloc({}, 4);
  auto lambda = [&] { return cudaMallocAsync(&y, 4, nullptr); };
  // CHECK: return cudaMallocAsync((cupr_allocation("y", "float", [[#@LINE-1]], 30), &y), 4, nullptr);
  cudaHostRegister(x, 4, 0);
  // CHECK: cudaHostRegister((cupr_allocation("x", "float", [[#@LINE-1]], 3), x), 4, 0);
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &channels, 4, 4);
  // CHECK: cudaMallocArray((cupr_allocation("array", "", [[#@LINE-1]], 3), &array), &channels, 4, 4);
  std::vector<int *> named[2];
  (void)cudaMalloc(&named["ab"[0] - 'a'][0], 4);
  // CHECK: cupr_allocation("named[\"ab\"[0] - 'a'][0]", "int", [[#@LINE-1]], 9)
  Buffer<int> ints(1);
  Buffer<float> floats(1);
  Once<Particle> once;
  dependent(&x);
  kernel<<<1, 1>>>(x);
  return f + lambda();
}
