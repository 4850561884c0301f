/// Packing keeps every word, whatever the records look like.
#include "hostlib/trace/chunk.h"
#include "random_records.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>

using namespace cupr;
using namespace cupr::trace;

TEST_CASE("unpack(pack(words)) gives the words") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::uint32_t records = 0;
    const std::vector<Word> in = test::randomRecords(seed, 1 + seed * 17, records);
    const Chunk chunk = packChunk(in, records);
    CHECK(chunk.encoding == Encoding::Warps);
    CHECK(chunk.records == records);
    CHECK(chunk.words == in.size());
    std::vector<Word> out;
    REQUIRE(unpackChunk(chunk, out) == "");
    REQUIRE(out.size() == in.size());
    CHECK(std::memcmp(out.data(), in.data(), in.size() * sizeof(Word)) == 0);
  }
}

TEST_CASE("records of blocks that began take little more than a byte each") {
  const auto recordsOf = [](std::size_t count, std::uint64_t period) {
    std::vector<Word> words(count * abi::kHeadWords);
    for (std::size_t i = 0; i < count; ++i) {
      const abi::RecordHead head{abi::packSite(7, abi::RecordForm::Affine),
                                 1u,
                                 5 + i * period,
                                 0,
                                 0,
                                 abi::packWhere(0, static_cast<std::uint32_t>(i * 7919 % 132), 0)};
      std::memcpy(static_cast<void *>(&words[i * abi::kHeadWords]), &head, sizeof head);
    }
    return words;
  };
  for (const std::uint64_t period : {1, 3}) {
    const std::vector<Word> in = recordsOf(10'000, period);
    const Chunk chunk = packChunk(in, 10'000);
    CHECK(chunk.encoding == Encoding::Blocks);
    CHECK(chunk.packed.size() < 11'000);
    std::vector<Word> out;
    REQUIRE(unpackChunk(chunk, out) == "");
    CHECK(std::memcmp(out.data(), in.data(), in.size() * sizeof(Word)) == 0);
    Chunk bad = chunk;
    bad.words -= 2;
    CHECK(unpackChunk(bad, out) == "the columns of the chunk's blocks do not have their length");
    bad.words -= 1;
    CHECK(unpackChunk(bad, out) == "the columns of the chunk's blocks do not have their length");
  }
  for (std::size_t spoiled = 0; spoiled < sizeof(abi::RecordHead);
       ++spoiled) { // any byte that makes it another record
    std::vector<Word> in = recordsOf(100, 1);
    reinterpret_cast<unsigned char *>(in.data())[40 * sizeof(abi::RecordHead) + spoiled] ^= 1;
    const Chunk chunk = packChunk(in, 100);
    std::vector<Word> out;
    REQUIRE(unpackChunk(chunk, out) == "");
    CHECK(std::memcmp(out.data(), in.data(), in.size() * sizeof(Word)) == 0);
  }
}

TEST_CASE("records that no writer makes are packed as they are") {
  std::uint32_t records = 0;
  std::vector<Word> in = test::randomRecords(3, 20, records);
  in[1].bytes[15] = 1; // a generation
  const Chunk chunk = packChunk(in, records);
  CHECK(chunk.encoding == Encoding::Words);
  std::vector<Word> out;
  REQUIRE(unpackChunk(chunk, out) == "");
  CHECK(std::memcmp(out.data(), in.data(), in.size() * sizeof(Word)) == 0);
}

TEST_CASE("the first chunk that a thread packs may be of any kind") {
  std::uint32_t records = 0;
  std::vector<Word> odd = test::randomRecords(3, 20, records);
  odd[1].bytes[15] = 1;
  std::thread([&] {
    std::vector<Word> out;
    CHECK(unpackChunk(packChunk(odd, records), out) == "");
  }).join();
}

TEST_CASE("a vector addition leaves a few bits per access") {
  // Two loads and a store of 4 bytes; warps in a scrambled order, as a GPU delivers them.
  std::vector<Word> in;
  std::uint32_t records = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t place = i * 7919 % 2000;
    for (std::uint32_t site = 0; site < 3; ++site, ++records) {
      abi::WarpAccess access{};
      access.site = site;
      access.laneMask = 0xffffffffu;
      access.cta = place / 8;
      access.warp = place % 8;
      access.sm = static_cast<std::uint32_t>(access.cta % 132);
      for (unsigned lane = 0; lane < abi::kLanes; ++lane)
        access.address[lane] = 0x7f0000000000u + site * 0x1000000u + (place * 32 + lane) * 4;
      Word out[abi::kMaxRecordWords];
      in.insert(in.end(), out, out + abi::encodeRecord(access, 0, out));
    }
  }
  const Chunk chunk = packChunk(in, records);
  CHECK(chunk.encoding == Encoding::Warps);
  const double bytesPerAccess = static_cast<double>(chunk.packed.size()) / (records * 32.0);
  INFO("bytes per access: " << bytesPerAccess);
  CHECK(bytesPerAccess < 0.05);
}

TEST_CASE("a chunk that lies is refused") {
  std::uint32_t records = 0;
  const std::vector<Word> in = test::randomRecords(1, 100, records);
  const Chunk good = packChunk(in, records);
  std::vector<Word> out;
  const auto refusal = [&](auto change) {
    Chunk chunk = good;
    change(chunk);
    return unpackChunk(chunk, out);
  };
  CHECK(refusal([](Chunk &) {}) == "");
  CHECK(refusal([](Chunk &chunk) { chunk.hash ^= 1; }) == "the hash of the chunk's words is wrong");
  CHECK(refusal([](Chunk &chunk) { chunk.words = kMaxChunkWords + 1; }) ==
        "a chunk must not hold more than 65536 words");
  CHECK(refusal([](Chunk &chunk) { chunk.encoding = static_cast<Encoding>(99); }) ==
        "the encoding of the chunk is unknown");
  CHECK(refusal([](Chunk &chunk) { chunk.packed.resize(chunk.packed.size() / 2); }) != "");
  CHECK(refusal([](Chunk &chunk) { ++chunk.words; }) != "");
  CHECK(refusal([](Chunk &chunk) { --chunk.words; }) != "");
  CHECK(refusal([](Chunk &chunk) { chunk.encodedBytes += 16; }) != "");
}
