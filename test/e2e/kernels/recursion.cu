/// A recursive device function: thread i adds up the subtree below node i + 1 of a complete binary tree of
/// 127 nodes (children of k: 2 k and 2 k + 1). 64 threads: the nodes 1 to 64 have 127 + 2 * 63 + 4 * 31 + 8
/// * 15 + 16 * 7 + 32 * 3 + 1 * 1 = 706 nodes below them, themselves included: 706 loads of 4 bytes and 64
/// stores.
#include "verdict.h"

__device__ __noinline__ int sumBelow(const int *tree, int node) {
  if (node > 127)
    return 0;
  return tree[node] + sumBelow(tree, 2 * node) + sumBelow(tree, 2 * node + 1);
}

__global__ void sumTrees(const int *tree, int *out) {
  out[threadIdx.x] = sumBelow(tree, int(threadIdx.x) + 1);
}

static int sumOnHost(const std::vector<int> &tree, int node) {
  return node > 127 ? 0 : tree[node] + sumOnHost(tree, 2 * node) + sumOnHost(tree, 2 * node + 1);
}

int main() {
  const auto tree = generate<int>(128, [](std::size_t i) { return int(i * i); });
  Device<int> deviceTree(tree), out(64);
  sumTrees<<<1, 64>>>(deviceTree, out);
  Verdict verdict("recursion");
  verdict.equal("sums", out.read(),
                generate<int>(64, [&](std::size_t i) { return sumOnHost(tree, int(i) + 1); }));
  return verdict.finish();
}
