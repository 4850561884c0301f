/// Loads and stores with a cache hint, of types of 1 to 16 bytes, most of which clang has not. 2 blocks of
/// 64:
///
/// - stores: 128 each of 4, 8, 16, 8, 1 and 8 bytes, 128 * 45 bytes in all;
/// - loads: 128 each of 4, 16, 8, 8, 8 and 2 bytes, 128 * 46, and 128 stores of 8 bytes.
#include "verdict.h"

__global__ void stores(float *f, float2 *pairs, int4 *quads, long *wide, signed char *narrow,
                       ushort4 *shorts) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  __stcg(&f[i], i + 0.5f);
  __stcs(&pairs[i], make_float2(i, -i));
  __stwb(&quads[i], make_int4(i, i + 1, i + 2, i + 3));
  __stwt(&wide[i], -(long(i) << 40));
  __stcg(&narrow[i], 1 - i); // an int becomes a signed char
  __stcs(&shorts[i], make_ushort4(i, 65535 - i, 2, 3));
}

__global__ void loads(const float *f, const double2 *pairs, const unsigned long *a, const unsigned long *b,
                      const unsigned long *c, const char2 *narrow, double *out) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  const double2 pair = __ldlu(&pairs[i]);
  const char2 small = __ldlu(&narrow[i]);
  out[i] =
      __ldca(&f[i]) + pair.x + pair.y + __ldcs(&a[i]) + __ldcg(&b[i]) + __ldcv(&c[i]) + small.x + small.y;
}

int main() {
  const std::size_t n = 128;
  Verdict verdict("cache_hints");

  Device<float> f(n);
  Device<float2> pairs(n);
  Device<int4> quads(n);
  Device<long> wide(n);
  Device<signed char> narrow(n);
  Device<ushort4> shorts(n);
  stores<<<2, 64>>>(f, pairs, quads, wide, narrow, shorts);
  verdict.equal("f", f.read(), generate<float>(n, [](std::size_t i) { return float(i) + 0.5f; }));
  verdict.equal("pairs", pairs.read(), generate<float2>(n, [](std::size_t i) {
                  return make_float2(float(i), -float(int(i)) + 0.0f);
                }));
  verdict.equal("quads", quads.read(), generate<int4>(n, [](std::size_t i) {
                  const int x = int(i);
                  return make_int4(x, x + 1, x + 2, x + 3);
                }));
  verdict.equal("wide", wide.read(), generate<long>(n, [](std::size_t i) { return -(long(i) << 40); }));
  verdict.equal("narrow", narrow.read(),
                generate<signed char>(n, [](std::size_t i) { return (signed char)(1 - int(i)); }));
  verdict.equal("shorts", shorts.read(), generate<ushort4>(n, [](std::size_t i) {
                  return make_ushort4((unsigned short)(i), (unsigned short)(65535 - i), 2, 3);
                }));

  Device<float> in(generate<float>(n, [](std::size_t i) { return float(i); }));
  Device<double2> doubles(
      generate<double2>(n, [](std::size_t i) { return make_double2(2.0 * double(i), 0.25); }));
  const auto words = generate<unsigned long>(n, [](std::size_t i) { return (1ul << 40) + i; });
  Device<unsigned long> a(words), b(words), c(words);
  Device<char2> chars(generate<char2>(n, [](std::size_t i) { return make_char2(char(-3), char(i)); }));
  Device<double> out(n);
  loads<<<2, 64>>>(in, doubles, a, b, c, chars, out);
  verdict.equal("out", out.read(), generate<double>(n, [](std::size_t i) {
                  return 7.0 * double(i) + 3.0 * double(1ul << 40) - 2.75;
                }));
  return verdict.finish();
}
