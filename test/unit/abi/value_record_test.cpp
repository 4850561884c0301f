#include "devicelib/abi/record.h"

#include <array>
#include <catch2/catch.hpp>
#include <random>

using namespace cupr::abi;

namespace {

using Lanes = std::array<std::uint64_t, kLanes>;
struct Written {
  alignas(16) std::array<unsigned char, std::size_t{kMaxValueWords} * kWordBytes> bytes{};
  std::uint32_t size = 0;
};

Written write(std::uint32_t bytes, std::uint32_t mask, const Lanes &lanes) {
  Written written;
  written.size = writeValue(bytes, mask, lanes.data(), written.bytes.data());
  return written;
}

RecordForm formOf(const Written &written) {
  FirstWord first;
  std::memcpy(&first, written.bytes.data(), sizeof first);
  return cupr::abi::formOf(first.siteAndForm);
}

} // namespace

TEST_CASE("values of all sizes and masks are read as they were written") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const std::uint32_t bytes = 1 + static_cast<std::uint32_t>(random() % 8);
    std::uint32_t mask = random() % 3 ? 0xffffffffu : static_cast<std::uint32_t>(random());
    mask |= 1u << random() % 32;
    const auto shape = random() % 4;
    const std::uint64_t base = random(), step = random() % 2 ? random() % 100 : -(random() % 100);
    Lanes lanes{}, read{};
    for (unsigned lane = 0; lane < kLanes; ++lane)
      lanes[lane] = shape == 0 ? random() : shape == 1 ? base : base + step * lane;
    const Written written = write(bytes, mask, lanes);
    REQUIRE(readValue(written.bytes.data(), written.size, bytes, mask, read.data()) == written.size);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      REQUIRE(read[lane] == (mask >> lane & 1 ? cutValue(lanes[lane], bytes) : 0));
    const std::uint32_t others = mask & (mask - 1);
    const bool isStepSeen =
        others == 0 || others >> __builtin_ctz(mask) & 2; // neighbours say it, even where it wraps around
    if (shape != 0 && isStepSeen)
      CHECK(formOf(written) == RecordForm::ValueAffine);
    FirstWord first;
    std::memcpy(&first, written.bytes.data(), sizeof first);
    CHECK(isValue(first.siteAndForm));
    CHECK(valueWords(first, written.size) == written.size);
    CHECK(valueWords(first, written.size - 1) == 0);
  }
}

TEST_CASE("a value record for other lanes, or another size, is refused") {
  Lanes lanes{}, read{};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes[lane] = lane * lane;
  const Written written = write(4, 0xffffffffu, lanes);
  CHECK(written.size == denseValueWords(4, kLanes));
  CHECK(readValue(written.bytes.data(), written.size, 4, 0xffffffffu, read.data()) == written.size);
  CHECK(readValue(written.bytes.data(), written.size, 8, 0xffffffffu, read.data()) == 0);
  CHECK(readValue(written.bytes.data(), written.size, 4, 0x0000ffffu, read.data()) == 0);
  CHECK(readValue(written.bytes.data(), written.size - 1, 4, 0xffffffffu, read.data()) == 0);
  CHECK(readValue(written.bytes.data(), 0, 4, 0xffffffffu, read.data()) == 0);
}

TEST_CASE("steps that wrap around are steps") {
  Lanes lanes{};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes[lane] = static_cast<std::uint8_t>(250 + 3 * lane);
  CHECK(formOf(write(1, 0xffffffffu, lanes)) == RecordForm::ValueAffine);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes[lane] = std::uint64_t{lane} << 40; // the step has more than 32 bits
  CHECK(formOf(write(8, 0xffffffffu, lanes)) == RecordForm::ValueDense);
}

TEST_CASE("which values are recorded") {
  CHECK(areValuesRecorded(1, 64));
  CHECK_FALSE(areValuesRecorded(1, 65));
  CHECK(areValuesRecorded(2, 16));
  CHECK(areValuesRecorded(3, 16));
  CHECK_FALSE(areValuesRecorded(3, 24));
  CHECK_FALSE(areValuesRecorded(0, 4));
  CHECK_FALSE(areValuesRecorded(1, 0));
  static_assert(bytesOfPiece(20, 0) == 8 && bytesOfPiece(20, 2) == 4 && piecesOfPart(20) == 3);
  const HookValues values =
      unpackValues(packValues({{64, 3, false, false}, true, LatencyScheme::None, false}));
  CHECK((values.shape.bytes == 64 && values.shape.parts == 3 && !values.shape.hasClock && values.isDecided));
}

TEST_CASE("a clock is one piece more") {
  CHECK(isRecorded({0, 0, true, false}));
  CHECK_FALSE(isRecorded({0, 0, false, false}));
  CHECK(isRecorded({64, 1, false, false}));
  CHECK(isRecorded({56, 1, true, false}));
  CHECK_FALSE(isRecorded({57, 1, true, false}));
  CHECK(isRecorded({16, 3, true, false}));
  static_assert(piecesOf({0, 0, true, false}) == 1 && bytesOfPieceAmong({0, 0, true, false}, 0) == 8);
  static_assert(piecesOf({12, 2, true, false}) == 5 && bytesOfPieceAmong({12, 2, true, false}, 3) == 4 &&
                bytesOfPieceAmong({12, 2, true, false}, 4) == 8);
  const HookValues values =
      unpackValues(packValues({{4, 2, true, false}, false, LatencyScheme::None, false}));
  CHECK((values.shape.bytes == 4 && values.shape.parts == 2 && values.shape.hasClock && !values.isDecided));
}

TEST_CASE("a duration stands behind its clock") {
  CHECK(isRecorded({0, 0, true, true}));
  CHECK_FALSE(isRecorded({0, 0, false, true}));
  CHECK_FALSE(isRecorded({56, 1, true, true}));
  static_assert(piecesOf({0, 0, true, true}) == 2 && bytesOfPieceAmong({0, 0, true, true}, 0) == 8 &&
                bytesOfPieceAmong({0, 0, true, true}, 1) == 4);
  static_assert(piecesOf({8, 1, true, true}) == 3 && bytesOfPieceAmong({8, 1, true, true}, 2) == 4);
  const HookValues values = unpackValues(packValues({{8, 1, true, true}, false, LatencyScheme::Use, true}));
  CHECK((values.shape.hasClock && values.shape.hasDuration && !values.isDecided &&
         values.scheme == LatencyScheme::Use && values.isOneSite));
}
