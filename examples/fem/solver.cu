/// The solver as a program grows. Three things are wrong with its copies:
/// - the load and the field lie in a std::vector, which is pageable;
/// - the field is fetched on a condition that always holds, so each time that anybody asks for it;
/// - small copies between launches do what kernels could: the scalars of the method go to the host and come back, and p begins as a copy of r.
#include "kernels.cuh"
#include "solver.h"

namespace {

__global__ void sumParts(const double *parts, double *sum) {
  const double of = sumOf(parts);
  if (threadIdx.x == 0)
    *sum = of;
}

} // namespace

struct Solver::State {
  int rows = 0, iterations = 0;
  std::vector<double> load, mirror;
  bool isOnDevice = false;
  double *values = nullptr, *mass = nullptr, *u = nullptr, *loads = nullptr, *r = nullptr, *p = nullptr,
         *q = nullptr, *parts = nullptr;
  int *columns = nullptr;
  Scalars *scalars = nullptr;

  int blocks() const { return (rows + kThreads - 1) / kThreads; }

  void uploadLoad() { must(cudaMemcpy(loads, load.data(), sizeof(double) * rows, cudaMemcpyHostToDevice)); }
  double fetchProduct(const double *a, const double *b) {
    multiplyInParts<<<kParts, kPartThreads>>>(a, b, rows, parts);
    sumParts<<<1, kThreads>>>(parts, &scalars->product);
    double product = 0;
    must(cudaMemcpy(&product, &scalars->product, sizeof product, cudaMemcpyDeviceToHost));
    return product;
  }
  void setScalar(double *scalar, double value) {
    must(cudaMemcpy(scalar, &value, sizeof value, cudaMemcpyHostToDevice));
  }
  void beginDirection() { must(cudaMemcpy(p, r, sizeof(double) * rows, cudaMemcpyDeviceToDevice)); }
  void fetchField() { must(cudaMemcpy(mirror.data(), u, sizeof(double) * rows, cudaMemcpyDeviceToHost)); }
};

Solver::Solver(const Matrix &matrix, int iterations) : state_(new State) {
  State &s = *state_;
  s.rows = matrix.rows;
  s.iterations = iterations;
  s.load.resize(matrix.rows);
  s.mirror.resize(matrix.rows);
  const size_t vector = sizeof(double) * matrix.rows;
  must(cudaMalloc(&s.values, vector * kMostEntries));
  must(cudaMalloc(&s.columns, sizeof(int) * matrix.rows * kMostEntries));
  must(cudaMalloc(&s.mass, vector));
  must(cudaMalloc(&s.u, vector));
  must(cudaMalloc(&s.loads, vector));
  must(cudaMalloc(&s.r, vector));
  must(cudaMalloc(&s.p, vector));
  must(cudaMalloc(&s.q, vector));
  must(cudaMalloc(&s.parts, sizeof(double) * kParts));
  must(cudaMalloc(&s.scalars, sizeof *s.scalars));
  must(cudaMemcpy(s.values, matrix.values.data(), vector * kMostEntries, cudaMemcpyHostToDevice));
  must(cudaMemcpy(s.columns, matrix.columns.data(), sizeof(int) * matrix.rows * kMostEntries,
                  cudaMemcpyHostToDevice));
  must(cudaMemcpy(s.mass, matrix.mass.data(), vector, cudaMemcpyHostToDevice));
  must(cudaMemset(s.u, 0, vector));
}

Solver::~Solver() {
  State &s = *state_;
  for (void *memory : {(void *)s.values, (void *)s.columns, (void *)s.mass, (void *)s.u, (void *)s.loads,
                       (void *)s.r, (void *)s.p, (void *)s.q, (void *)s.parts, (void *)s.scalars})
    cudaFree(memory);
}

double *Solver::load() { return state_->load.data(); }

void Solver::step() {
  State &s = *state_;
  const DeviceMatrix matrix = {s.rows, s.values, s.columns};
  s.uploadLoad();
  begin<<<s.blocks(), kThreads>>>(matrix, s.mass, s.loads, s.u, s.r);
  s.beginDirection();
  double residual = s.fetchProduct(s.r, s.r);
  for (int i = 0; i < s.iterations; ++i) {
    multiply<<<s.blocks(), kThreads>>>(matrix, s.p, s.q);
    s.setScalar(&s.scalars->length, quotient(residual, s.fetchProduct(s.p, s.q)));
    advance<<<s.blocks(), kThreads>>>(s.scalars, s.rows, s.p, s.q, s.u, s.r);
    if (i + 1 == s.iterations)
      break;
    const double next = s.fetchProduct(s.r, s.r);
    s.setScalar(&s.scalars->turn, quotient(next, residual));
    turn<<<s.blocks(), kThreads>>>(s.scalars, s.rows, s.r, s.p);
    residual = next;
  }
  must(cudaGetLastError());
  s.isOnDevice = true;
}

const double *Solver::field() {
  if (state_->isOnDevice)
    state_->fetchField();
  return state_->mirror.data();
}
