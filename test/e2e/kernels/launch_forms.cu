/// The ways of writing a launch: in an `if` without braces, in `?:`, in a loop, with the configuration or
/// the whole launch in a macro, with default arguments, nested in an argument, from a template, by
/// `cudaLaunchKernel`. Each launch stores one word per thread of one block of 32.
#include "verdict.h"

__global__ void put(int *out, int value, int step = 1) { out[threadIdx.x] = value + step * int(threadIdx.x); }

#define ONE_BLOCK <<<1, 32>>>
#define PUT(out, value) put<<<1, 32>>>(out, value)

static int *launchesToo(int *out, int *other) {
  put<<<1, 32>>>(other, 600);
  return out;
}

template <int kValue> void putConstant(int *out) { put<<<dim3(1), dim3(32)>>>(out, kValue); }

int main(int argc, char **) {
  Device<int> out(std::vector<int>(10 * 32, -1));
  int *at = out;
  if (argc > 0)
    put<<<1, 32>>>(at, 0);
  else
    put<<<2, 64>>>(at, 1);
  argc > 0 ? put<<<1, 32>>>(at + 32, 100) : put<<<1, 64>>>(at, 1);
  for (int k = 2; k < 4; ++k)
    put<<<1, 32>>>(at + 32 * k, 100 * k, 2);
  put ONE_BLOCK(at + 128, 400);
  PUT(at + 160, 500);
  put<<<1, 32>>>(launchesToo(at + 192, at + 224), 700);
  putConstant<800>(at + 256);
  int *last = at + 288;
  int value = 900, step = 1;
  void *arguments[] = {&last, &value, &step};
  MUST(cudaLaunchKernel(reinterpret_cast<const void *>(put), dim3(1), dim3(32), arguments, 0, nullptr));
  MUST(cudaGetLastError());
  Verdict verdict("launch_forms");
  verdict.equal("out", out.read(), generate<int>(320, [](std::size_t i) {
                  static const int kValue[] = {0, 100, 200, 300, 400, 500, 700, 600, 800, 900};
                  const int group = int(i / 32), lane = int(i % 32);
                  return kValue[group] + (group == 2 || group == 3 ? 2 : 1) * lane;
                }));
  return verdict.finish();
}
