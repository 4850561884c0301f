#include "check.h"
#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <vector>

struct Twice {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};

int main() {
  const int n = 40000;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = (int)((i * 2654435761u) % 100000) - 50000;
  thrust::device_vector<int> d(in.begin(), in.end());
  const int sum = thrust::reduce(d.begin(), d.end());
  CHECK(sum == std::accumulate(in.begin(), in.end(), 0), "%d", sum);
  thrust::device_vector<int> scanned(n), doubled(n);
  thrust::inclusive_scan(d.begin(), d.end(), scanned.begin());
  thrust::transform(d.begin(), d.end(), doubled.begin(), Twice());
  std::vector<int> expected(n), result(n);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  thrust::copy(scanned.begin(), scanned.end(), result.begin());
  for (int i = 0; i < n; ++i)
    CHECK(result[i] == expected[i], "scan %d: %d, not %d", i, result[i], expected[i]);
  thrust::copy(doubled.begin(), doubled.end(), result.begin());
  for (int i = 0; i < n; ++i)
    CHECK(result[i] == 2 * in[i], "transform %d", i);
  thrust::sort(d.begin(), d.end());
  std::sort(in.begin(), in.end());
  thrust::copy(d.begin(), d.end(), result.begin());
  for (int i = 0; i < n; ++i)
    CHECK(result[i] == in[i], "sort %d: %d, not %d", i, result[i], in[i]);
  std::puts("ok");
}
