#include "begun_blocks.h"

#include "devicelib/abi/begun_blocks.h"

#include <cstring>
#include <vector>

namespace cupr::host {

void writeBegunBlocks(trace::Writer &writer, trace::LaunchId launch, std::uint32_t channel,
                      std::uint32_t site, std::span<const unsigned long long> tally) {
  constexpr std::size_t kBatch = 4096; // records: 128 KiB
  std::vector<abi::RecordHead> records;
  const auto hand = [&] {
    if (!records.empty())
      writer.records(launch, channel, records.data(), records.size() * abi::kHeadWords);
    records.clear();
  };
  for (std::size_t at = 0; at < tally.size(); ++at) {
    abi::BlockWord words[abi::kBlockWordsPerTally];
    std::memcpy(words, &tally[at], sizeof words);
    for (unsigned i = 0; i < abi::kBlockWordsPerTally; ++i)
      if (abi::hasBegun(words[i]))
        records.push_back({abi::packSite(site, abi::RecordForm::Affine), 1u,
                           at * abi::kBlockWordsPerTally + i, 0, 0,
                           abi::packWhere(0, abi::smOfBlock(words[i]), 0)});
    if (records.size() >= kBatch)
      hand();
  }
  hand();
}

} // namespace cupr::host
