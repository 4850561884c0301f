#include "begun_blocks.h"

#include "devicelib/abi/begun_blocks.h"

#include <cstring>

namespace cupr::host {

namespace {

/// The first of the blocks; there is one where a place is said.
std::uint64_t firstBegun(std::span<const unsigned long long> blocks, abi::BlockWord &word) {
  for (std::uint64_t block = 0; block < blocks.size() * abi::kBlockWordsPerTally; ++block) {
    std::memcpy(&word, reinterpret_cast<const char *>(blocks.data()) + block * sizeof word, sizeof word);
    if (abi::hasBegun(word))
      return block;
  }
  return 0;
}

} // namespace

void writeBegunBlocks(trace::Writer &writer, trace::LaunchId launch, std::uint32_t channel,
                      std::uint32_t site, std::span<const std::uint32_t> placeSites,
                      std::span<const unsigned long long> tally) {
  const std::span all = tally;
  tally = all.first(all.size() - placeSites.size());
  for (std::uint32_t place = 0; place < placeSites.size(); ++place)
    if (const std::uint64_t said = all[abi::tallyOfPlace(all.size(), place)]) {
      abi::BlockWord word = 1;
      const std::uint64_t first = firstBegun(tally, word);
      const abi::RecordHead record{abi::packSite(placeSites[place], abi::RecordForm::Affine),
                                   1u,
                                   first,
                                   said - 1,
                                   0,
                                   abi::packWhere(0, abi::smOfBlock(word), 0)};
      writer.records(launch, channel + 1, &record, abi::kHeadWords);
    }
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
