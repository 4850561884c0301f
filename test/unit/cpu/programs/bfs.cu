#include "check.h"
#include <queue>
#include <vector>

__global__ void bfs(const int *rows, const int *columns, int *distance, int level, int n, int *changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || distance[v] != level)
    return;
  for (int e = rows[v]; e < rows[v + 1]; ++e)
    if (distance[columns[e]] < 0) {
      distance[columns[e]] = level + 1;
      *changed = 1;
    }
}

int main() {
  const int n = 3000;
  std::vector<int> rows(1), columns;
  for (int v = 0; v < n; ++v) {
    for (int k = 1; k <= 1 + v % 5; ++k)
      columns.push_back((v * 17 + k * k * 31) % n);
    rows.push_back(columns.size());
  }
  std::vector<int> expected(n, -1), distance(n, -1);
  std::queue<int> queue;
  queue.push(0);
  expected[0] = distance[0] = 0;
  while (!queue.empty()) {
    const int v = queue.front();
    queue.pop();
    for (int e = rows[v]; e < rows[v + 1]; ++e)
      if (expected[columns[e]] < 0) {
        expected[columns[e]] = expected[v] + 1;
        queue.push(columns[e]);
      }
  }
  int *dr, *dc, *dd, *changed;
  CUDA(cudaMalloc(&dr, rows.size() * 4));
  CUDA(cudaMalloc(&dc, columns.size() * 4));
  CUDA(cudaMalloc(&dd, n * 4));
  CUDA(cudaMallocManaged(&changed, 4));
  CUDA(cudaMemcpy(dr, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dc, columns.data(), columns.size() * 4, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dd, distance.data(), n * 4, cudaMemcpyHostToDevice));
  int level = 0;
  do {
    *changed = 0;
    bfs<<<(n + 127) / 128, 128>>>(dr, dc, dd, level++, n, changed);
    CUDA(cudaDeviceSynchronize());
  } while (*changed);
  CUDA(cudaMemcpy(distance.data(), dd, n * 4, cudaMemcpyDeviceToHost));
  CHECK(distance == expected, "distances differ after %d levels", level);
  std::puts("ok");
}
