/// What the quick test of retargeted code (retarget/access_checks.cpp) did not let
/// pass: the whole test, and the report.
#include "arena.h"
#include "block.h"
#include "poisoned_bytes.h"

#include "devicelib/abi/operation.h"

#include <cinttypes>
#include <cstdio>

namespace cupr::cpu {

namespace {

/// Empty: the access is good.
std::string faultOf(std::uint64_t address, std::uint64_t bytes) {
  const LaneState &state = __cupr_cpu_lane;
  const std::uint64_t frame = reinterpret_cast<std::uint64_t>(state.shared);
  if (!PoisonedBytes::instance().watches())
    return {};
  if (address < kNullBytes)
    return "a null pointer";
  const std::uint64_t frames = reinterpret_cast<std::uint64_t>(state.clusterFrames);
  if (frames && address - frames < (state.clusterBlocks + 1) * kSharedWindow) {
    const std::uint64_t offset = (address - frames) % kSharedWindow,
                        rank = (address - frames) / kSharedWindow;
    if (rank < state.clusterBlocks && offset + bytes <= state.sharedBytes)
      return {};
    return "offset " + std::to_string(static_cast<std::int64_t>(offset - kSharedReserved)) + " in the " +
           std::to_string(state.sharedBytes - kSharedReserved) + " bytes of shared memory of block " +
           std::to_string(rank) + " of the cluster's " + std::to_string(state.clusterBlocks);
  }
  if (address - frame < kSharedWindow || frame - address < kSharedWindow) {
    if (address >= frame && address - frame + bytes <= state.sharedBytes)
      return {};
    return "offset " + std::to_string(static_cast<std::int64_t>(address - frame - kSharedReserved)) +
           " in the block's " + std::to_string(state.sharedBytes - kSharedReserved) +
           " bytes of shared memory";
  }
  return Arena::instance().isGood(address, bytes) ? std::string() : Arena::instance().explain(address);
}

} // namespace

namespace calls {

void Check(U32 operation, Ptr pointer, U64 bytes, U32 alignment, Place place) {
  if (!bytes)
    return;
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(pointer);
  std::string fault = faultOf(address, bytes);
  const bool misaligned = fault.empty() && address % alignment;
  if (misaligned)
    fault = "not a multiple of " + std::to_string(alignment);
  if (fault.empty())
    return;
  char text[160];
  std::snprintf(text, sizeof text, "%s access to address 0x%" PRIx64 " (%s of %" PRIu64 " bytes",
                misaligned ? "misaligned" : "illegal", address,
                abi::operationName(static_cast<abi::Operation>(operation)), bytes);
  Block::running()->fail(misaligned ? Failure::MisalignedAddress : Failure::IllegalAddress,
                         std::string(text) + (place ? std::string(", ") + place : "") + "): " + fault);
}

} // namespace calls

} // namespace cupr::cpu
