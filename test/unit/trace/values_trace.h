/// A trace of accesses whose values were recorded, and of the same accesses without.
#ifndef CUPR_TEST_VALUES_TRACE_H
#define CUPR_TEST_VALUES_TRACE_H

#include "trace_builder.h"

#include <bit>

namespace cupr::test {

/// A warp halves floats, moves structures of 24 bytes, counts lanes in two sums, and 5 lanes swap a number. Then again, with nothing
/// said of values.
inline void writeValuesTrace(const std::string &path) {
  SiteTableBlob blob;
  const auto site = [&](abi::Operation operation, std::uint32_t bytes, std::uint32_t line, const char *type) {
    const std::uint32_t index = blob.site(operation, bytes, "v.cu", line);
    blob.space(abi::SpaceVerdict::Global, abi::kSiteValues);
    blob.type(type);
    return index;
  };
  const std::uint32_t in = site(abi::Operation::Load, 4, 3, "float"),
                      out = site(abi::Operation::Store, 4, 3, "float"),
                      from = site(abi::Operation::Load, 24, 4, "i192"),
                      to = site(abi::Operation::Store, 24, 4, "i192"),
                      sum = site(abi::Operation::AtomicAdd, 4, 5, "i32"),
                      swap = site(abi::Operation::AtomicCAS, 8, 6, "i64");
  TraceBuilder trace(path);
  trace.table(blob);
  trace.allocate(0x10000, 0x1000);
  constexpr std::uint32_t kAll = 0xffffffffu, kFew = 0x8421u | 1u << 20;
  for (const bool isWith : {true, false}) {
    if (isWith)
      trace.withValues();
    Words words;
    const auto values = [&](std::uint32_t bytes, std::uint32_t mask, auto value) {
      if (isWith)
        words.values(bytes, mask, value);
    };
    const auto real = [](float number) { return std::uint64_t{std::bit_cast<std::uint32_t>(number)}; };
    words.strided(in, 0, 0, 0x10000, 4);
    values(4, kAll, [&](unsigned lane) { return real(1.1f * static_cast<float>(lane)); });
    words.strided(out, 0, 0, 0x10100, 4);
    values(4, kAll, [&](unsigned lane) { return real(.5f * (1.1f * static_cast<float>(lane))); });
    words.strided(from, 0, 0, 0x10200, 24);
    for (unsigned piece = 0; piece < 3; ++piece)
      values(8, kAll, [&](unsigned lane) { return lane * 0x0102030405060708u + piece; });
    words.strided(to, 0, 0, 0x10800, 24);
    for (unsigned piece = 0; piece < 3; ++piece)
      values(8, kAll, [&](unsigned lane) { return lane * 0x0102030405060708u + piece; });
    words.strided(in, 0, 0, 0x10100, 4); // what was written above, read again
    values(4, kAll, [&](unsigned lane) { return real(.5f * (1.1f * static_cast<float>(lane))); });
    words.strided(sum, 0, 0, 0x10f00, 0);
    values(4, kAll, [](unsigned lane) { return std::uint64_t{lane} * (lane - 1) / 2; });
    values(4, kAll, [](unsigned lane) { return std::uint64_t{lane}; });
    words.strided(swap, 0, 0, 0x10f80, 0, kFew);
    values(8, kFew, [](unsigned lane) { return lane == 0 ? 7u : 1u; });
    values(8, kFew, [](unsigned) { return 7u; });
    values(8, kFew, [](unsigned lane) { return lane + 1u; });
    trace.run(isWith ? "told(float*)" : "silent(float*)", {1, 1, 1}, {32, 1, 1}, words);
    if (isWith)
      trace.withoutValues();
  }
  trace.writer->finish();
}

} // namespace cupr::test

#endif
