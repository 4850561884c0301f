/// A trace with records of every form, regular and irregular, of many warps in turn: what an encoding has to
/// keep.
#ifndef CUPR_TEST_FORMS_TRACE_H
#define CUPR_TEST_FORMS_TRACE_H

#include "trace_builder.h"

#include <random>

namespace cupr::test {

/// Two launches of 40 x 3 blocks of 16 x 16 threads, 800 records each, in 3 channels. The same in every run.
inline void writeFormsTrace(const std::string &path) {
  SiteTableBlob blob;
  for (std::uint32_t line = 1; line <= 5; ++line)
    blob.site(line == 5   ? abi::Operation::AtomicAdd
              : line == 4 ? abi::Operation::Store
                          : abi::Operation::Load,
              line == 3 ? 8 : 4, "f.cu", line);
  const std::uint32_t range = blob.site(abi::Operation::Store, 0, "f.cu", 6);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  TraceBuilder trace(path);
  trace.table(blob);
  trace.allocate(0x7f0000000000, 0x4000000);
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int turn = 0; turn < 2; ++turn) {
    const auto id = trace.launch("forms(float*)", {40, 3, 1}, {16, 16, 1});
    for (int batch = 0; batch < 50; ++batch) {
      Words words;
      for (int i = 0; i < 16; ++i) {
        abi::WarpAccess access{};
        access.cta = below(8) ? static_cast<unsigned>(batch) + below(4) : below(120);
        access.warp = static_cast<std::uint32_t>(below(8));
        access.sm = static_cast<std::uint32_t>(access.cta % 11);
        access.site = static_cast<std::uint32_t>(below(6));
        access.laneMask = below(5) ? 0xffffffffu : static_cast<std::uint32_t>(random()) | 1u << below(32);
        const std::uint64_t base = 0x7f0000000000 + access.cta * 0x1000 + access.warp * 0x100;
        const unsigned pattern = static_cast<unsigned>(below(8));
        for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
          access.address[lane] = pattern < 3    ? base + 4 * lane
                                 : pattern == 3 ? base + 0x400 * (lane / 16) + 4 * (lane % 16)
                                 : pattern == 4 ? base + lane * lane * 4 // the same offsets each time
                                 : pattern == 5 ? 0x7f0000000000 + below(0x400000) * 4
                                 : pattern == 6 ? 0x7f0000000000 + below(256) * 4
                                                : random(); // anywhere
          access.bytes[lane] = 1 + below(300);
        }
        if (access.site != range) {
          trace::Word out[abi::kMaxRecordWords];
          const std::uint32_t size = abi::encodeRecord(access, 0, out, 16);
          words.append({out, out + size});
          continue;
        }
        std::vector<std::uint64_t> bytes;
        for (unsigned lane = 0; lane < 1 + below(4); ++lane)
          bytes.push_back(access.bytes[lane]);
        words.ranges(range, access.cta, base, bytes);
      }
      trace.records(id, words, static_cast<std::uint32_t>(batch % 3));
    }
    trace.end(id);
  }
  trace.writer->finish();
}

} // namespace cupr::test

#endif
