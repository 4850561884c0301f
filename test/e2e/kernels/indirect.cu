/// Pointers that are themselves loaded from global memory: thread i loads entry i % 4 of a table (8 bytes),
/// then element i through it (4 bytes). A second kernel follows a chain of two: a list whose nodes hold a
/// pointer and a value. 2 blocks of 64. First: 128 loads of 8 bytes, 128 of 4, 128 stores of 4. Second, 3
/// nodes deep: 2 pointers and 1 value each.
#include "verdict.h"

__global__ void throughTable(int *const *table, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const int *row = table[i % 4];
  out[i] = row[i];
}

struct Link {
  Link *next;
  int value;
  int unused;
};

__global__ void third(Link *const *heads, int *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  out[i] = heads[i]->next->next->value;
}

int main() {
  const int n = 128;
  std::vector<int> wanted(n);
  Device<int> rows(generate<int>(4 * n, [](std::size_t i) { return int(i); })), out(n), thirds(n);
  Device<int *> table(generate<int *>(4, [&](std::size_t row) { return rows + row * n; }));
  Device<Link> links(3 * n);
  const auto nodes = generate<Link>(
      3 * n, [&](std::size_t i) { return Link{i % 3 < 2 ? links + i + 1 : nullptr, int(7 * i), 0}; });
  MUST(cudaMemcpy(links, nodes.data(), sizeof(Link) * nodes.size(), cudaMemcpyHostToDevice));
  Device<Link *> heads(generate<Link *>(n, [&](std::size_t i) { return links + 3 * i; }));
  throughTable<<<2, 64>>>(table, out);
  third<<<2, 64>>>(heads, thirds);
  Verdict verdict("indirect");
  verdict.equal("rows", out.read(), generate<int>(n, [](std::size_t i) { return int(i % 4 * n + i); }));
  verdict.equal("thirds", thirds.read(),
                generate<int>(n, [](std::size_t i) { return int(7 * (3 * i + 2)); }));
  return verdict.finish();
}
