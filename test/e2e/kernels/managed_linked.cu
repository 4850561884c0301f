/// Managed variables over several files, with device linking: defined in one and used in both, and two static
/// ones with one name. One thread loads `total`, `own` of this file and, in the other file's function, its
/// `own`; it stores `result`, `total` and, there, `list[2]`.
#include "verdict.h"

#include "managed_linked.cuh"

static __managed__ int own = 20;
__managed__ int result;

__global__ void run() {
  result = own;
  total += 100;
  addFromOther();
}

int main() {
  total = 5;
  own++;
  run<<<1, 1>>>();
  MUST(cudaDeviceSynchronize());
  Verdict verdict("managed_linked");
  verdict.equal("values", std::vector<int>{total, result, own, ownOfOther(), list[2], first[3]},
                {105, 21, 21, 10, 10, 4});
  return verdict.finish();
}
