/// What the values of a trace take in its file, beside what zstd makes of them as they are.
///
///     value_size TRACE [FOLDER]
///
/// The values, lane by lane, part by part, as many bytes each as they have, go to a file in FOLDER for each launch, for `zstd -19`; a
/// line tells how many bytes that are, how many thread accesses, and what the chunks hold for them.
#include "analysis/model/model.h"
#include "analysis/model/records.h"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>

namespace {

using namespace cupr;

int measure(const char *trace, const char *folder) {
  const analysis::Model model(trace);
  std::uint64_t accesses = 0, bytes = 0, packed = 0;
  for (const analysis::LaunchInfo &launch : model.launches()) {
    std::ofstream out(folder ? fmt::format("{}/{:06}", folder, static_cast<std::uint64_t>(launch.launch.id))
                             : "/dev/null",
                      std::ios::binary);
    analysis::RecordStream records(model, launch);
    records.readValues();
    while (const analysis::Record *record = records.next()) {
      const trace::AccessValues &values = record->values;
      accesses += values.shape.parts ? abi::activeLanes(record->access.laneMask) : 0;
      for (unsigned part = 0; part < values.shape.parts; ++part)
        for (std::uint32_t left = record->access.laneMask; left; left &= left - 1)
          for (std::uint32_t at = 0; at < values.shape.bytes; at += abi::kPieceBytesMax) {
            const std::uint64_t piece =
                values.piece(part, at / abi::kPieceBytesMax, static_cast<unsigned>(__builtin_ctz(left)));
            const std::uint32_t size = abi::bytesOfPiece(values.shape.bytes, at / abi::kPieceBytesMax);
            out.write(reinterpret_cast<const char *>(&piece), size);
            bytes += size;
          }
    }
    trace::Message message;
    for (const std::uint64_t offset : launch.derivedRecords ? std::vector<std::uint64_t>() : launch.chunks)
      if (model.reader().at(offset, message).empty())
        packed += std::get<trace::Chunk>(message).values.packed.size();
  }
  fmt::print("{} accesses with values of {} bytes, which take {} bytes in the trace\n", accesses, bytes,
             packed);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: value_size TRACE [FOLDER]\n");
    return 2;
  }
  try {
    return measure(argv[1], argc == 3 ? argv[2] : nullptr);
  } catch (const analysis::BadTrace &problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
