/// The encoding by warps keeps every bit, and stays small where programs are regular.
#include "hostlib/trace/warp_columns.h"
#include "random_records.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

using namespace cupr;
using namespace cupr::trace;

namespace {

struct Encoded {
  std::vector<std::byte> columns, dense;
};

Encoded encode(const std::vector<Word> &words, std::uint32_t row = 0) {
  static WarpEncoder encoder; // one for all: what it keeps must not matter
  EncodedWarps encoded;
  REQUIRE(encoder.encode(words, row, encoded));
  Encoded result;
  for (const auto &part : encoded.parts)
    result.columns.insert(result.columns.end(), part.begin(), part.end());
  result.dense.assign(encoded.dense.begin(), encoded.dense.end());
  return result;
}

void checkKept(const std::vector<Word> &words, std::uint32_t records, std::uint32_t row = 0) {
  const Encoded encoded = encode(words, row);
  std::vector<Word> out(words.size());
  REQUIRE(decodeWarps(encoded.columns, encoded.dense, records, out) == "");
  CHECK(std::memcmp(out.data(), words.data(), words.size() * sizeof(Word)) == 0);
}

/// The bytes of the columns for `records` records, made by `make(i)`.
Encoded encodeMade(std::uint32_t records, const std::function<abi::WarpAccess(std::uint32_t)> &make,
                   std::uint32_t row = 0, unsigned blockWidth = 0) {
  std::vector<Word> words;
  for (std::uint32_t i = 0; i < records; ++i) {
    Word out[abi::kMaxRecordWords];
    words.insert(words.end(), out, out + abi::encodeRecord(make(i), 0, out, blockWidth));
  }
  checkKept(words, records, row);
  return encode(words, row);
}

abi::WarpAccess affine(std::uint32_t site, std::uint64_t cta, std::uint32_t warp, std::uint64_t base) {
  abi::WarpAccess access{};
  access.site = site;
  access.laneMask = 0xffffffffu;
  access.cta = cta;
  access.warp = warp;
  for (unsigned lane = 0; lane < abi::kLanes; ++lane)
    access.address[lane] = base + 4 * lane;
  return access;
}

/// The lengths of the columns, by name.
struct Lengths {
  std::uint32_t row, control, gap, cta, warp, sm, site, mask, form, shape, base, address;
};
Lengths lengthsOf(const Encoded &encoded) {
  Lengths lengths;
  static_assert(sizeof lengths == (1 + kWarpColumns) * sizeof(std::uint32_t));
  std::memcpy(&lengths, encoded.columns.data(), sizeof lengths);
  return lengths;
}

} // namespace

TEST_CASE("records of all forms come back bit by bit") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::uint32_t records = 0;
    const std::vector<Word> words = test::randomRecords(seed, 1 + seed * 40, records);
    checkKept(words, records, seed % 3 ? 0 : 1 + seed);
  }
}

TEST_CASE("warps that take turns cost a byte or two, wherever each of them stands") {
  // 64 warps of 8 blocks, each with a position of its own in a loop of two loads.
  std::mt19937_64 random(1);
  std::array<std::uint64_t, 64> turns{};
  const Encoded encoded = encodeMade(8000, [&](std::uint32_t) {
    const auto which = static_cast<std::uint32_t>(random() % 64);
    const std::uint64_t turn = turns[which]++;
    return affine(turn % 2, which / 8, which % 8,
                  0x7f0000000000 + (turn % 2) * 0x1000000 + which * 0x10000 +
                      turn / 2 * (turn % 2 ? 512 : 128));
  });
  const Lengths lengths = lengthsOf(encoded);
  CHECK(lengths.control == 8000);
  CHECK(lengths.gap > 7000);
  CHECK(lengths.gap < 8000);
  CHECK(lengths.cta + lengths.warp + lengths.sm < 900); // one in 50 was quiet for 256 records
  CHECK(lengths.site < 400);
  CHECK(lengths.mask + lengths.form + lengths.shape + lengths.address < 10);
  CHECK(lengths.base < 1500);
}

TEST_CASE("rows of blocks are predicted by the grid's width") {
  // A warp per block, blocks in scrambled order: with the width given, few addresses are left to say.
  const auto make = [](std::uint32_t i) {
    const std::uint64_t cta = i * 2053u % 4096;
    return affine(0, cta, 0, 0x7f0000000000 + cta / 64 * 0x40000 + cta % 64 * 128);
  };
  CHECK(lengthsOf(encodeMade(4096, make, 64)).base < 100);
  CHECK(lengthsOf(encodeMade(4096, make, 0)).base > 4096);
}

