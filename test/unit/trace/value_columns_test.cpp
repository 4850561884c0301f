#include "hostlib/trace/packed_values.h"

#include "hostlib/trace/known_memory.h"
#include "hostlib/trace/record_values.h"
#include "same_words.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using namespace cupr;
using namespace cupr::trace;

namespace {

/// Sites of all classes and sizes, with and without values.
std::vector<Site> someSites() {
  std::vector<Site> sites;
  const auto add = [&](abi::Operation operation, std::uint32_t bytes, abi::SpaceVerdict space, bool hasValues,
                       bool hasClock = false, bool hasDuration = false) {
    Site site;
    site.operation = operation;
    site.bytes = bytes;
    site.space = space;
    site.flags =
        static_cast<std::uint16_t>((hasValues ? abi::kSiteValues : 0) | (hasClock ? abi::kSiteClock : 0) |
                                   (hasDuration ? abi::kSiteDuration : 0));
    sites.push_back(site);
  };
  for (const std::uint32_t bytes : {1u, 2u, 3u, 4u, 8u, 10u, 16u, 24u, 64u}) {
    add(abi::Operation::Load, bytes, abi::SpaceVerdict::Global, true);
    add(abi::Operation::Store, bytes, abi::SpaceVerdict::Global, true);
  }
  add(abi::Operation::AtomicAdd, 4, abi::SpaceVerdict::Global, true);
  add(abi::Operation::AtomicCAS, 8, abi::SpaceVerdict::Decided, true);
  add(abi::Operation::Load, 4, abi::SpaceVerdict::Shared, true);
  add(abi::Operation::Store, 4, abi::SpaceVerdict::Shared, true);
  add(abi::Operation::Load, 4, abi::SpaceVerdict::Global, false);
  add(abi::Operation::Load, 4, abi::SpaceVerdict::Global, false, true);
  add(abi::Operation::AtomicCAS, 16, abi::SpaceVerdict::Global, true, true);
  add(abi::Operation::Barrier, 0, abi::SpaceVerdict::Shared, false, true);
  add(abi::Operation::Load, 4, abi::SpaceVerdict::Global, false, true, true);
  add(abi::Operation::AtomicAdd, 8, abi::SpaceVerdict::Shared, true, true, true);
  return sites;
}

struct Recorded {
  std::vector<Word> words, values;
};

/// Records of these sites, and what they read and wrote: mostly what a small memory holds.
Recorded randomValues(unsigned seed, const std::vector<Site> &sites, unsigned count) {
  std::mt19937_64 random(seed);
  std::map<std::uint64_t, unsigned char> memory;
  std::uint64_t now = random() >> 20;
  Recorded recorded;
  for (unsigned i = 0; i < count; ++i) {
    abi::WarpAccess access{};
    access.site = static_cast<std::uint32_t>(random() % sites.size());
    const Site &site = sites[access.site];
    access.laneMask =
        (random() % 2 ? 0xffffffffu : static_cast<std::uint32_t>(random())) | 1u << random() % 32;
    access.cta = random() % 3;
    const std::uint64_t base = random() % 512, stride = random() % 3 ? site.bytes : random() % 40;
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      access.address[lane] = base + stride * lane;
    Word words[abi::kMaxRecordWords];
    recorded.words.insert(recorded.words.end(), words, words + abi::encodeRecord(access, 0, words));
    const auto addPiece = [&](std::uint32_t bytes, const std::uint64_t *lanes) {
      Word value[abi::kMaxValueWords];
      recorded.values.insert(recorded.values.end(), value,
                             value + abi::writeValue(bytes, access.laneMask, lanes, value));
    };
    for (unsigned part = 0; part < valueShapeOf(site).parts; ++part)
      for (std::uint32_t piece = 0; piece < abi::piecesOfPart(site.bytes); ++piece) {
        const std::uint32_t bytes = abi::bytesOfPiece(site.bytes, piece);
        std::uint64_t lanes[abi::kLanes];
        const bool isRegular = random() % 3 == 0;
        const std::uint64_t first = random();
        for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
          lanes[lane] = isRegular ? first + 3 * lane : random();
          for (std::uint32_t at = 0; at < bytes; ++at) {
            unsigned char &byte = memory[access.address[lane] + 8 * piece + at];
            if (part == 0 && abi::operationClass(site.operation) != abi::OperationClass::Store &&
                random() % 50)
              lanes[lane] = (lanes[lane] & ~(std::uint64_t{255} << 8 * at)) | std::uint64_t{byte} << 8 * at;
            else if (access.laneMask >> lane & 1)
              byte = static_cast<unsigned char>(lanes[lane] >> 8 * at);
          }
        }
        addPiece(bytes, lanes);
      }
    if (valueShapeOf(site).hasClock) {
      now += random() % 1000;
      std::uint64_t lanes[abi::kLanes];
      const unsigned apart = random() % 3; // together, in steps, or anyhow
      for (unsigned lane = 0; lane < abi::kLanes; ++lane)
        lanes[lane] = now + (apart == 0 ? 0 : apart == 1 ? 7 * lane : random() % 5000);
      addPiece(8, lanes);
    }
    if (valueShapeOf(site).hasDuration) {
      constexpr std::uint64_t kHit = 33, kMost = UINT32_MAX;
      const std::uint64_t first = random() % 4 == 0 ? kMost - random() % 2
                                  : random() % 2    ? kHit
                                                    : random() % 900;
      std::uint64_t lanes[abi::kLanes];
      const unsigned apart = random() % 4; // mostly together
      for (unsigned lane = 0; lane < abi::kLanes; ++lane)
        lanes[lane] = apart == 0 ? random() % 5000 : apart == 1 ? (first + 3 * lane) & kMost : first;
      addPiece(abi::kDurationBytes, lanes);
    }
  }
  return recorded;
}

