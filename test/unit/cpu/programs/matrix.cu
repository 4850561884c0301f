// Matrix operations of a warp against plain C++: wmma in its shapes and types, mma with the fragments that
// the PTX ISA describes, and ldmatrix, alone and in front of mma. All values are small integers, so results
// are exact.
#include "check.h"
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

template <typename T> struct Managed {
  explicit Managed(int count) {
    CUDA(cudaMallocManaged(&data, count * sizeof(T)));
    for (int i = 0; i < count; ++i)
      data[i] = T(0.0f);
  }
  ~Managed() { cudaFree(data); }
  T &operator[](int i) { return data[i]; }
  T *data;
};

// Small integers that don't repeat with the sides of a matrix.
static int valueAt(int i, int salt) { return (i * 7 + i / 5 + salt) % 11 - 4; }

template <typename TA, typename TC, int M, int N, int K, typename LA, typename LB, typename Element = TA>
__global__ void product(const Element *a, const Element *b, const TC *c, TC *d, int lda, int ldb) {
  wmma::fragment<wmma::matrix_a, M, N, K, TA, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, TA, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, TC> fc;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  for (int i = 0; i < fc.num_elements; ++i)
    fc.x[i] = fc.x[i] + fc.x[i];
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, M, wmma::mem_col_major);
}

template <typename TA, typename TC, int M, int N, int K, bool RowA, bool RowB, typename Element = TA>
void testWmma() {
  using LA = std::conditional_t<RowA, wmma::row_major, wmma::col_major>;
  using LB = std::conditional_t<RowB, wmma::row_major, wmma::col_major>;
  // Rows are longer than the matrix; multiples of 16 bytes.
  const int lda = (RowA ? K : M) + 16, ldb = (RowB ? N : K) + 16;
  Managed<Element> a(64 * 64), b(64 * 64);
  Managed<TC> c(M * N), d(M * N);
  const bool isUnsigned = std::is_same_v<TA, unsigned char>;
  const auto element = [&](int i, int salt) { return isUnsigned ? valueAt(i, salt) + 4 : valueAt(i, salt); };
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k)
      a[RowA ? m * lda + k : k * lda + m] = Element(float(element(m * K + k, 1)));
  for (int k = 0; k < K; ++k)
    for (int n = 0; n < N; ++n)
      b[RowB ? k * ldb + n : n * ldb + k] = Element(float(element(k * N + n, 2)));
  for (int i = 0; i < M * N; ++i)
    c[i] = TC(float(valueAt(i, 3)));
  product<TA, TC, M, N, K, LA, LB, Element><<<1, 32>>>(a.data, b.data, c.data, d.data, lda, ldb);
  CUDA(cudaDeviceSynchronize());
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      int sum = 2 * valueAt(m * N + n, 3);
      for (int k = 0; k < K; ++k)
        sum += element(m * K + k, 1) * element(k * N + n, 2);
      CHECK(float(d[n * M + m]) == float(sum), "%dx%dx%d row %d, column %d: %g, not %d", M, N, K, m, n,
            double(float(d[n * M + m])), sum);
    }
}

// Fragments as in the PTX ISA, "Matrix fragments for mma.m16n8k16", and so on.
__global__ void mmaHalf(const __half *a, const __half *b, const float *c, float *d) {
  const int group = threadIdx.x >> 2, inGroup = threadIdx.x % 4;
  __half fa[8], fb[4];
  for (int i = 0; i < 8; ++i) {
    const int row = (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
    const int column = inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0);
    fa[i] = a[row * 16 + column];
  }
  for (int i = 0; i < 4; ++i)
    fb[i] = b[(inGroup * 2 + (i & 1) + (i >= 2 ? 8 : 0)) * 8 + group];
  unsigned ra[4], rb[2];
  memcpy(ra, fa, sizeof ra);
  memcpy(rb, fb, sizeof rb);
  float fd[4], fc[4];
  for (int i = 0; i < 4; ++i)
    fc[i] = c[(i < 2 ? group : group + 8) * 8 + inGroup * 2 + (i & 1)];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%10,%11,%12,%13};"
               : "=f"(fd[0]), "=f"(fd[1]), "=f"(fd[2]), "=f"(fd[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(fc[0]),
                 "f"(fc[1]), "f"(fc[2]), "f"(fc[3]));
  for (int i = 0; i < 4; ++i)
    d[(i < 2 ? group : group + 8) * 8 + inGroup * 2 + (i & 1)] = fd[i];
}

