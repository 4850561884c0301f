/// Pointers inside a structure that is passed by value, one level down too. 4 blocks of 32, 100 threads
/// with work: 200 loads and 100 stores of 4 bytes; the structure itself lies in parameter memory and is not
/// counted.
#include "verdict.h"

struct Range {
  const int *first;
  int count;
};

struct Task {
  Range left, right;
  int *out;
  int scale;
};

__global__ void runTask(Task task) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < task.left.count)
    task.out[i] = task.left.first[i] * task.scale + task.right.first[i];
}

int main() {
  const int n = 100;
  Device<int> left(generate<int>(n, [](std::size_t i) { return int(i); })),
      right(generate<int>(n, [](std::size_t i) { return int(1000 - i); })), out(n);
  runTask<<<4, 32>>>(Task{{left, n}, {right, n}, out, 3});
  Verdict verdict("struct_parameter");
  verdict.equal("out", out.read(), generate<int>(n, [](std::size_t i) { return int(3 * i + 1000 - i); }));
  return verdict.finish();
}