ChunkValues packed(const Recorded &recorded, const ValueSites &sites) {
  const PackedValues packed = packValues(recorded.words, recorded.values, sites, kFastLevel);
  ChunkValues values;
  values.words = packed.words;
  values.encodedBytes = packed.encodedBytes;
  values.hash = packed.hash;
  values.packed.assign(reinterpret_cast<const char *>(packed.packed.data()), packed.packed.size());
  return values;
}

} // namespace

TEST_CASE("values come out of a chunk as they went in") {
  const std::vector<Site> sites = someSites();
  const ValueSites valueSites = valueSitesOf(sites);
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Recorded recorded = randomValues(seed, sites, 1 + seed * 2);
    const ChunkValues values = packed(recorded, valueSites);
    REQUIRE(values.words == recorded.values.size());
    std::vector<Word> read;
    REQUIRE(unpackValues(values, recorded.words, valueSites, read) == "");
    REQUIRE(test::sameWords(read, recorded.values));
    // Each record takes its own, and nothing is left.
    RecordValues ofRecords(true, read);
    AccessValues ofAccess;
    abi::WarpAccess access;
    for (std::size_t at = 0; at < recorded.words.size();) {
      std::uint32_t size = 0;
      REQUIRE(abi::decodeRecord(recorded.words.data() + at, recorded.words.size() - at, access, size) ==
              abi::RecordStatus::Access);
      at += size;
      REQUIRE(ofRecords.take(access, sites[access.site], ofAccess) == nullptr);
    }
    CHECK(ofRecords.brokenAtEnd() == nullptr);
  }
}

TEST_CASE("a clock takes little more than what has passed since the warp's last one") {
  std::vector<Site> sites(1);
  sites[0].bytes = 4;
  sites[0].flags = abi::kSiteClock;
  Recorded recorded;
  constexpr unsigned kRecords = 4000, kWarps = 64;
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> now(kWarps);
  for (std::uint64_t &each : now)
    each = random(); // each of another multiprocessor
  for (unsigned i = 0; i < kRecords; ++i) {
    abi::WarpAccess access{};
    access.laneMask = 0xffffffffu;
    access.cta = i % kWarps;
    Word words[abi::kMaxRecordWords];
    recorded.words.insert(recorded.words.end(), words, words + abi::encodeRecord(access, 0, words));
    std::uint64_t lanes[abi::kLanes];
    std::ranges::fill(lanes, now[access.cta] += 512 + random() % 128);
    recorded.values.insert(recorded.values.end(), words, words + abi::writeValue(8, ~0u, lanes, words));
  }
  const ChunkValues values = packed(recorded, valueSitesOf(sites));
  CHECK(values.words == kRecords);
  CHECK(values.packed.size() < kRecords + kWarps * 9); // 7 bits at random, and once each warp's own clock
}

namespace {

/// The bytes that `count` durations of two sites in turns by chance take, the site's `of(site, random)`.
template <typename Of> std::size_t bytesOfDurations(unsigned count, Of of) {
  std::vector<Site> sites(2);
  for (Site &site : sites) {
    site.bytes = 4;
    site.flags = abi::kSiteClock | abi::kSiteDuration;
  }
  Recorded recorded;
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < count; ++i) {
    abi::WarpAccess access{};
    access.laneMask = 0xffffffffu;
    access.site = random() % 2;
    Word words[abi::kMaxRecordWords];
    recorded.words.insert(recorded.words.end(), words, words + abi::encodeRecord(access, 0, words));
    std::uint64_t lanes[abi::kLanes];
    std::ranges::fill(lanes, 1000 * i);
    recorded.values.insert(recorded.values.end(), words, words + abi::writeValue(8, ~0u, lanes, words));
    std::ranges::fill(lanes, of(access.site, random));
    recorded.values.insert(recorded.values.end(), words, words + abi::writeValue(4, ~0u, lanes, words));
  }
  const ChunkValues values = packed(recorded, valueSitesOf(sites));
  CHECK(values.words == 2 * count);
  return values.packed.size();
}

} // namespace

TEST_CASE("a duration takes what is not foretold of it") {
  constexpr unsigned kRecords = 4000;
  // As the site's last one: next to nothing, whichever site's turn it is.
  CHECK(bytesOfDurations(kRecords, [](std::uint32_t site, auto &) { return site == 0 ? 33u : 612u; }) < 200);
  // Seven bits at random.
  CHECK(bytesOfDurations(kRecords, [](std::uint32_t, auto &random) { return 512u + random() % 128; }) <
        kRecords);
}

