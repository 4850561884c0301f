// nvcc's built-in atomic operations, and CUDA's on 16 bytes: what they do, and that the trace has their orders and scopes.
// RUN: %cuprxx --device=both -std=c++17 -arch=sm_90 -o %t %s && env CUPR_TRACE=%t.cuprtrace %t | %filecheck %s
// RUN: %cupranalyze verify %t.cuprtrace
// RUN: %cupranalyze sql %t.cuprtrace "SELECT DISTINCT line, operation, bytes, \"order\", scope FROM sites WHERE scope <> '' ORDER BY line, bytes" | %filecheck %s --check-prefix=SITE
// RUN: %cuprxx --device=cpu --no-trace -std=c++11 -O0 -arch=sm_90 -o %t %s && %t | %filecheck %s
#include <cstdio>

struct alignas(16) Pair {
  long long first, second;
};
struct Small {
  unsigned char value;
};

template <class T> __device__ T all(T *p) {
  // SITE: {{^ *}}[[#@LINE+2]] {{ *}}atomic add{{ +}}4{{ +}}relaxed{{ +}}cta
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic add{{ +}}8{{ +}}relaxed{{ +}}cta
  T result = __nv_atomic_fetch_add(p, 5, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  // SITE: {{^ *}}[[#@LINE+2]] {{ *}}atomic add{{ +}}4{{ +}}acquire{{ +}}cluster
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic add{{ +}}8{{ +}}acquire{{ +}}cluster
  result += __nv_atomic_fetch_sub(p, 1, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_CLUSTER);
  // SITE: {{^ *}}[[#@LINE+2]] {{ *}}atomic add{{ +}}4{{ +}}release{{ +}}gpu
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic add{{ +}}8{{ +}}release{{ +}}gpu
  __nv_atomic_add(p, 7, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  // SITE: {{^ *}}[[#@LINE+2]] {{ *}}atomic add{{ +}}4{{ +}}acq_rel{{ +}}sys
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic add{{ +}}8{{ +}}acq_rel{{ +}}sys
  __nv_atomic_sub(p, 2, __NV_ATOMIC_ACQ_REL);
  return result; // twice the first value, and 5; it is 9 more now
}

template <class T> __device__ void bounds(T *p, T low) {
  __nv_atomic_min(p, 3, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  // SITE: {{^ *}}[[#@LINE+2]] {{ *}}atomic min{{ +}}4{{ +}}acquire{{ +}}gpu
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic min{{ +}}8{{ +}}acquire{{ +}}gpu
  p[1] = __nv_atomic_fetch_min(p, low, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  // SITE: {{^ *}}[[#@LINE+2]] {{ *}}atomic max{{ +}}4{{ +}}acquire{{ +}}gpu
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic max{{ +}}8{{ +}}acquire{{ +}}gpu
  p[2] = __nv_atomic_fetch_max(p, 9, __NV_ATOMIC_CONSUME, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_max(p, 8, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
}

__global__ void numbers(int *i, unsigned *u, unsigned long long *ull, float *f, double *d) {
  i[1] = all(i);
  u[1] = all(u);
  ull[1] = all(ull);
  f[1] = all(f);
  d[1] = all(d);
}
__global__ void limits(int *i, unsigned *u, long long *ll, unsigned long long *ull) {
  bounds(i, -4);
  bounds(u, 0xfffffff0u);
  bounds(ll, -4ll);
  bounds(ull, 0xfffffffffffffff0ull);
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic or{{ +}}4{{ +}}relaxed{{ +}}sys
  __nv_atomic_or(u + 3, 6, __NV_ATOMIC_RELAXED);
  __nv_atomic_and(u + 3, 3, __NV_ATOMIC_RELAXED);
  u[4] = __nv_atomic_fetch_xor(u + 3, 1, __NV_ATOMIC_RELAXED);
  ll[3] = 0x700000000;
  ll[4] = __nv_atomic_fetch_and(ll + 3, 0x500000000, __NV_ATOMIC_RELAXED);
  ll[4] |= __nv_atomic_fetch_or(ll + 3, 1, __NV_ATOMIC_RELAXED);
  __nv_atomic_xor(ll + 3, 3, __NV_ATOMIC_RELAXED);
}
__global__ void objects(Small *small, short *s, double *d, Pair *pair, int *exchanged) {
  Small one, two = {9};
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}load{{ +}}1{{ +}}acquire{{ +}}cta
  __nv_atomic_load(small, &one, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_THREAD);
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}store{{ +}}1{{ +}}release{{ +}}cta
  __nv_atomic_store(small, &two, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}load{{ +}}2{{ +}}acquire{{ +}}sys
  s[1] = __nv_atomic_load_n(s, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM) + one.value;
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}store{{ +}}2{{ +}}relaxed{{ +}}sys
  __nv_atomic_store_n(s, -3, __NV_ATOMIC_SEQ_CST);
  short was = 4;
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic cas{{ +}}2{{ +}}release{{ +}}sys
  exchanged[0] = __nv_atomic_compare_exchange_n(s, &was, 5, false, __NV_ATOMIC_RELEASE, __NV_ATOMIC_RELAXED);
  exchanged[1] = __nv_atomic_compare_exchange_n(s, &was, 5, true, __NV_ATOMIC_RELEASE, __NV_ATOMIC_RELAXED);
  double half = 0.5;
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic exch{{ +}}8{{ +}}acq_rel{{ +}}gpu
  __nv_atomic_exchange(d, &half, d + 1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  exchanged[2] = __nv_atomic_exchange_n(exchanged + 3, 77, __NV_ATOMIC_RELAXED);
  __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST);
  Pair wanted = {1, 3}, next = {10, 20};
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic cas{{ +}}16{{ +}}acq_rel{{ +}}cta
  exchanged[4] = __nv_atomic_compare_exchange(pair, &wanted, &next, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE,
                                              __NV_THREAD_SCOPE_BLOCK);
  pair[1] = wanted; // what was there: 1 2
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic cas{{ +}}16{{ +}}relaxed{{ +}}gpu
  pair[2] = atomicCAS(pair, wanted, next);
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic exch{{ +}}16{{ +}}relaxed{{ +}}cta
  pair[3] = atomicExch_block(pair, Pair{30, 40});
  unsigned __int128 *wide = reinterpret_cast<unsigned __int128 *>(pair + 4);
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}atomic cas{{ +}}16{{ +}}relaxed{{ +}}sys
  wide[1] = atomicCAS_system(wide, (unsigned __int128)5 << 64, (unsigned __int128)6 << 64 | 7);
  // SITE: {{^ *}}[[#@LINE+1]] {{ *}}load{{ +}}16{{ +}}relaxed{{ +}}gpu
  __nv_atomic_load(pair, pair + 6, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

template <class T> T *managed(int count) {
  T *p;
  cudaMallocManaged(&p, count * sizeof(T));
  return p;
}
int main() {
  int *i = managed<int>(8), *exchanged = managed<int>(8);
  unsigned *u = managed<unsigned>(8);
  long long *ll = managed<long long>(8);
  unsigned long long *ull = managed<unsigned long long>(8);
  float *f = managed<float>(8);
  double *d = managed<double>(8);
  i[0] = -100, u[0] = 1, ull[0] = 1ull << 40, f[0] = 0.5f, d[0] = 0.25;
  numbers<<<1, 1>>>(i, u, ull, f, d);
  cudaDeviceSynchronize();
  // CHECK: -91 -195 10 7 1099511627785 2199023255557
  std::printf("%d %d %u %u %llu %llu\n", i[0], i[1], u[0], u[1], ull[0], ull[1]);
  // CHECK-NEXT: 9.5 6 9.25 5.5
  std::printf("%g %g %g %g\n", f[0], f[1], d[0], d[1]);
  ll[0] = i[0] = 5, ull[0] = u[0] = 5, u[3] = 0;
  limits<<<1, 1>>>(i, u, ll, ull);
  cudaDeviceSynchronize();
  // CHECK-NEXT: 9 3 -4, 9 3 3, 9 3 -4, 9 3 3
  std::printf("%d %d %d, %u %u %u, %lld %lld %lld, %llu %llu %llu\n", i[0], i[1], i[2], u[0], u[1], u[2], ll[0], ll[1],
              ll[2], ull[0], ull[1], ull[2]);
  // CHECK-NEXT: 3 2, 500000002 700000000
  std::printf("%u %u, %llx %llx\n", u[3], u[4], ll[3], ll[4]);
  Small *small = managed<Small>(1);
  short *s = managed<short>(2);
  Pair *pair = managed<Pair>(8);
  small->value = 200, s[0] = -7, exchanged[3] = 66, pair[0] = {1, 2}, pair[4] = {0, 5};
  objects<<<1, 1>>>(small, s, d, pair, exchanged);
  cudaDeviceSynchronize();
  // CHECK-NEXT: 9 5 193, 0.5 9.25, 0 1 66 77 0
  std::printf("%d %d %d, %g %g, %d %d %d %d %d\n", small->value, s[0], s[1], d[0], d[1], exchanged[0], exchanged[1],
              exchanged[2], exchanged[3], exchanged[4]);
  for (int n = 0; n < 7; ++n)
    std::printf("%lld %lld,", pair[n].first, pair[n].second);
  // CHECK-NEXT: 30 40,1 2,1 2,10 20,7 6,0 5,30 40,
}
