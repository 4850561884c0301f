#include "begun_blocks.h"

#include "devicelib/abi/begun_blocks.h"

#include <cstring>

namespace cupr::host {

void writeBegunBlocks(trace::Writer &writer, trace::LaunchId launch, std::uint32_t channel,
                      std::uint32_t site, std::span<const unsigned long long> tally) {
  // Few at a time, on the stack: as much memory as all take at once has to be had from the system, and is in no cache.
  constexpr std::size_t kBatch = 512;
  abi::RecordHead records[kBatch];
  std::size_t count = 0;
  for (std::size_t at = 0; at < tally.size(); ++at) {
    abi::BlockWord words[abi::kBlockWordsPerTally];
    std::memcpy(words, &tally[at], sizeof words);
    for (unsigned i = 0; i < abi::kBlockWordsPerTally; ++i)
      if (abi::hasBegun(words[i]))
        records[count++] = {
            abi::packSite(site, abi::RecordForm::Affine),  1u, at * abi::kBlockWordsPerTally + i, 0, 0,
            abi::packWhere(0, abi::smOfBlock(words[i]), 0)};
    if (count != 0 && (at + 1 == tally.size() || count + abi::kBlockWordsPerTally > kBatch)) {
      writer.records(launch, channel, records, count * abi::kHeadWords);
      count = 0;
    }
  }
}

} // namespace cupr::host
