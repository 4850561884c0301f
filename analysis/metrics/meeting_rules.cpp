/// The rules are tried from the inside out: what threads of a warp share, then what a block has for itself, then what all blocks share.
#include "meeting_rules.h"

#include "analysis/output/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

/// Accesses of fewer of the program's requests are not worth a word.
constexpr double kOfRequests = 0.01;
/// So much of the time that memory takes for all other sectors the L1 cache takes, at least, for what all threads load.
constexpr double kOfMemoryTime = 0.5;
/// So often a block comes back to an address of its own, at least.
constexpr std::uint64_t kComesBack = 8;
/// So many warps load each address, at least, that all of them load.
constexpr std::uint64_t kWarpsOfEach = 32;
/// What constant memory holds, in bytes.
constexpr std::uint64_t kConstantBytes = 65536;
/// What the L1 cache gives in a turn, in bytes, however few a request wants.
constexpr std::uint64_t kTurnBytes = 128;

std::string placesText(const FewAddresses &places) {
  if (places.isMany())
    return fmt::format("more than {} addresses", grouped(FewAddresses::kMost));
  return fmt::format("{} {}", grouped(places.size()), places.size() == 1 ? "address" : "addresses");
}

/// Threads of a warp that have one address.
std::optional<AccessCause> ofWarp(const SourceAccess &access, const AccessTotals &totals,
                                  const DeviceFigures &device) {
  const std::uint64_t shared = access.all.sharedAddresses;
  if (partOf(shared, access.all.threads) < 0.5)
    return std::nullopt;
  const bool isOne = 2 * access.all.oneAddress > access.all.made.requests;
  return AccessCause{
      FindingRule::AtomicsOnOneAddress,
      fmt::format(
          "{:.0f} % of the atomics could be spared: another thread of their warp has the same address",
          100 * partOf(shared, access.all.threads)),
      isOne ? "Add up within the warp first (cub::WarpReduce, __reduce_add_sync), then within the block, "
              "and let one thread of the block do the atomic."
            : "Give each block its own bins in shared memory, and add them to the others once, at the "
              "end. Threads of a warp that share a bin can be found by __match_any_sync.",
      shared,
      partOf(shared, totals.threads),
      static_cast<double>(shared) / device.atomicsPerSecond};
}

/// Warps of a block that meet, as those of all others do.
std::optional<AccessCause> ofBlocks(const SourceAccess &access, const AccessTotals &totals,
                                    const DeviceFigures &device) {
  const MeetingVolume &met = access.met;
  const std::uint64_t spared = met.threads - met.ofBlocks;
  if (2 * spared < access.all.threads || partOf(met.turns, totals.requests) < kOfRequests)
    return std::nullopt;
  const bool isOne = met.turns == met.threads && met.busiest == met.turns;
  return AccessCause{
      FindingRule::ContendedAtomics,
      fmt::format("{} atomics of threads meet at {}: one for each block and address would be {}",
                  grouped(met.threads), placesText(access.at.all), grouped(met.ofBlocks)),
      isOne ? "Add up within the block first (cub::BlockReduce, or one place in shared memory that its warps "
              "add to), and let "
              "one thread do the block's atomic. Where the result is a place to store at, let the block take "
              "all of its places "
              "at once."
            : "Give each block its own copy in shared memory, let its threads do their atomics there, and "
              "add it to the others "
              "once, behind a barrier.",
      spared,
      partOf(spared, totals.threads),
      static_cast<double>(met.busiest) / device.atomicsPerSecond};
}

/// Blocks that have addresses of their own, side by side.
std::optional<AccessCause> ofNeighbours(const SourceAccess &access, const AccessTotals &totals,
                                        const DeviceFigures &device) {
  const MeetingVolume &met = access.met;
  if (met.besidePlaces == 0 || 2 * met.besideThreads < access.all.threads ||
      met.besideThreads < kComesBack * met.besidePlaces || partOf(met.turns, totals.requests) < kOfRequests)
    return std::nullopt;
  const std::uint64_t spared = met.besideThreads - met.besidePlaces;
  return AccessCause{
      FindingRule::FalseSharing,
      fmt::format(
          "{} accesses of threads come to {}, each of one block alone, in sectors that several blocks share",
          grouped(met.besideThreads), placesText(access.at.beside)),
      "Keep it in shared memory or in a register while the block works, and store it once, at the end. Where "
      "other blocks must see it "
      "meanwhile, give each block a sector of its own: elements 32 bytes apart.",
      spared,
      partOf(spared, totals.threads),
      static_cast<double>(met.busiest) / device.atomicsPerSecond};
}

/// All threads load one address, then the next.
std::optional<AccessCause> ofAll(const SourceAccess &access, const AccessTotals &totals,
                                 const DeviceFigures &device) {
  const MeetingVolume &met = access.met;
  const auto isVolatile = [](const AccessPart &part) { return (part.site->flags & abi::kSiteVolatile) != 0; };
  const std::uint64_t bytes = access.at.all.size() * access.parts.front().site->bytes,
                      spared = met.turns - met.places;
  const double seconds = static_cast<double>(spared * kTurnBytes) / device.cacheBytesPerSecond;
  const std::uint64_t others = totals.sectors - std::min(totals.sectors, access.all.made.sectors);
  if (10 * access.all.oneAddress < 9 * access.all.made.requests || met.threads != access.all.threads ||
      met.threads < kLanesOfFull * access.all.warpAccesses || met.turns < kWarpsOfEach * met.places ||
      access.at.all.isMany() || bytes > kConstantBytes ||
      seconds < kOfMemoryTime * static_cast<double>(others * kSectorBytes) / device.memoryBytesPerSecond ||
      std::ranges::any_of(access.parts, isVolatile))
    return std::nullopt;
  return AccessCause{FindingRule::Broadcast,
                     fmt::format("All threads of a warp load one address at a time: {} requests for {}",
                                 grouped(met.turns), placesText(access.at.all)),
                     "Keep it in constant memory (__constant__, or a structure that is a parameter of the "
                     "kernel), and unroll the loop (#pragma unroll), "
                     "so that instructions take it without a request. Or let each block copy it to shared "
                     "memory, and load four elements at once "
                     "(float4), or each thread do several elements for each that it loads.",
                     spared,
                     partOf(spared, totals.sectors),
                     seconds};
}

} // namespace

std::optional<AccessCause> meetingCause(const SourceAccess &access, const AccessTotals &totals,
                                        const DeviceFigures &device) {
  std::optional<AccessCause> cause;
  if (access.operation == abi::OperationClass::Load)
    return ofAll(access, totals, device);
  const bool isAtomic = access.operation == abi::OperationClass::Atomic;
  if (isAtomic)
    cause = ofWarp(access, totals, device);
  if (!cause)
    cause = ofNeighbours(access, totals, device);
  return cause || !isAtomic ? cause : ofBlocks(access, totals, device);
}

} // namespace cupr::analysis