TEST_CASE("lanes that are missing at a border don't disturb the prediction") {
  const auto make = [](std::uint32_t i) {
    abi::WarpAccess access = affine(0, i, 0, 0x7f0000000000 + i * 128);
    access.laneMask = i % 16 == 0 ? 0xfffffffeu : 0xffffffffu;
    return access;
  };
  CHECK(lengthsOf(encodeMade(4096, make)).base < 50);
}

TEST_CASE("random places of 2^22 take their 22 bits each") {
  std::mt19937_64 random(1);
  const Encoded encoded = encodeMade(1000, [&](std::uint32_t i) {
    abi::WarpAccess access = affine(0, i, 0, 0);
    for (std::uint64_t &address : access.address)
      address = 0x7f0000000000 + random() % (1u << 22) * 4;
    return access;
  });
  CHECK(encoded.dense.size() <= 1000 * 32 * 22 / 8);
  CHECK(encoded.dense.size() > 1000 * 32 * 21 / 8);
  CHECK(encoded.columns.size() < 1000 * 10);
}

TEST_CASE("addresses of any width are kept") {
  std::mt19937_64 random(2);
  for (unsigned bits = 1; bits <= 64; ++bits)
    for (const unsigned lanes : {1u, 2u, 3u, 17u, 31u, 32u}) {
      std::vector<Word> words;
      for (unsigned i = 0; i < 40; ++i) {
        abi::WarpAccess access = affine(i % 3, i, i % 8, 0);
        access.laneMask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
        for (std::uint64_t &address : access.address)
          address = (bits == 64 ? random() : random() % (std::uint64_t{1} << bits))
                    << (i % 2 * (64 - bits) / 2);
        Word out[abi::kMaxRecordWords];
        words.insert(words.end(), out, out + abi::encodeRecord(access, 0, out));
      }
      INFO(bits << " bits, " << lanes << " lanes");
      checkKept(words, 40);
    }
}

TEST_CASE("thousands of warps and sites, more than are remembered, are kept") {
  std::mt19937_64 random(3);
  std::vector<Word> words;
  for (unsigned i = 0; i < 8000; ++i) {
    const abi::WarpAccess access =
        affine(static_cast<std::uint32_t>(random() % 3 ? random() % 6000 : random() % abi::kSiteMask),
               random() % 3000, random() % 32, 0x1000 * i);
    Word out[abi::kMaxRecordWords];
    words.insert(words.end(), out, out + abi::encodeRecord(access, 0, out));
  }
  checkKept(words, 8000);
}

TEST_CASE("what Gather does not make is refused") {
  std::uint32_t records = 0;
  const std::vector<Word> good = test::randomRecords(3, 20, records);
  WarpEncoder encoder;
  EncodedWarps encoded;
  const auto takes = [&](auto change) {
    std::vector<Word> words = good;
    change(words);
    return encoder.encode(words, 0, encoded);
  };
  CHECK(takes([](auto &) {}));
  CHECK_FALSE(takes([](auto &words) { words[1].bytes[15] = 1; }));                // a generation
  CHECK_FALSE(takes([](auto &words) { words[0].bytes[3] = 0x30; }));              // a pad
  CHECK_FALSE(takes([](auto &words) { words[0].bytes[3] = 0xf0; }));              // no form
  CHECK_FALSE(takes([](auto &words) { std::memset(words[0].bytes + 4, 0, 4); })); // no lane
  CHECK_FALSE(takes([](auto &words) { words.resize(words.size() - 1); }));
}

TEST_CASE("columns with random changes are refused or give the right number of words") {
  std::uint32_t records = 0;
  const std::vector<Word> in = test::randomRecords(5, 60, records);
  const Encoded good = encode(in);
  std::mt19937 random(1);
  int refused = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    Encoded bad = good;
    for (int i = 0; i < 2; ++i)
      bad.columns[random() % (random() % 2 ? bad.columns.size() : 100)] = static_cast<std::byte>(random());
    bad.columns.resize(random() % 4 == 0 ? random() % bad.columns.size() : bad.columns.size());
    bad.dense.resize(random() % 4 == 0 ? random() % (bad.dense.size() + 9) : bad.dense.size());
    std::vector<Word> out(in.size());
    refused += decodeWarps(bad.columns, bad.dense, records, out) != "";
  }
  CHECK(refused > 8000);
}
