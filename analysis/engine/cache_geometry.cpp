#include "cache_geometry.h"

#include "devicelib/abi/record.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
/// Of every block, for the driver.
constexpr std::uint64_t kReserved = kKiB, kForReserve = 16 * kKiB;
constexpr std::uint64_t kRegisters = 65536, kRegistersAtOnce = 256;

constexpr CacheGeometry kGeometries[] = {{"H100 PCIe", 114, 256 * kKiB, 228 * kKiB, 64, 32, 50 * kMiB},
                                         {"H100", 132, 256 * kKiB, 228 * kKiB, 64, 32, 50 * kMiB},
                                         {"H200", 132, 256 * kKiB, 228 * kKiB, 64, 32, 60 * kMiB},
                                         {"H800", 132, 256 * kKiB, 228 * kKiB, 64, 32, 50 * kMiB},
                                         {"B200", 148, 256 * kKiB, 228 * kKiB, 64, 32, 126 * kMiB},
                                         {"A100", 108, 192 * kKiB, 164 * kKiB, 64, 32, 40 * kMiB},
                                         {"A800", 108, 192 * kKiB, 164 * kKiB, 64, 32, 40 * kMiB},
                                         {"L40", 142, 128 * kKiB, 100 * kKiB, 48, 24, 96 * kMiB},
                                         {"RTX 4090", 128, 128 * kKiB, 100 * kKiB, 48, 24, 72 * kMiB},
                                         {"RTX 3090", 82, 128 * kKiB, 100 * kKiB, 48, 16, 6 * kMiB},
                                         {"A10", 72, 128 * kKiB, 100 * kKiB, 48, 16, 6 * kMiB},
                                         {"T4", 40, 96 * kKiB, 64 * kKiB, 32, 16, 4 * kMiB},
                                         {"V100", 80, 128 * kKiB, 96 * kKiB, 64, 32, 6 * kMiB}};

/// What blocks need in all, at most, and what is set aside for them. Beyond these: what they need.
struct CarveOut {
  std::uint64_t needed, given;
};
constexpr CarveOut kCarveOuts[] = {{4 * kKiB, 16 * kKiB},    {16 * kKiB, 32 * kKiB},
                                   {32 * kKiB, 64 * kKiB},   {48 * kKiB, 100 * kKiB},
                                   {132 * kKiB, 132 * kKiB}, {164 * kKiB, 164 * kKiB}};

std::uint64_t sharedOfBlock(const trace::Launch &launch) {
  return std::uint64_t{launch.staticShared} + launch.dynamicShared + kReserved;
}

} // namespace

unsigned CacheGeometry::residentBlocks(const trace::Launch &launch) const {
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::uint64_t warpsOfBlock = std::max<std::uint64_t>((threads + abi::kLanes - 1) / abi::kLanes, 1);
  std::uint64_t most = std::min<std::uint64_t>(blocks, warps / warpsOfBlock);
  if (launch.registers != 0) {
    const std::uint64_t ofWarp = (launch.registers * std::uint64_t{abi::kLanes} + kRegistersAtOnce - 1) /
                                 kRegistersAtOnce * kRegistersAtOnce;
    most = std::min(most, kRegisters / (ofWarp * warpsOfBlock));
  }
  most = std::min(most, sharedBytes / sharedOfBlock(launch));
  return static_cast<unsigned>(std::max<std::uint64_t>(most, 1));
}

std::uint64_t CacheGeometry::l1Bytes(const trace::Launch &launch) const {
  const std::uint64_t all = residentBlocks(launch) * sharedOfBlock(launch);
  // Where nothing but the reserve is needed, it makes no difference how many blocks there are.
  const std::uint64_t needed = sharedOfBlock(launch) == kReserved ? std::min(all, kForReserve) : all;
  const auto *const of =
      std::ranges::find_if(kCarveOuts, [&](const CarveOut &each) { return needed <= each.needed; });
  const std::uint64_t given = of == std::end(kCarveOuts) ? needed : of->given;
  return chipBytes - std::min(given, sharedBytes);
}

const CacheGeometry *geometryOf(std::string_view device) {
  const auto *known = std::ranges::find_if(
      kGeometries, [&](const CacheGeometry &of) { return device.find(of.name) != device.npos; });
  return known == std::end(kGeometries) ? nullptr : known;
}

std::string unknownGeometry(std::string_view device) {
  std::vector<std::string_view> names;
  for (const CacheGeometry &of : kGeometries)
    names.push_back(of.name);
  return fmt::format("nothing is known of the caches of '{}'; known: {}", device, fmt::join(names, ", "));
}

const CacheGeometry &defaultGeometry() { return *geometryOf("H100"); }

} // namespace cupr::analysis
