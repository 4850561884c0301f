/// Managed variables, which host and device code share: numbers, arrays, structures, in namespaces, in a
/// template, static ones; with initial values, and with their addresses in pointers that are initialised
/// before main.
///
/// 2 blocks of 64. useAll: each thread stores to `squares[i]` and loads `step`, `shape.weights[1]`,
/// `inner::scale` and `of<int>`; thread 0 stores `shape.corners` and `hidden`. That is 512 loads of 4 bytes,
/// 128 stores of 4 bytes and two of 4 bytes. through: 128 loads by a pointer that the host has set, and 128
/// stores to it.
#include "verdict.h"

struct Shape {
  int corners;
  int weights[3];
};

__managed__ int step = 3;
__device__ __managed__ int squares[128];
__managed__ Shape shape = {4, {10, 20, 30}};
namespace inner {
__managed__ float scale = 0.5f;
}
static __managed__ int hidden = 7;
template <typename T> __managed__ T of = T(11);

int *const early = &squares[5];
struct {
  int number;
  const float *scale;
} const table[] = {{1, &inner::scale}};

__global__ void useAll() {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  squares[i] = i * i * step + shape.weights[1] + int(inner::scale) + of<int>;
  if (i == 0) {
    shape.corners = 5;
    hidden = 8;
  }
}

__global__ void through(int *p) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  p[i] = -p[i];
}

__host__ __device__ int both() { return hidden; }

int main() {
  Verdict verdict("managed");
  verdict.equal("initial", std::vector<int>{step, shape.corners, shape.weights[2], both(), of<int>},
                {3, 4, 30, 7, 11});
  step = 2;
  inner::scale *= 5; // 2.5
  of<int> += 1;
  shape.weights[1] = table[0].number + int(*table[0].scale); // 3
  useAll<<<2, 64>>>();
  MUST(cudaDeviceSynchronize());
  verdict.equal("squares", std::vector<int>(squares, squares + 128),
                generate<int>(128, [](std::size_t i) { return int(i * i) * 2 + 3 + 2 + 12; }));
  verdict.equal("stored", std::vector<int>{shape.corners, both(), *early}, {5, 8, 67});

  for (int &value : squares)
    value = 1;
  *early = 9;
  through<<<2, 64>>>(squares);
  MUST(cudaDeviceSynchronize());
  verdict.equal("through", std::vector<int>(squares, squares + 128),
                generate<int>(128, [](std::size_t i) { return i == 5 ? -9 : -1; }));

  // As symbols, and as memory that one may ask about.
  const int hundred = 100;
  int found = 0;
  void *address = nullptr;
  cudaPointerAttributes attributes;
  MUST(cudaMemcpyToSymbol(step, &hundred, sizeof hundred));
  MUST(cudaMemcpyFromSymbol(&found, step, sizeof found));
  MUST(cudaGetSymbolAddress(&address, squares));
  MUST(cudaPointerGetAttributes(&attributes, squares));
  verdict.equal("symbols",
                std::vector<int>{step, found, address == squares, attributes.type == cudaMemoryTypeManaged},
                {100, 100, 1, 1});
  return verdict.finish();
}
