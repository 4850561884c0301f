/// The records of blocks that have begun, made from what the blocks of a launch said (abi/begun_blocks.h).
#ifndef CUPR_RUNTIME_BEGUN_BLOCKS_H
#define CUPR_RUNTIME_BEGUN_BLOCKS_H

#include "hostlib/trace/writer.h"

#include <cstdint>
#include <span>

namespace cupr::host {

/// Hands `writer` a record at `site` for each block that has begun, in the order of their numbers, and one at each of `placeSites` for the
/// place of a shared variable. `tally` is that of the launch, which is as for Writer::records; so is `channel`.
void writeBegunBlocks(trace::Writer &writer, trace::LaunchId launch, std::uint32_t channel,
                      std::uint32_t site, std::span<const std::uint32_t> placeSites,
                      std::span<const unsigned long long> tally);

} // namespace cupr::host

#endif
