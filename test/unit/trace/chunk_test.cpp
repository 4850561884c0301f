/// Packing keeps every word, whatever the records look like.
#include "hostlib/trace/chunk.h"
#include "random_records.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace cupr;
using namespace cupr::trace;

TEST_CASE("unpack(pack(words)) gives the words") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::uint32_t records = 0;
    const std::vector<Word> in = test::randomRecords(seed, 1 + seed * 17, records);
    const Chunk chunk = packChunk(in, records);
    CHECK(chunk.records == records);
    CHECK(chunk.words == in.size());
    std::vector<Word> out;
    REQUIRE(unpackChunk(chunk, out) == "");
    REQUIRE(out.size() == in.size());
    CHECK(std::memcmp(out.data(), in.data(), in.size() * sizeof(Word)) == 0);
  }
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
