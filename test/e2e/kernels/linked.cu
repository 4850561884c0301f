/// Device code in three files, linked (-rdc=true). 2 blocks of 64, an integer per thread:
///
/// 1. `fill<int>`, instantiated here: 128 stores;
/// 2. the same template, launched from linked_table.cu: 128 stores;
/// 3. `step` of this file: a thread loads its element (in `weighted`, linked_table.cu), and the static `bias`
/// of this file, stores
///    one, and adds to `total` (in `count`, linked_count.cu): 256 loads, 128 stores, 128 atomics; the weight
///    comes from constant memory;
/// 4. `step` of linked_table.cu, another kernel of that name, with another static `bias`: 256 loads, 128
/// stores;
/// 5. `apply` of linked_table.cu: its element, and the function pointer `chosen` (8 bytes), which leads to a
///    function of linked_count.cu: 256 loads, 128 stores;
/// 6. `applyDirectly` of linked_table.cu: that function without the pointer: 128 loads, 128 stores;
/// 7. `readThrough`: the function pointer `reader` (8 bytes), which leads to `weighted`, so one element: 256
/// loads, 128
///    stores.
#include "linked.cuh"

static __device__ int bias = 7;

static __global__ void step(int *out, const int *in) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = weighted(in, i) + bias;
  count();
}

static __global__ void readThrough(int *out, const int *in) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = reader(in, i);
}

int main() {
  const int n = 128, threads = 64;
  const auto values = generate<int>(n, [](std::size_t i) { return int(i * i); });
  const int factors[4] = {2, 3, 5, 7};
  Device<int> in(values), out(n);
  Verdict verdict("linked");
  fill<<<n / threads, threads>>>(static_cast<int *>(out), 3);
  verdict.equal("filled", out.read(), std::vector<int>(n, 3));
  fillElsewhere(out);
  verdict.equal("filled elsewhere", out.read(), std::vector<int>(n, 5));
  MUST(cudaMemcpyToSymbol(weights, factors, sizeof factors));
  step<<<n / threads, threads>>>(out, in);
  stepElsewhere(out);
  apply<<<n / threads, threads>>>(out);
  verdict.equal("out", out.read(), generate<int>(n, [&](std::size_t i) {
                  return 2 * (values[i] * factors[i % 4] + 7 + 9) + 1;
                }));
  applyDirectly<<<n / threads, threads>>>(out);
  verdict.equal("out again", out.read(), generate<int>(n, [&](std::size_t i) {
                  return 2 * (2 * (values[i] * factors[i % 4] + 7 + 9) + 1) + 1;
                }));
  readThrough<<<n / threads, threads>>>(out, in);
  verdict.equal("read", out.read(),
                generate<int>(n, [&](std::size_t i) { return values[i] * factors[i % 4]; }));
  int found[2] = {};
  MUST(cudaMemcpyFromSymbol(&found[0], total, sizeof(int)));
  MUST(cudaMemcpyFromSymbol(&found[1], bias, sizeof(int)));
  verdict.equal("variables", std::vector<int>{found[0], found[1], biasElsewhere()},
                std::vector<int>{100 + n, 7, 9});
  return verdict.finish();
}
