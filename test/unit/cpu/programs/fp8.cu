// Numbers of 8 bits: the device's instructions against the toolkit's own conversion in software, which is
// what its header does on the host.
#include "check.h"
#include <cstring>
#include <cuda_fp8.h>
#include <vector>

__global__ void narrow(const float *in, unsigned short *e4m3, unsigned short *e5m2, unsigned short *halves,
                       int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float2 pair = make_float2(in[i], -in[n - 1 - i]);
  e4m3[i] = __nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3);
  e5m2[i] = __nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E5M2);
  halves[i] = __nv_cvt_halfraw2_to_fp8x2(__floats2half2_rn(pair.x, pair.y), __NV_SATFINITE, __NV_E4M3);
}

__global__ void widen(__half2_raw *e4m3, __half2_raw *e5m2) {
  const unsigned short pair = static_cast<unsigned short>(threadIdx.x | (255 - threadIdx.x) << 8);
  e4m3[threadIdx.x] = __nv_cvt_fp8x2_to_halfraw2(pair, __NV_E4M3);
  e5m2[threadIdx.x] = __nv_cvt_fp8x2_to_halfraw2(pair, __NV_E5M2);
}

template <class T> T *managed(size_t count) {
  T *memory;
  CUDA(cudaMallocManaged(&memory, count * sizeof(T)));
  return memory;
}

int main() {
  // Every exponent with mantissas around each place where rounding decides.
  std::vector<float> values = {0, INFINITY, NAN, 448, 449, 464, 465, 57344, 61440, 61441};
  for (int exponent = -20; exponent <= 17; ++exponent)
    for (int part = 0; part < 64; ++part)
      for (float nudge : {0.0f, 1e-4f})
        values.push_back(std::ldexp(1 + part / 64.0f + nudge, exponent));
  const int n = int(values.size());
  float *in = managed<float>(n);
  std::memcpy(in, values.data(), n * sizeof(float));
  unsigned short *e4m3 = managed<unsigned short>(n), *e5m2 = managed<unsigned short>(n),
                 *halves = managed<unsigned short>(n);
  narrow<<<(n + 127) / 128, 128>>>(in, e4m3, e5m2, halves, n);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) {
    const float2 pair = make_float2(in[i], -in[n - 1 - i]);
    const unsigned expected4 = __nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3);
    const unsigned expected5 = __nv_cvt_float2_to_fp8x2(pair, __NV_SATFINITE, __NV_E5M2);
    const unsigned half =
        __nv_cvt_halfraw2_to_fp8x2(__floats2half2_rn(pair.x, pair.y), __NV_SATFINITE, __NV_E4M3);
    CHECK(e4m3[i] == expected4, "%g, %g as E4M3: %04x, expected %04x", pair.x, pair.y, e4m3[i], expected4);
    CHECK(e5m2[i] == expected5, "%g, %g as E5M2: %04x, expected %04x", pair.x, pair.y, e5m2[i], expected5);
    CHECK(halves[i] == half, "halves %g, %g as E4M3: %04x, expected %04x", pair.x, pair.y, halves[i], half);
  }
  __half2_raw *wide4 = managed<__half2_raw>(256), *wide5 = managed<__half2_raw>(256);
  widen<<<1, 256>>>(wide4, wide5);
  CUDA(cudaDeviceSynchronize());
  const auto same = [](unsigned short a, unsigned short b) { // NaNs may have other bits
    return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00);
  };
  for (unsigned i = 0; i < 256; ++i) {
    const __half_raw low4 = __nv_cvt_fp8_to_halfraw(i, __NV_E4M3),
                     high5 = __nv_cvt_fp8_to_halfraw(255 - i, __NV_E5M2);
    CHECK(same(wide4[i].x, low4.x), "E4M3 %02x: %04x, expected %04x", i, wide4[i].x, low4.x);
    CHECK(same(wide5[i].y, high5.x), "E5M2 %02x: %04x, expected %04x", 255 - i, wide5[i].y, high5.x);
  }
  std::puts("ok");
}
