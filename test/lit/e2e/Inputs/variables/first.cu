#include "common.h"
typedef struct {
  float x, y;
} tile_t;
struct particle {
  float position[3];
  int kind;
};
using row_t = float[32];
namespace sim {
struct Cell {
  double value;
};
__device__ Cell cells[16];
__shared__ short counters[3];
} // namespace sim
extern __shared__ float dynamic[];
static __device__ unsigned steps;
__managed__ particle *managed;

template <class T> __device__ T *room(unsigned t) { __shared__ T places[64]; places[t] = T(t); return places; }
template <class T> __global__ void perType(T *out) { const unsigned t = threadIdx.x; out[t] = room<T>(t)[t ^ 1]; }

__global__ void first(double *out) { __shared__ tile_t tiles[32]; const unsigned t = threadIdx.x;
  __shared__ struct particle one[2];
  __shared__ row_t rows[4];
  __shared__ struct { int a; float b; } unnamed[32];
  SHARED_INTS(marked);
  tiles[t].x = t, one[t % 2].kind = t, rows[t % 4][t] = t, unnamed[t].b = t, marked[t] = t, dynamic[t] = t;
  if (t < 3) sim::counters[t] = t;
  __syncthreads();
  out[t] = tiles[31 - t].x + one[t % 2].kind + rows[(t + 1) % 4][31 - t] + unnamed[31 - t].b + marked[31 - t] + dynamic[31 - t] + sim::counters[2];
  out[t] += sim::cells[t % 16].value + table[t % 16] + limits[t % 4] + scratch<float>[t % 8] + Holder::held[t % 4] + fromOther(t);
  if (t == 0) ++steps, managed->kind = 3;
}
int main() {
  double *out;
  cudaMalloc(&out, 256);
  cudaMallocManaged(&managed, sizeof(particle));
  unsigned zero = 0;
  cudaMemcpyToSymbol(steps, &zero, sizeof zero);
  perType<<<1, 32>>>(reinterpret_cast<float *>(out));
  perType<<<1, 32>>>(out);
  first<<<1, 32, 128>>>(out);
  runSecond(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
