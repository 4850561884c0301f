/// histogram64: how often does each of 64 ranges of values occur in a sequence of bytes?
///
///     histogram64 [KiB]      default: 65536
///
/// Prints the rarest and the most frequent bin and a hash of all counts; exit 1
/// when the device's counts are not the host's.
#include "histogram.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

/// Bytes in which high values are rarer than low ones; the same in every run.
std::vector<std::uint8_t> makeData(size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  std::uint32_t state = 2463534242u;
  for (std::uint8_t &value : data) {
    state ^= state << 13; // xorshift32
    state ^= state >> 17;
    state ^= state << 5;
    value = static_cast<std::uint8_t>((state & 0xff) * (state >> 24) >> 8);
  }
  return data;
}

std::vector<std::uint32_t> countOnHost(const std::vector<std::uint8_t> &data) {
  std::vector<std::uint32_t> counts(kBins);
  for (std::uint8_t value : data)
    ++counts[binOf(value)];
  return counts;
}

/// FNV-1a over the counts.
std::uint64_t hashOf(const std::vector<std::uint32_t> &counts) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::uint32_t count : counts)
    hash = (hash ^ count) * 0x100000001b3u;
  return hash;
}

} // namespace

int main(int argc, char **argv) {
  const int kibibytes = argc > 1 ? std::atoi(argv[1]) : 65536;
  if (kibibytes < 1 || kibibytes > 1 << 20) {
    std::fprintf(stderr, "usage: histogram64 [KiB, 1 to 1048576]\n");
    return 2;
  }
  const std::vector<std::uint8_t> data = makeData(static_cast<size_t>(kibibytes) * 1024);
  const std::vector<std::uint32_t> device = countOnDevice(data);
  if (device.empty())
    return 1;
  const bool equal = device == countOnHost(data);
  const auto [rarest, most] = std::minmax_element(device.begin(), device.end());
  std::printf("histogram64: %d KiB, bins hold %u to %u bytes, hash %016llx, %s\n", kibibytes, *rarest, *most,
              static_cast<unsigned long long>(hashOf(device)),
              equal ? "as on the host" : "WRONG: differs from the host");
  return equal ? 0 : 1;
}