__global__ void mmaTf32(const float *a, const float *b, float *d) {
  const int group = threadIdx.x >> 2, inGroup = threadIdx.x % 4;
  const unsigned *ua = reinterpret_cast<const unsigned *>(a), *ub = reinterpret_cast<const unsigned *>(b);
  float fd[4];
  // The lower 13 bits of an element are not looked at.
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%10,%10,%10,%10};"
               : "=f"(fd[0]), "=f"(fd[1]), "=f"(fd[2]), "=f"(fd[3])
               : "r"(ua[group * 8 + inGroup] | 0x1fff), "r"(ua[(group + 8) * 8 + inGroup]),
                 "r"(ua[group * 8 + inGroup + 4]), "r"(ua[(group + 8) * 8 + inGroup + 4]),
                 "r"(ub[inGroup * 8 + group]), "r"(ub[(inGroup + 4) * 8 + group]), "f"(0.0f));
  for (int i = 0; i < 4; ++i)
    d[(i < 2 ? group : group + 8) * 8 + inGroup * 2 + (i & 1)] = fd[i];
}

__global__ void mmaBytes(const signed char *a, const unsigned char *b, int *d, int start) {
  const int group = threadIdx.x >> 2, inGroup = threadIdx.x % 4;
  signed char fa[16];
  unsigned char fb[8];
  for (int i = 0; i < 16; ++i) {
    const int row = (i < 4 || (i >= 8 && i < 12)) ? group : group + 8;
    fa[i] = a[row * 32 + inGroup * 4 + (i & 3) + (i >= 8 ? 16 : 0)];
  }
  for (int i = 0; i < 8; ++i)
    fb[i] = b[(inGroup * 4 + (i & 3) + (i >= 4 ? 16 : 0)) * 8 + group];
  unsigned ra[4], rb[2];
  memcpy(ra, fa, sizeof ra);
  memcpy(rb, fb, sizeof rb);
  int fd[4];
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%10,%10,%10};"
      : "=r"(fd[0]), "=r"(fd[1]), "=r"(fd[2]), "=r"(fd[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "r"(start));
  for (int i = 0; i < 4; ++i)
    d[(i < 2 ? group : group + 8) * 8 + inGroup * 2 + (i & 1)] = fd[i];
}

__global__ void mmaDouble(const double *a, const double *b, double *d) {
  const int group = threadIdx.x >> 2, inGroup = threadIdx.x % 4;
  double d0, d1;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%4};"
               : "=d"(d0), "=d"(d1)
               : "d"(a[group * 4 + inGroup]), "d"(b[inGroup * 8 + group]), "d"(1.0));
  d[group * 8 + inGroup * 2] = d0;
  d[group * 8 + inGroup * 2 + 1] = d1;
}

// The usual way into mma: A by rows, B transposed on the way.
__global__ void throughShared(const __half *a, const __half *b, float *d) {
  __shared__ alignas(16) __half sa[16 * 16], sb[16 * 8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32)
    sa[i] = a[i];
  for (int i = lane; i < 128; i += 32)
    sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  const unsigned rowOfA = static_cast<unsigned>(
      __cvta_generic_to_shared(&sa[(lane % 8 + lane / 8 % 2 * 8) * 16 + lane / 16 * 8]));
  const unsigned rowOfB = static_cast<unsigned>(__cvta_generic_to_shared(&sb[lane % 16 * 8]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(rowOfA));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(rowOfB));
  float fd[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%10,%10,%10,%10};"
               : "=f"(fd[0]), "=f"(fd[1]), "=f"(fd[2]), "=f"(fd[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(0.0f));
  for (int i = 0; i < 4; ++i)
    d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = fd[i];
}

template <typename TA, typename TB, typename TD>
static void fill(Managed<TA> &a, Managed<TB> &b, std::vector<double> &expected, int m, int n, int k, TD start,
                 int lift) {
  for (int i = 0; i < m * k; ++i)
    a[i] = TA(float(valueAt(i, 5)));
  for (int i = 0; i < k * n; ++i)
    b[i] = TB(float(valueAt(i, 6) + lift));
  expected.assign(m * n, double(start));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int x = 0; x < k; ++x)
        expected[i * n + j] += double(float(a[i * k + x])) * double(float(b[x * n + j]));
}

