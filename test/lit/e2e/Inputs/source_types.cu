// What the program accesses, in all the ways in which it can say so.
#include <cuda/atomic>

enum class Color : unsigned char { Red, Green = 200 };
struct Particle {
  float x, y;
  int id;
};
namespace sim {
struct Cell {
  double v[2];
  Color color;
};
} // namespace sim
struct Flags {
  unsigned low : 3, high : 29;
};
template <typename T> struct View {
  T *p;
  __device__ T &operator[](int i) const { return p[i]; }
};
template <typename T> __device__ T first(const T *p) { return *p; }
#define ADD(a, b) a += b

struct All {
  unsigned *numbers;
  int *signedNumbers;
  float4 *vectors;
  Color *colors;
  Particle *particles;
  sim::Cell *cells;
  double **pointers;
  bool *truths;
  char *characters;
  View<unsigned short> shorts;
  volatile unsigned long long *longs;
  Flags *flags;
};

__global__ void types(All all, unsigned *numbers) {
  const int i = static_cast<int>(threadIdx.x);
  all.signedNumbers[i] = -1 - i;
  all.numbers[i] = 4294967295u;
  all.vectors[i] = make_float4(1, 2.5f, 3, 4);
  all.colors[i] = Color::Green;
  all.particles[i + 1] = all.particles[i];
  all.cells[i].v[1] = 3;
  all.pointers[i] = all.cells[i].v;
  *all.pointers[i] = 0.5;
  all.truths[i] = !all.truths[i + 1];
  all.characters[i]++;
  ADD(all.shorts[i], 7);
  all.longs[i] = 1;
  all.flags[i].high = 3;
  atomicAdd(numbers, 3u);
  all.numbers[i + 1] = __ldg(numbers + 1);
  all.numbers[i + 2] = first(numbers + 2);
  auto each = [=](int at) { all.numbers[at] = 9; };
  each(i + 3);
  cuda::atomic_ref<int, cuda::thread_scope_device>(all.signedNumbers[1]).store(-5);
}

int main() {
  char *memory = nullptr;
  cudaMallocManaged(&memory, 4096);
  const auto at = [&](int n) { return static_cast<void *>(memory + 256 * n); };
  const All all{static_cast<unsigned *>(at(0)), static_cast<int *>(at(1)), static_cast<float4 *>(at(2)),
                static_cast<Color *>(at(3)), static_cast<Particle *>(at(4)), static_cast<sim::Cell *>(at(5)),
                static_cast<double **>(at(6)), static_cast<bool *>(at(7)), static_cast<char *>(at(8)),
                {static_cast<unsigned short *>(at(9))}, static_cast<unsigned long long *>(at(10)),
                static_cast<Flags *>(at(11))};
  types<<<1, 1>>>(all, static_cast<unsigned *>(at(12)));
  return cudaDeviceSynchronize();
}
