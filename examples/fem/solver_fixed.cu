/// The solver as advised: memory of the host is page-locked, the field is fetched once for each step, scalars stay on the device, where the
/// kernels that need them compute them, and a step is launched at once, as a graph.
#include "kernels.cuh"
#include "solver.h"

namespace {

/// As `begin`, and p is r.
__global__ void beginBoth(DeviceMatrix matrix, const double *mass, const double *load, const double *u,
                          double *r, double *p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < matrix.rows)
    r[i] = p[i] = mass[i] * u[i] + load[i] - timesRow(matrix, u, i);
}

__global__ void setResidual(const double *parts, Scalars *scalars) {
  const double sum = sumOf(parts);
  if (threadIdx.x == 0)
    scalars->residual = sum;
}

__global__ void setLength(const double *parts, Scalars *scalars) {
  const double product = sumOf(parts);
  if (threadIdx.x == 0)
    scalars->length = quotient(scalars->residual, product);
}

__global__ void setTurn(const double *parts, Scalars *scalars) {
  const double next = sumOf(parts);
  if (threadIdx.x == 0) {
    scalars->turn = quotient(next, scalars->residual);
    scalars->residual = next;
  }
}

template <typename Number> Number *deviceCopy(const std::vector<Number> &numbers) {
  Number *copy = nullptr;
  must(cudaMalloc(&copy, sizeof(Number) * numbers.size()));
  must(cudaMemcpy(copy, numbers.data(), sizeof(Number) * numbers.size(), cudaMemcpyHostToDevice));
  return copy;
}

} // namespace

struct Solver::State {
  int rows = 0, iterations = 0;
  double *load = nullptr, *mirror = nullptr; ///< of the host, page-locked
  bool isMirrored = false;
  double *values = nullptr, *mass = nullptr, *u = nullptr, *loads = nullptr, *r = nullptr, *p = nullptr,
         *q = nullptr, *parts = nullptr;
  int *columns = nullptr;
  Scalars *scalars = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraphExec_t graph = nullptr;

  int blocks() const { return (rows + kThreads - 1) / kThreads; }
  size_t bytes() const { return sizeof(double) * rows; }

  void launchStep() {
    const DeviceMatrix matrix = {rows, values, columns};
    beginBoth<<<blocks(), kThreads, 0, stream>>>(matrix, mass, loads, u, r, p);
    multiplyInParts<<<kParts, kPartThreads, 0, stream>>>(r, r, rows, parts);
    setResidual<<<1, kThreads, 0, stream>>>(parts, scalars);
    for (int i = 0; i < iterations; ++i) {
      multiply<<<blocks(), kThreads, 0, stream>>>(matrix, p, q);
      multiplyInParts<<<kParts, kPartThreads, 0, stream>>>(p, q, rows, parts);
      setLength<<<1, kThreads, 0, stream>>>(parts, scalars);
      advance<<<blocks(), kThreads, 0, stream>>>(scalars, rows, p, q, u, r);
      if (i + 1 == iterations)
        break;
      multiplyInParts<<<kParts, kPartThreads, 0, stream>>>(r, r, rows, parts);
      setTurn<<<1, kThreads, 0, stream>>>(parts, scalars);
      turn<<<blocks(), kThreads, 0, stream>>>(scalars, rows, r, p);
    }
  }
};

Solver::Solver(const Matrix &matrix, int iterations) : state_(new State) {
  State &s = *state_;
  s.rows = matrix.rows;
  s.iterations = iterations;
  must(cudaMallocHost(&s.load, s.bytes()));
  must(cudaMallocHost(&s.mirror, s.bytes()));
  s.values = deviceCopy(matrix.values);
  s.columns = deviceCopy(matrix.columns);
  s.mass = deviceCopy(matrix.mass);
  must(cudaMalloc(&s.u, s.bytes()));
  must(cudaMalloc(&s.loads, s.bytes()));
  must(cudaMalloc(&s.r, s.bytes()));
  must(cudaMalloc(&s.p, s.bytes()));
  must(cudaMalloc(&s.q, s.bytes()));
  must(cudaMalloc(&s.parts, sizeof(double) * kParts));
  must(cudaMalloc(&s.scalars, sizeof *s.scalars));
  must(cudaMemset(s.u, 0, s.bytes()));
  must(cudaStreamCreate(&s.stream));
  cudaGraph_t graph = nullptr;
  must(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal));
  s.launchStep();
  must(cudaStreamEndCapture(s.stream, &graph));
  must(cudaGraphInstantiateWithFlags(&s.graph, graph, 0));
  must(cudaGraphDestroy(graph));
}

Solver::~Solver() {
  State &s = *state_;
  cudaGraphExecDestroy(s.graph);
  cudaStreamDestroy(s.stream);
  for (void *memory : {(void *)s.values, (void *)s.columns, (void *)s.mass, (void *)s.u, (void *)s.loads,
                       (void *)s.r, (void *)s.p, (void *)s.q, (void *)s.parts, (void *)s.scalars})
    cudaFree(memory);
  cudaFreeHost(s.load);
  cudaFreeHost(s.mirror);
}

double *Solver::load() { return state_->load; }

void Solver::step() {
  State &s = *state_;
  must(cudaMemcpyAsync(s.loads, s.load, s.bytes(), cudaMemcpyHostToDevice, s.stream));
  must(cudaGraphLaunch(s.graph, s.stream));
  s.isMirrored = false;
}

const double *Solver::field() {
  State &s = *state_;
  if (!s.isMirrored) {
    must(cudaMemcpyAsync(s.mirror, s.u, s.bytes(), cudaMemcpyDeviceToHost, s.stream));
    must(cudaStreamSynchronize(s.stream));
    s.isMirrored = true;
  }
  return s.mirror;
}
