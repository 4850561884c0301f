/// Kernels that keep their signature, because their address is used with its type: in a typed pointer, in a
/// table, as a template argument, as a member of a struct; launched with brackets and through the API. 2
/// blocks of 32. Each launch makes 64 loads and 64 stores of 4 bytes.
#include "verdict.h"

typedef void (*Kernel)(const int *, int *, int);

__global__ void addTo(const int *in, int *out, int value) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = in[i] + value;
}

__global__ void multiply(const int *in, int *out, int value) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = in[i] * value;
}

template <Kernel K> void launchArgument(const int *in, int *out, int value) { K<<<2, 32>>>(in, out, value); }

struct Step {
  Kernel kernel;
  int value;
};

int main() {
  const int n = 64;
  Device<int> in(generate<int>(n, [](std::size_t i) { return int(i); }));
  Device<int> pointer(n), table(n), argument(n), member(n), api(n), extensible(n), cooperative(n);

  Kernel single = addTo;
  single<<<2, 32>>>(in, pointer, 1);
  const Kernel kernels[] = {addTo, multiply};
  kernels[1]<<<2, 32>>>(in, table, 2);
  launchArgument<addTo>(in, argument, 3);
  const Step step = {multiply, 4};
  step.kernel<<<2, 32>>>(in, member, step.value);

  const int *from = in;
  int *to = api, value = 5;
  void *arguments[] = {&from, &to, &value};
  MUST(cudaLaunchKernel(reinterpret_cast<const void *>(single), dim3(2), dim3(32), arguments, 0, nullptr));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributePriority;
  config.attrs = &attribute;
  config.numAttrs = 1;
  to = extensible;
  MUST(cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernels[1]), arguments));
  to = cooperative;
  MUST(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(single), dim3(2), dim3(32), arguments, 0,
                                   nullptr));

  Verdict verdict("kernel_pointers");
  verdict.equal("pointer", pointer.read(), generate<int>(n, [](std::size_t i) { return int(i + 1); }));
  verdict.equal("table", table.read(), generate<int>(n, [](std::size_t i) { return int(i * 2); }));
  verdict.equal("argument", argument.read(), generate<int>(n, [](std::size_t i) { return int(i + 3); }));
  verdict.equal("member", member.read(), generate<int>(n, [](std::size_t i) { return int(i * 4); }));
  verdict.equal("api", api.read(), generate<int>(n, [](std::size_t i) { return int(i + 5); }));
  verdict.equal("extensible", extensible.read(), generate<int>(n, [](std::size_t i) { return int(i * 5); }));
  verdict.equal("cooperative", cooperative.read(),
                generate<int>(n, [](std::size_t i) { return int(i + 5); }));
  return verdict.finish();
}
