#include <cupr/cupr.h> // augmented by cuprewrite
#line 1 "kept_functions.cu"
/// Functions that can't have another parameter: operators, constructors, destructors, conversions, literals, virtual
/// functions, `__host__ __device__` and constexpr ones. What they call has the trace argument all the same.
#include "verdict.h"

__device__ int load(const cupr::Trace &cupr_trace, const volatile int *in) { return in[0]; }
__device__ void store(const cupr::Trace &cupr_trace, int *out, int value) { out[0] = value; }

class Cell {
public:
  __device__ explicit Cell(int *at) : at_(at), was_(load(cupr::current(), at)) {}
  __device__ ~Cell() { store(cupr::current(), at_, was_ + 1); }
  Cell(const Cell &) = delete;
  __device__ operator int() const { return load(cupr::current(), at_); }
  __device__ int operator()(int i) const { return load(cupr::current(), at_ + i); }
  __device__ int operator[](int i) const { return (*this)(i); }
  __device__ const Cell *operator->() const { return this; }
  __device__ int get(const cupr::Trace &cupr_trace) const { return load(cupr_trace, at_); }
  friend __device__ int operator+(const Cell &cell, int by) { return cell.get(cupr::current()) + by; }

private:
  int *at_;
  int was_ = load(cupr::current(), at_);
};
__device__ int operator""_th(unsigned long long i) { return int(i); }

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area(const int *in) const = 0;
};
struct Square : Shape {
  __device__ int area(const int *in) const override { return load(cupr::current(), in) * load(cupr::current(), in); }
};
struct Line final : Shape {
  __device__ int area(const int *in) const final { return 10 * load(cupr::current(), in); }
};
__device__ __noinline__ int areaOf(const cupr::Trace &cupr_trace, const Shape &shape, const int *in) { return shape.area(in); }

__host__ __device__ inline int either(const int *in) {
#ifdef __CUDA_ARCH__
  return load(cupr::current(), in);
#else
  return *in;
#endif
}
__host__ __device__ constexpr int square(int i) { return i * i; }
__device__ constexpr int cube(int i) { return i * square(i); }

__global__ void cells(const __grid_constant__ cupr::Trace cupr_trace, int *data) {
  Cell cell(data + threadIdx.x);
  store(cupr_trace, data + 32 + threadIdx.x, int(cell) + cell(64) + cell[64] + cell->get(cupr_trace) + (cell + 3) + 1_th);
}
__global__ void shapes(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {
  const Square square;
  const Line line;
  const Shape &shape = threadIdx.x % 2 ? static_cast<const Shape &>(square) : line;
  out[threadIdx.x] = areaOf(cupr_trace, shape, in + threadIdx.x);
}
__global__ void shared(const __grid_constant__ cupr::Trace cupr_trace, int *out, const int *in) {
  int room[cube(2)] = {square(3)};
  out[threadIdx.x] = either(in + threadIdx.x) + room[0];
}

int main() {
  Device<int> data(generate<int>(96, [](std::size_t i) { return int(i); })), areas(32), sums(32);
  cells<<<1, 32>>>(cupr_launch(0), data);
  shapes<<<1, 32>>>(cupr_launch(1), areas, data);
  shared<<<1, 32>>>(cupr_launch(2), sums, data);
  Verdict verdict("kept_functions");
  verdict.equal("cells", data.read(), generate<int>(96, [](std::size_t i) {
                  return int(i < 32 ? i + 1 : i < 64 ? 3 * (i - 32) + 2 * (i + 32) + 4 : i);
                }));
  verdict.equal("areas", areas.read(), generate<int>(32, [](std::size_t i) { return int(i + 1) * (i % 2 ? int(i + 1) : 10); }));
  verdict.equal("sums", sums.read(), generate<int>(32, [](std::size_t i) { return int(i) + 10; }));
  const int here = 4;
  verdict.equal("host", std::vector<int>{either(&here), square(3)}, {4, 9});
  return verdict.finish();
}
#ifndef CUPR_EDITS_HASH
#define CUPR_EDITS_HASH
CUPR_EDITS(HASH, "kept_functions.cu", "5:21+31 6:23+31 10:58+17 11:30+17 13:49+17 14:56+17 17:22+29 17:44+12 18:79+15 22:19+17 31:67+17 31:78+17 34:69+17 36:36+31 40:15+17 48:23+48 50:9+12 50:78+10 52:24+48 56:29+12 58:24+48 65:20+16 66:21+16 67:21+16")
#endif
