/// A trace with accesses of every kind of memory, and with ranges, whose counts are known by arithmetic.
#ifndef CUPR_TEST_SPACES_TRACE_H
#define CUPR_TEST_SPACES_TRACE_H

#include "trace_builder.h"

namespace cupr::test {

/// Two launches of 2 CTAs of one warp. The first: each CTA copies 32 x 4 bytes of constants to shared memory,
/// keeps them in local memory too, and one range of 96 + 32 bytes goes to global memory. The second loads the
/// 128 bytes of the other CTA.
inline void writeSpacesTrace(const std::string &path) {
  SiteTableBlob blob;
  const std::uint32_t constants = blob.site(abi::Operation::Load, 4, "s.cu", 3);
  blob.space(abi::SpaceVerdict::Constant);
  const std::uint32_t tile = blob.site(abi::Operation::Store, 4, "s.cu", 3);
  blob.space(abi::SpaceVerdict::Shared);
  const std::uint32_t own = blob.site(abi::Operation::Store, 4, "s.cu", 4);
  blob.space(abi::SpaceVerdict::Local, abi::kSiteDecided);
  const std::uint32_t out = blob.site(abi::Operation::Store, 0, "s.cu", 5);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  const std::uint32_t in = blob.site(abi::Operation::Load, 4, "s.cu", 9);
  TraceBuilder trace(path);
  trace.table(blob);
  trace.allocate(0x10000, 0x1000);
  trace.allocate(0x20000, 0x80, trace::MemoryKind::Symbol);
  Words words;
  for (std::uint64_t cta = 0; cta < 2; ++cta) {
    words.strided(constants, cta, 0, 0x20000, 4);
    words.strided(tile, cta, 0, 0x400, 4);
    words.strided(own, cta, 0, 0x10, 0);
    words.ranges(out, cta, 0x10000 + 128 * cta, {96, 32});
  }
  trace.run("spread(int*)", {2, 1, 1}, {32, 1, 1}, words);
  words.clear();
  for (std::uint64_t cta = 0; cta < 2; ++cta)
    words.strided(in, cta, 0, 0x10000 + 128 * (1 - cta), 4);
  trace.run("collect(int*)", {2, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
}

} // namespace cupr::test

#endif
