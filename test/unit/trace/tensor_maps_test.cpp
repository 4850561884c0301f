#include "hostlib/trace/tensor_maps.h"

#include "hostlib/trace/launch_registry.h"
#include "hostlib/trace/record_counts.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <map>
#include <random>
#include <set>

namespace cupr::trace {
namespace {

/// How often each byte is in one of the ranges.
using Bytes = std::map<std::uint64_t, unsigned>;

Bytes rangesOf(const abi::TensorMap &map, const abi::TensorPlace &place) {
  Bytes bytes;
  std::uint64_t last = 0;
  abi::forEachBoxRange(map, place, [&](std::uint64_t address, std::uint64_t count) {
    CHECK(count > 0);
    CHECK(address != last); // or it would have been one range
    last = address + count;
    for (std::uint64_t i = 0; i < count; ++i)
      ++bytes[address + i];
  });
  return bytes;
}

/// Element by element, from what the manuals say.
Bytes elementsOf(const abi::TensorMap &map, const abi::TensorPlace &place, std::uint64_t &inBox) {
  Bytes bytes;
  inBox = 0;
  const unsigned each = map.unitBits / 8;
  std::uint32_t at[abi::kTensorRank] = {};
  while (true) {
    std::uint64_t address = map.address;
    bool isInside = true;
    for (unsigned i = 0; i < map.rank; ++i) {
      const unsigned step = i == 0 && !map.interleave ? 1 : map.steps[i];
      const std::int64_t coordinate = place.coordinates[i] + std::int64_t{at[i]} * step;
      isInside = isInside && coordinate >= 0 && coordinate < static_cast<std::int64_t>(map.extents[i]);
      address += static_cast<std::uint64_t>(coordinate) * (i == 0 ? each : map.strides[i - 1]);
    }
    inBox += each;
    for (unsigned byte = 0; isInside && byte < each; ++byte)
      ++bytes[address + byte];
    unsigned i = 0;
    for (; i < map.rank; at[i++] = 0) {
      const unsigned step = i == 0 && !map.interleave ? 1 : map.steps[i];
      const bool isOne = map.interleave && i == map.rank - 2u;
      if (!isOne && (at[i] + 1) * step < map.box[i]) {
        ++at[i];
        break;
      }
    }
    if (i == map.rank)
      return bytes;
  }
}

abi::TensorMap mapOf(std::mt19937 &random) {
  const auto upTo = [&](unsigned most) { return 1 + random() % most; };
  abi::TensorMap map{};
  map.mark = abi::TensorMap::kMark;
  map.rank = static_cast<std::uint8_t>(upTo(5));
  map.bits = static_cast<std::uint8_t>(8u << random() % 4);
  map.interleave = static_cast<std::uint8_t>(map.rank >= 3 ? random() % 3 : 0);
  map.unitBits = static_cast<std::uint16_t>(map.interleave ? 128 * map.interleave : map.bits);
  map.address = 0x10000;
  std::uint64_t size = map.unitBits / 8;
  for (unsigned i = 0; i < map.rank; ++i) {
    map.extents[i] = upTo(9);
    map.box[i] = static_cast<std::uint16_t>(upTo(7));
    map.steps[i] = static_cast<std::uint8_t>(upTo(3));
    size *= map.extents[i];
    if (i + 1u < map.rank)
      map.strides[i] = size += random() % 2 * 16; // with gaps, and without
  }
  return map;
}

abi::BoxRecord boxRecord(std::uint32_t site, std::uint64_t key, const abi::TensorPlace &place) {
  abi::BoxRecord box{};
  box.head = {abi::packSite(site, abi::RecordForm::Box),
              1u << 3,
              7 | abi::launchTag(5),
              key,
              place.offsets,
              abi::packWhere(1, 2, 9)};
  for (unsigned i = 0; i < abi::kTensorRank; ++i)
    box.turned[i] = static_cast<std::uint32_t>(place.coordinates[i]) ^ abi::kCoordinateTurn;
  return box;
}

} // namespace

TEST_CASE("a copy by a tensor map reaches the bytes of its elements that are inside, each once") {
  std::mt19937 random(7);
  for (unsigned turn = 0; turn < 3000; ++turn) {
    const abi::TensorMap map = mapOf(random);
    abi::TensorPlace place{};
    for (unsigned i = 0; i < map.rank; ++i)
      place.coordinates[i] = static_cast<std::int32_t>(random() % 16) - 5;
    std::uint64_t inBox = 0;
    const Bytes expected = elementsOf(map, place, inBox);
    REQUIRE(rangesOf(map, place) == expected);
    REQUIRE(abi::boxBytes(map) == inBox);
  }
}

TEST_CASE("the swizzle exchanges pieces of 16 bytes within the lines of a box") {
  for (const std::uint8_t swizzle : {0, 1, 2, 3}) {
    std::set<std::uint64_t> places;
    for (std::uint64_t byte = 0; byte < 2048; ++byte) {
      const std::uint64_t place = abi::swizzled(byte, swizzle);
      CHECK(place / 128 == byte / 128);
      CHECK(place % 16 == byte % 16);
      CHECK(abi::swizzled(place, swizzle) == byte);
      places.insert(place);
    }
    CHECK(places.size() == 2048);
  }
}

TEST_CASE(
    "boxes in the queue become ranges, and those by maps that nobody told of make the launch incomplete") {
  std::mt19937 random(11);
  abi::TensorMap map = mapOf(random);
  TensorMaps maps;
  const std::uint64_t contents[abi::kTensorMapWords] = {1, 2, 3};
  const std::uint64_t key = TensorMaps::keyOf(contents);
  maps.add(key, map);
  REQUIRE(maps.find(key));
  REQUIRE_FALSE(maps.find(key + 1));
  const abi::TensorPlace place{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
  abi::forEachBoxRange(
      map, place, [&](std::uint64_t address, std::uint64_t bytes) { expected.emplace_back(address, bytes); });
  REQUIRE_FALSE(expected.empty());

  // A box, an affine record, and a box of the same site whose map is not known.
  std::vector<Word> words(2 * abi::kBoxWords + abi::kHeadWords);
  const abi::BoxRecord known = boxRecord(0, key, place), unknown = boxRecord(0, key + 1, place);
  const abi::RecordHead affine{
      abi::packSite(1, abi::RecordForm::Affine), 0xffffffff, 7 | abi::launchTag(5), 0x4000, 4, 0};
  std::memcpy(static_cast<void *>(&words[0]), &known, sizeof known);
  std::memcpy(static_cast<void *>(&words[abi::kBoxWords]), &affine, sizeof affine);
  std::memcpy(static_cast<void *>(&words[abi::kBoxWords + abi::kHeadWords]), &unknown, sizeof unknown);

  const SiteWeights weights{{0, 0}, {4, 0}};
  RunCount run(&weights, &maps);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  unsigned others = 0;
  CHECK(run.scan(words.data(), words.size(), 5,
                 [&](const abi::RecordHead &head, const Word *record, std::size_t length) {
                   if (abi::siteOf(head.siteAndForm) == 1)
                     return void(++others);
                   CHECK(abi::formOf(head.siteAndForm) == abi::RecordForm::Range);
                   CHECK(head.laneMask == 1u << 3);
                   CHECK(head.cta == 7);
                   CHECK(abi::generationOf(head.where) == 0);
                   REQUIRE(length == kRangeWords);
                   std::uint64_t lane[2];
                   std::memcpy(lane, &record[abi::kHeadWords], sizeof lane);
                   CHECK(head.base == lane[0]);
                   ranges.emplace_back(lane[0], lane[1]);
                 }) == words.size());
  CHECK(ranges == expected);
  CHECK(others == 1);
  RecordCounts counts;
  run.addTo(counts);
  CHECK(counts.malformedWords == 0);
  CHECK(counts.total().accesses == expected.size() + 32);
  REQUIRE(counts.boxes.size() == 1);
  CHECK(counts.boxes.at(0).copies == 2);
  CHECK(counts.boxes.at(0).ranges == expected.size());

  LaunchEnd end;
  end.complete = true;
  end.recordWords = counts.total().words;
  end.siteCounts = std::vector<SiteCount>{{0, 2}, {1, 32}};
  const LaunchTotals totals = totalsOf(end, counts, &weights);
  CHECK((*totals.end.siteCounts)[0].accesses == expected.size());
  CHECK_FALSE(totals.end.complete);
  CHECK(totals.end.reason.find("1 copies are by tensor maps") == 0);

  // A copy of what lies outside alone is counted by the device, and reaches nothing: there are no counts of 0 in a trace.
  abi::TensorPlace beside{};
  beside.coordinates[0] = 1000;
  const abi::BoxRecord empty = boxRecord(0, key, beside);
  std::memcpy(static_cast<void *>(&words[0]), &empty, sizeof empty);
  RunCount nothing(&weights, &maps);
  CHECK(nothing.scan(words.data(), abi::kBoxWords, 5,
                     [](const abi::RecordHead &, const Word *, std::size_t) {}) == abi::kBoxWords);
  RecordCounts counted;
  nothing.addTo(counted);
  CHECK(counted.total().records == 0);
  LaunchEnd without;
  without.complete = true;
  without.siteCounts = std::vector<SiteCount>{{0, 1}};
  const LaunchTotals none = totalsOf(without, counted, &weights);
  CHECK(none.end.complete);
  CHECK(none.end.siteCounts->empty());

  // A file has none.
  RunCount ofFile(&weights);
  CHECK(ofFile.scan(words.data(), words.size(), 5,
                    [](const abi::RecordHead &, const Word *, std::size_t) {}) == words.size());
  RecordCounts refused;
  ofFile.addTo(refused);
  CHECK(refused.malformedWords == words.size());
}

} // namespace cupr::trace
