/// A small trace with every kind of message, whose counts are known by arithmetic.
#ifndef CUPR_TEST_SMALL_TRACE_H
#define CUPR_TEST_SMALL_TRACE_H

#include "trace_builder.h"

namespace cupr::test {

inline SiteTableBlob smallTable() {
  SiteTableBlob blob;
  const std::uint32_t frame = blob.frame("a.cu", 20, "kernel(int*)");
  blob.site(abi::Operation::Load, 4, "a.cu", 10);
  blob.site(abi::Operation::Store, 8, "b.cuh", 11, "helper(long*)", frame);
  blob.sourceType("Color", "long");
  blob.site(abi::Operation::AtomicAdd, 4, "a.cu", 12);
  blob.source("a.cu", "__global__ void kernel(int *p) {\n  p[0] = 1;\n}\n");
  return blob;
}

/// Two launches of 2 CTAs with 2 warps: 8 + 8 records, 3 forms; one launch untraced.
inline void writeSmallTrace(const std::string &path) {
  TraceBuilder trace(path);
  trace.allocate(0x10000, 0x1000);
  trace.table(smallTable());
  trace.copy(trace::CopyKind::HostToDevice, 0x10000, 0x500, 256);
  trace.set(0x10100, 64);
  for (int turn = 0; turn < 2; ++turn) {
    const auto id = trace.launch("kernel(cupr::argument::Trace, int*)", {2, 1, 1}, {64, 1, 1});
    Words words;
    for (std::uint64_t cta = 0; cta < 2; ++cta)
      for (std::uint32_t warp = 0; warp < 2; ++warp) {
        words.strided(0, cta, warp, 0x10000 + 256 * cta + 128 * warp, 4);
        words.strided(1, cta, warp, 0x10000 + 512 * cta + 256 * warp, 8, 0x0000ffffu);
      }
    words.pad(3);
    trace.records(id, words);
    trace.end(id);
  }
  trace::Launch untraced;
  untraced.id = trace::LaunchId{3};
  untraced.order = 100;
  untraced.kernel = "library()";
  untraced.reason = "its code was not instrumented";
  trace.writer->launch(untraced);
  trace::Synchronisation synchronisation;
  synchronisation.kind = trace::Synchronisation::Kind::Device;
  synchronisation.order = 101;
  trace.writer->synchronisation(synchronisation);
  trace.free(0x10000);
  trace.writer->finish();
}

} // namespace cupr::test

#endif
