/// Records of all forms, some regular, some not; the same for the same seed.
#ifndef CUPR_TEST_RANDOM_RECORDS_H
#define CUPR_TEST_RANDOM_RECORDS_H

#include "devicelib/abi/record.h"
#include "hostlib/trace/chunk.h"

#include <random>
#include <vector>

namespace cupr::test {

inline abi::WarpAccess randomAccess(std::mt19937_64 &random) {
  abi::WarpAccess access{};
  access.site = static_cast<std::uint32_t>(random() % 5);
  if (random() % 50 == 0)
    access.site = static_cast<std::uint32_t>(random() % 100000);
  do
    access.laneMask = random() % 3 ? 0xffffffffu : static_cast<std::uint32_t>(random());
  while (access.laneMask == 0);
  access.cta = random() % 64;
  if (random() % 50 == 0)
    access.cta = abi::ctaOf(random());
  access.warp = static_cast<std::uint32_t>(random() % 32);
  access.sm = static_cast<std::uint32_t>(random() % 2048);
  const std::uint64_t base =
      random() % 20 ? 0x7f0000000000u + access.cta * 1024 + access.warp * 128 : random();
  const std::uint64_t shape = random() % 4;
  for (unsigned lane = 0; lane < abi::kLanes; ++lane)
    access.address[lane] = shape == 0   ? base + 4 * lane
                           : shape == 1 ? base + random() % 100000
                           : shape == 2 ? base + 4096 * (lane / 16) + 4 * (lane % 16)
                                        : random();
  return access;
}

inline std::vector<trace::Word> randomRecords(unsigned seed, std::uint32_t count, std::uint32_t &records) {
  std::mt19937_64 random(seed);
  std::vector<trace::Word> words;
  for (records = 0; records < count; ++records) {
    trace::Word out[abi::kMaxRecordWords];
    abi::WarpAccess access = randomAccess(random);
    const bool range = random() % 8 == 0;
    for (std::uint64_t &bytes : access.bytes)
      bytes = range ? 1 + random() % 3 * (random() % 0x10000) : 0;
    const std::uint32_t size =
        range ? abi::encodeRange(access, 0, out) : abi::encodeRecord(access, 0, out, random() % 2 ? 16 : 0);
    words.insert(words.end(), out, out + size);
  }
  return words;
}

} // namespace cupr::test

#endif