template <typename T>
static void compare(const char *what, Managed<T> &d, const std::vector<double> &expected) {
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < int(expected.size()); ++i)
    CHECK(double(d[i]) == expected[i], "%s, element %d: %g, not %g", what, i, double(d[i]), expected[i]);
}

static void testMma() {
  std::vector<double> expected;
  Managed<__half> ha(256), hb(128);
  Managed<float> fa(128), fb(64), c(128), d(128);
  fill(ha, hb, expected, 16, 8, 16, 0, 0);
  for (int i = 0; i < 128; ++i) {
    c[i] = float(i);
    expected[i] += i;
  }
  mmaHalf<<<1, 32>>>(ha.data, hb.data, c.data, d.data);
  compare("f16", d, expected);
  for (int i = 0; i < 128; ++i)
    expected[i] -= i;
  throughShared<<<1, 32>>>(ha.data, hb.data, d.data);
  compare("ldmatrix", d, expected);
  fill(fa, fb, expected, 16, 8, 8, 0, 0);
  mmaTf32<<<1, 32>>>(fa.data, fb.data, d.data);
  compare("tf32", d, expected);
  Managed<signed char> ba(512);
  Managed<unsigned char> bb(256);
  Managed<int> bd(128);
  fill(ba, bb, expected, 16, 8, 32, 100, 4);
  mmaBytes<<<1, 32>>>(ba.data, bb.data, bd.data, 100);
  compare("s8", bd, expected);
  fill(ba, bb, expected, 16, 8, 32, 2147483640, 4);
  for (double &value : expected)
    value = value > 2147483647 ? 2147483647 : value;
  mmaBytes<<<1, 32>>>(ba.data, bb.data, bd.data, 2147483640);
  compare("s8, saturated", bd, expected);
  Managed<double> da(32), db(32), dd(64);
  fill(da, db, expected, 8, 8, 4, 1, 0);
  mmaDouble<<<1, 32>>>(da.data, db.data, dd.data);
  compare("f64", dd, expected);
}

// As unrolled products have them: very many operations in one function, whose memory must fit a thread's
// stack.
constexpr int kMany = 800;
__global__ void multiplyOften(float *out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(a, __float2half(0.5f));
  wmma::fill_fragment(b, __float2half(0.25f));
  wmma::fill_fragment(sum, 0.0f);
#pragma unroll
  for (int i = 0; i < kMany; ++i)
    wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}

static void testMany() {
  float *out;
  CUDA(cudaMalloc(&out, 256 * sizeof(float)));
  multiplyOften<<<1, 32>>>(out);
  std::vector<float> found(256);
  CUDA(cudaMemcpy(found.data(), out, 256 * sizeof(float), cudaMemcpyDeviceToHost));
  for (float value : found)
    CHECK(value == kMany * 16 * 0.125f, "%g", value);
}

int main() {
  testMany();
  testWmma<__half, float, 16, 16, 16, true, false>();
  testWmma<__half, float, 16, 16, 16, false, true>();
  testWmma<__half, __half, 16, 16, 16, true, true>();
  testWmma<__half, float, 32, 8, 16, true, false>();
  testWmma<__half, float, 8, 32, 16, false, false>();
  testWmma<__nv_bfloat16, float, 16, 16, 16, true, false>();
  testWmma<__nv_bfloat16, float, 8, 32, 16, true, true>();
  testWmma<wmma::precision::tf32, float, 16, 16, 8, true, false, float>();
  testWmma<signed char, int, 16, 16, 16, true, false>();
  testWmma<unsigned char, int, 32, 8, 16, false, true>();
  testWmma<double, double, 8, 8, 4, true, false>();
  testMma();
  std::puts("ok");
}
