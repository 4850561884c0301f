/// A program as they are: a one-dimensional stencil that goes back and forth between two
/// arrays, then a reduction, with the host's copies around it.
#ifndef CUPR_TEST_STENCIL_TRACE_H
#define CUPR_TEST_STENCIL_TRACE_H

#include "trace_builder.h"

namespace cupr::test {

inline constexpr std::uint32_t kStencilCtas = 24, kStencilThreads = 128, kStencilSteps = 6;

inline void writeStencilTrace(const std::string &path) {
  constexpr std::uint64_t kArray = kStencilCtas * kStencilThreads * 4;
  constexpr std::uint64_t kIn = 0x7f0000000000u, kOut = 0x7f0000100000u, kSum = 0x7f0000200000u;
  const std::string text = "// One step of a three-point stencil.\n"
                           "__global__ void stencil(const float *in, float *out, int n) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i > 0 && i < n - 1)\n"
                           "    out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];\n"
                           "}\n"
                           "\n"
                           "template <typename T> __global__ void sum(const T *in, T *out, int n) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n && in[i] > 0)\n"
                           "    atomicAdd(out, in[i]);\n"
                           "}\n";
  const std::string stencil = "stencil(cupr::argument::Trace, float const*, float*, int)";
  const std::string sum = "void sum<float>(cupr::argument::Trace, float const*, float*, int)";
  SiteTableBlob blob;
  const std::string file = "examples/stencil/stencil.cu";
  const std::uint32_t left = blob.site(abi::Operation::Load, 4, file, 5, stencil);
  const std::uint32_t middle = blob.site(abi::Operation::Load, 4, file, 5, stencil);
  const std::uint32_t right = blob.site(abi::Operation::Load, 4, file, 5, stencil);
  const std::uint32_t store = blob.site(abi::Operation::Store, 4, file, 5, stencil);
  const std::uint32_t load = blob.site(abi::Operation::Load, 4, file, 10, sum);
  const std::uint32_t add = blob.site(abi::Operation::AtomicAdd, 4, file, 11, sum);
  blob.source(file, text);

  TraceBuilder trace(path);
  trace.allocate(kIn, kArray);
  trace.allocate(kOut, kArray);
  trace.allocate(kSum, 4);
  trace.copy(trace::CopyKind::HostToDevice, kIn, 0x1000, kArray);
  trace.set(kSum, 4);
  trace.table(blob);
  for (std::uint32_t step = 0; step < kStencilSteps; ++step) {
    const std::uint64_t in = step % 2 ? kOut : kIn, out = step % 2 ? kIn : kOut;
    Words words;
    for (std::uint64_t cta = 0; cta < kStencilCtas; ++cta)
      for (std::uint32_t warp = 0; warp < kStencilThreads / 32; ++warp) {
        const std::uint64_t first = cta * kStencilThreads + 32 * warp;
        std::uint32_t mask = 0xffffffffu;
        if (first == 0)
          mask &= ~1u;
        if (first + 32 == kStencilCtas * kStencilThreads)
          mask &= ~(1u << 31);
        words.strided(left, cta, warp, in + 4 * (first - 1), 4, mask);
        words.strided(middle, cta, warp, in + 4 * first, 4, mask);
        words.strided(right, cta, warp, in + 4 * (first + 1), 4, mask);
        words.strided(store, cta, warp, out + 4 * first, 4, mask);
      }
    trace.run(stencil, {kStencilCtas, 1, 1}, {kStencilThreads, 1, 1}, words);
  }
  Words words;
  const std::uint64_t result = kStencilSteps % 2 ? kOut : kIn;
  for (std::uint64_t cta = 0; cta < kStencilCtas; ++cta)
    for (std::uint32_t warp = 0; warp < kStencilThreads / 32; ++warp) {
      words.strided(load, cta, warp, result + 4 * (cta * kStencilThreads + 32 * warp), 4);
      words.strided(add, cta, warp, kSum, 0);
    }
  trace.run(sum, {kStencilCtas, 1, 1}, {kStencilThreads, 1, 1}, words);
  trace.copy(trace::CopyKind::DeviceToHost, 0x1000, kSum, 4);
  trace.free(kIn);
  trace.free(kOut);
  trace.writer->finish();
}

} // namespace cupr::test

#endif