TEST_CASE("a duration that was not written as it would be comes out as it went in") {
  std::vector<Site> sites(1);
  sites[0].bytes = 4;
  sites[0].flags = abi::kSiteClock | abi::kSiteDuration;
  Recorded recorded;
  abi::WarpAccess access{};
  access.laneMask = 0xffu;
  Word words[abi::kMaxRecordWords];
  recorded.words.assign(words, words + abi::encodeRecord(access, 0, words));
  std::uint64_t lanes[abi::kLanes] = {};
  Word value[abi::kMaxValueWords];
  recorded.values.assign(value, value + abi::writeValue(8, 0xff, lanes, value));
  // Lanes that are alike, one by one.
  const abi::FirstWord first = abi::denseValue(abi::kDurationBytes, 8);
  Word dense[abi::kMaxValueWords] = {};
  std::memcpy(dense[0].bytes, &first, sizeof first);
  for (std::uint32_t lane = 0, alike = 77; lane < 8; ++lane)
    std::memcpy(dense[1 + lane / 4].bytes + 4 * (lane % 4), &alike, sizeof alike);
  recorded.values.insert(recorded.values.end(), dense, dense + first.lanes);
  const ValueSites valueSites = valueSitesOf(sites);
  const ChunkValues values = packed(recorded, valueSites);
  REQUIRE(values.words == recorded.values.size());
  std::vector<Word> read;
  REQUIRE(unpackValues(values, recorded.words, valueSites, read) == "");
  CHECK(test::sameWords(read, recorded.values));
}

TEST_CASE("values of other records are not taken for a chunk's") {
  const std::vector<Site> sites = someSites();
  const ValueSites valueSites = valueSitesOf(sites);
  Recorded recorded = randomValues(7, sites, 40);
  recorded.values.pop_back();
  CHECK(packed(recorded, valueSites).words == 0);
  recorded.values.insert(recorded.values.end(), 3, Word{});
  CHECK(packed(recorded, valueSites).words == 0);
  recorded.values.clear();
  CHECK(packed(recorded, valueSites).words == 0);
}

TEST_CASE("columns that were changed are refused, or noticed by the hash") {
  const std::vector<Site> sites = someSites();
  const ValueSites valueSites = valueSitesOf(sites);
  const Recorded recorded = randomValues(3, sites, 60);
  std::vector<std::byte> columns;
  std::vector<std::span<const std::byte>> parts;
  REQUIRE(encodeValues(recorded.words, recorded.values, valueSites, columns, parts));
  std::size_t inParts = 0;
  for (const auto &part : parts)
    inParts += part.size();
  CHECK(inParts == columns.size());
  std::vector<Word> values(recorded.values.size());
  std::mt19937_64 random(5);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> changed = columns;
    const std::size_t at = random() % changed.size();
    changed[at] = static_cast<std::byte>(random());
    if (random() % 8 == 0)
      changed.resize(random() % (changed.size() + 1));
    // Whatever it says, it reads and writes what is there.
    if (decodeValues(changed, recorded.words, valueSites, values).empty() && changed != columns)
      CHECK_FALSE(test::sameWords(values, recorded.values));
  }
  std::vector<Word> fewer(recorded.values.size() - 1), more(recorded.values.size() + 1);
  CHECK(decodeValues(columns, recorded.words, valueSites, fewer) != "");
  CHECK(decodeValues(columns, recorded.words, valueSites, more) != "");
  CHECK(decodeValues({}, recorded.words, valueSites, values) != "");
}

TEST_CASE("memory is known as a map of bytes would know it, or not at all") {
  KnownMemory known;
  std::map<std::pair<std::uint64_t, std::uint64_t>, unsigned char> bytes;
  std::mt19937_64 random(11);
  std::size_t found = 0, wanted = 0;
  for (int round = 0; round < 200000; ++round) {
    const std::uint64_t memory = random() % 3, address = random() % 3000, value = random();
    const std::uint32_t size = 1 + static_cast<std::uint32_t>(random() % 8);
    if (random() % 20000 == 0) {
      known.clear();
      bytes.clear();
    } else if (random() % 4 == 0) {
      known.set(memory, address, size, value);
      for (std::uint32_t i = 0; i < size; ++i)
        bytes[{memory, address + i}] = static_cast<unsigned char>(value >> 8 * i);
    } else if (random() % 20 == 0) {
      known.forget(memory, address, size);
      for (std::uint32_t i = 0; i < size; ++i)
        bytes.erase({memory, address + i});
    } else {
      std::uint64_t told = 0, is = 0;
      bool isKnown = true;
      for (std::uint32_t i = 0; i < size; ++i) {
        const auto byte = bytes.find({memory, address + i});
        isKnown = isKnown && byte != bytes.end();
        is |= isKnown ? std::uint64_t{byte->second} << 8 * i : 0;
      }
      const bool isFound = known.find(memory, address, size, told);
      CHECK((!isFound || (isKnown && told == is)));
      found += isFound;
      wanted += isKnown;
    }
  }
  CHECK(found > wanted * 9 / 10);
}
