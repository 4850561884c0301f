#include "small_request_rules.h"

#include "analysis/output/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

/// Accesses of less of the program's sectors, or requests, are not worth a word.
constexpr double kOfSectors = 0.05, kOfRequests = 0.1;
/// What a request of single words of 4 bytes has, in bytes.
constexpr std::uint64_t kWordsOfWarp = 4 * abi::kLanes;

/// Of threads that share an address, one counts.
std::uint64_t distinctBytes(const AccessPart &part) {
  return (part.all.threads - part.all.sharedAddresses) * part.site->bytes;
}

/// Whether the next warp, or block, goes on in the same sector.
bool hasNeighbours(const AccessPart &part) {
  const auto isNear = [](std::int64_t distance) {
    return distance != 0 && distance < std::int64_t{kSectorBytes};
  };
  return isNear(lengthOf(part.patterns->warp)) || isNear(lengthOf(part.patterns->block));
}

std::optional<AccessCause> partialSectors(const SourceAccess &access, const AccessTotals &totals,
                                          const DeviceFigures &device) {
  std::uint64_t bytes = 0, sectors = 0;
  for (const AccessPart &part : access.parts)
    if (hasNeighbours(part)) {
      bytes += distinctBytes(part);
      sectors += part.all.made.sectors;
    }
  const std::uint64_t least = (bytes + kSectorBytes - 1) / kSectorBytes;
  if (2 * least >= sectors || partOf(sectors - least, totals.sectors) < kOfSectors)
    return std::nullopt;
  return AccessCause{
      FindingRule::PartialSectors,
      fmt::format(
          "Each request has {:.0f} bytes of a sector, and neighbouring warps have the rest: {} sectors, "
          "where {} would hold the data",
          static_cast<double>(bytes) / static_cast<double>(sectors), grouped(sectors), grouped(least)),
      "Let a warp do 32 neighbours' work, each thread keep one of the results, and all store together; or "
      "collect the "
      "results of a block's warps in shared memory, and let one warp store them behind a barrier.",
      sectors - least,
      partOf(sectors - least, totals.sectors),
      static_cast<double>((sectors - least) * kSectorBytes) / device.cacheBytesPerSecond};
}

std::optional<AccessCause> narrowElements(const SourceAccess &access, const AccessTotals &totals,
                                          const DeviceFigures &device) {
  std::uint64_t bytes = 0, requests = 0;
  for (const AccessPart &part : access.parts)
    if (part.site->bytes == 1 && lengthOf(part.patterns->across) == 1 &&
        part.all.threads >= kLanesOfFull * part.all.warpAccesses) {
      bytes += distinctBytes(part);
      requests += part.all.made.requests;
    }
  const std::uint64_t least = (bytes + kWordsOfWarp - 1) / kWordsOfWarp;
  if (2 * least >= requests || partOf(requests - least, totals.requests) < kOfRequests)
    return std::nullopt;
  return AccessCause{
      FindingRule::NarrowElements,
      fmt::format(
          "Each thread accesses a single byte, beside its neighbours': {} requests, where {} of words "
          "of 4 bytes would hold the data",
          grouped(requests), grouped(least)),
      "Let each thread take four neighbouring elements at once (uchar4, char4, or a word of 32 bits), or "
      "sixteen (uint4), and the "
      "grid a fourth, or a sixteenth, of the threads.",
      requests - least,
      partOf(requests - least, totals.requests),
      static_cast<double>((requests - least) * kWordsOfWarp) / device.cacheBytesPerSecond};
}

} // namespace

std::optional<AccessCause> smallRequestCause(const SourceAccess &access, const AccessTotals &totals,
                                             const DeviceFigures &device) {
  if (access.operation == abi::OperationClass::Atomic)
    return std::nullopt;
  // What a load leaves of a sector is in the cache when the next warp wants it.
  if (access.operation == abi::OperationClass::Store)
    if (std::optional<AccessCause> partial = partialSectors(access, totals, device))
      return partial;
  return narrowElements(access, totals, device);
}

} // namespace cupr::analysis
