/// The record keeps every lane's exact address, in the shortest form that can.
#include "devicelib/abi/record.h"

#include <array>
#include <catch2/catch.hpp>
#include <random>

using namespace cupr::abi;

namespace {

WarpAccess access(std::uint32_t mask) {
  WarpAccess result{};
  result.site = 77;
  result.laneMask = mask;
  result.cta = 0x1234567890ull;
  result.warp = 31;
  result.sm = 131;
  return result;
}

struct Words {
  alignas(16) std::array<unsigned char, kMaxRecordWords * kWordBytes> bytes{};
};

/// encode, decode, compare; returns the number of words.
std::uint32_t roundTrip(const WarpAccess &original, RecordForm expected, unsigned blockWidth = 0) {
  Words words;
  const std::uint32_t size = encodeRecord(original, 0xabcd, words.bytes.data(), blockWidth);
  WarpAccess read{};
  std::uint32_t readSize = 0;
  REQUIRE(decodeRecord(words.bytes.data(), size, read, readSize) == RecordStatus::Access);
  CHECK(readSize == size);
  CHECK(read.form == expected);
  CHECK(read.site == original.site);
  CHECK(read.laneMask == original.laneMask);
  CHECK(read.cta == original.cta);
  CHECK(read.warp == original.warp);
  CHECK(read.sm == original.sm);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((original.laneMask >> lane) & 1u)
      CHECK(read.address[lane] == original.address[lane]);
  return size;
}

} // namespace

TEST_CASE("consecutive lanes make a record of 32 bytes") {
  WarpAccess a = access(0xffffffffu);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    a.address[lane] = 0x7f0000000000ull + 4 * lane;
  CHECK(roundTrip(a, RecordForm::Affine) == 2);
}

TEST_CASE("one lane, one address for all lanes, and falling addresses are affine") {
  WarpAccess one = access(1u << 31);
  one.address[31] = 0xfffffffffffffff0ull;
  CHECK(roundTrip(one, RecordForm::Affine) == 2);
  WarpAccess same = access(0x0f0f0f0fu);
  for (auto &address : same.address)
    address = 4096;
  CHECK(roundTrip(same, RecordForm::Affine) == 2);
  WarpAccess falling = access(0xffffffffu);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    falling.address[lane] = 1u << 20 | (31 - lane) * 16;
  CHECK(roundTrip(falling, RecordForm::Affine) == 2);
}

TEST_CASE("gaps between active lanes keep the stride per lane") {
  WarpAccess a = access(0x88888888u);
  for (unsigned lane = 3; lane < kLanes; lane += 4)
    a.address[lane] = 1000 + 12 * lane;
  CHECK(roundTrip(a, RecordForm::Affine) == 2);
}

TEST_CASE("a distance that no whole stride explains is not affine") {
  WarpAccess a = access(0b101u);
  a.address[0] = 1000;
  a.address[2] = 1003;
  CHECK(roundTrip(a, RecordForm::Offset32) == 3);
}

/// Lanes of a block `width` wide: `base + stride * column + pitch * row`.
static WarpAccess rows(std::uint32_t mask, unsigned width, std::int64_t stride, std::int64_t pitch) {
  WarpAccess a = access(mask);
  for (int lane = 0; lane < int(kLanes); ++lane)
    a.address[lane] =
        0x7f0000000000ull + std::uint64_t(stride * (lane % int(width)) + pitch * (lane / int(width)));
  return a;
}

TEST_CASE("rows of a two-dimensional block make a record of 32 bytes") {
  CHECK(roundTrip(rows(0xffffffffu, 16, 4, 2048), RecordForm::Rows, 16) == 2);
  CHECK(roundTrip(rows(0xffffffffu, 8, -8, 1 << 19), RecordForm::Rows, 8) == 2);
  CHECK(roundTrip(rows(0xffffffffu, 4, 0, -(1 << 20)), RecordForm::Rows, 4) == 2);
  CHECK(roundTrip(rows(0xffffffffu, 2, 127, (1 << 20) - 1), RecordForm::Rows, 2) == 2);
  // A cut at the edge of the grid, and the first row begun late.
  CHECK(roundTrip(rows(0x3fff3fffu, 16, 4, 2048), RecordForm::Rows, 16) == 2);
  CHECK(roundTrip(rows(0xfffefffeu, 16, 4, 2048), RecordForm::Rows, 16) == 2);
  // A row in between is missing.
  CHECK(roundTrip(rows(0xff00ffffu, 8, 4, 2048), RecordForm::Rows, 8) == 2);
}

TEST_CASE("what Rows can't say is said with offsets") {
  CHECK(roundTrip(rows(0xffffffffu, 16, 4, 2048), RecordForm::Offset32, 32) == 2 + 8); // not that wide
  CHECK(roundTrip(rows(0xffffffffu, 16, 4, 2048), RecordForm::Offset32, 8) == 2 + 8);
  CHECK(roundTrip(rows(0xffffffffu, 16, 128, 4096), RecordForm::Offset32, 16) == 2 + 8);  // stride
  CHECK(roundTrip(rows(0xffffffffu, 16, 4, 1 << 20), RecordForm::Offset32, 16) == 2 + 8); // pitch
  CHECK(roundTrip(rows(0x00018001u, 16, 4, 2048), RecordForm::Offset32, 16) == 2 + 1);    // no neighbour
  WarpAccess bent = rows(0xffffffffu, 16, 4, 2048);
  bent.address[31] += 4;
  CHECK(roundTrip(bent, RecordForm::Offset32, 16) == 2 + 8);
  // One stride for all: affine goes first.
  CHECK(roundTrip(rows(0xffffffffu, 16, 4, 64), RecordForm::Affine, 16) == 2);
}

TEST_CASE("tiles of unknown width need offsets, far addresses whole ones") {
  CHECK(roundTrip(rows(0xffffffffu, 16, 4, 2048), RecordForm::Offset32) == 2 + 8);
  WarpAccess far = access(0b111u);
  far.address[0] = 16;
  far.address[1] = 0x700000000000ull;
  far.address[2] = 17;
  CHECK(roundTrip(far, RecordForm::Raw) == 2 + 2);
}

TEST_CASE("offsets at the limits of 32 bits") {
  WarpAccess a = access(0b111u);
  const std::uint64_t base = 1ull << 40;
  a.address[0] = base;
  a.address[1] = base + 0x7fffffff;
  a.address[2] = base - 0x80000000ull;
  CHECK(roundTrip(a, RecordForm::Offset32) == 3);
  a.address[1] = base + 0x80000000ull;
  CHECK(roundTrip(a, RecordForm::Raw) == 4);
}

TEST_CASE("random masks and addresses come back") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    WarpAccess a = access(static_cast<std::uint32_t>(random()) | 1u << (random() % 32));
    const unsigned shift = static_cast<unsigned>(random() % 64), width = 1u << random() % 6;
    for (auto &address : a.address)
      address = random() >> shift;
    if (round % 2)
      a = rows(a.laneMask, width, static_cast<int>(random() % 260) - 130, static_cast<int>(random()) >> 10);
    Words words;
    const std::uint32_t size = encodeRecord(a, 0, words.bytes.data(), width);
    WarpAccess read{};
    std::uint32_t readSize = 0;
    REQUIRE(decodeRecord(words.bytes.data(), kMaxRecordWords, read, readSize) == RecordStatus::Access);
    REQUIRE(readSize == size);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((a.laneMask >> lane) & 1u)
        REQUIRE(read.address[lane] == a.address[lane]);
  }
}

TEST_CASE("a range keeps the address and the size of every lane") {
  WarpAccess a = access(0x80000005u);
  a.address[0] = 0x7f0000000000ull;
  a.address[2] = 16;
  a.address[31] = 0xffffffffffffff00ull;
  a.bytes[0] = 1;
  a.bytes[2] = 4096;
  a.bytes[31] = kMaxRangeBytes;
  Words words;
  const std::uint32_t size = encodeRange(a, 0xabcd, words.bytes.data());
  CHECK(size == 2 + 3);
  WarpAccess read{};
  std::uint32_t readSize = 0;
  REQUIRE(decodeRecord(words.bytes.data(), size, read, readSize) == RecordStatus::Access);
  CHECK(readSize == size);
  CHECK(read.form == RecordForm::Range);
  CHECK(read.site == a.site);
  CHECK(read.cta == a.cta);
  for (const unsigned lane : {0u, 2u, 31u}) {
    CHECK(read.address[lane] == a.address[lane]);
    CHECK(read.bytes[lane] == a.bytes[lane]);
  }
  CHECK(recordBytes(read, 7) == 4097ull + kMaxRangeBytes); // the site's size plays no part
  CHECK(decodeRecord(words.bytes.data(), size - 1, read, readSize) == RecordStatus::Malformed);
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{kMaxRangeBytes} + 1}) {
    a.bytes[2] = bad;
    encodeRange(a, 0, words.bytes.data());
    CHECK(decodeRecord(words.bytes.data(), size, read, readSize) == RecordStatus::Malformed);
  }
}

TEST_CASE("malformed words are refused, pads are skipped") {
  Words words;
  WarpAccess read{};
  std::uint32_t size = 0;
  CHECK(decodeRecord(words.bytes.data(), 0, read, size) == RecordStatus::Malformed);
  CHECK(decodeRecord(words.bytes.data(), kMaxRecordWords, read, size) == RecordStatus::Malformed); // no lane
  FirstWord first = padRecord(5);
  std::memcpy(words.bytes.data(), &first, sizeof first);
  CHECK(decodeRecord(words.bytes.data(), 5, read, size) == RecordStatus::Pad);
  CHECK(size == 5);
  CHECK(decodeRecord(words.bytes.data(), 4, read, size) == RecordStatus::Malformed);
  first.siteAndForm = +kRecordForms << kSiteBits; // no such form
  std::memcpy(words.bytes.data(), &first, sizeof first);
  CHECK(decodeRecord(words.bytes.data(), 18, read, size) == RecordStatus::Malformed);
  first = followRecord(1, false, 4, 0x1000); // nothing before it
  std::memcpy(words.bytes.data(), &first, sizeof first);
  CHECK(decodeRecord(words.bytes.data(), 18, read, size) == RecordStatus::Malformed);
  WarpAccess raw = access(0xffffffffu);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    raw.address[lane] = 0x123456789ull * lane * lane * lane;
  const std::uint32_t whole = encodeRecord(raw, 0, words.bytes.data());
  CHECK(decodeRecord(words.bytes.data(), whole - 1, read, size) == RecordStatus::Malformed); // cut off
}

// The sizes are told apart by the list of forms alone.
TEST_CASE("a record's size follows from its form and its lanes") {
  static_assert(recordWords(RecordForm::Affine, 32) == 2 && recordWords(RecordForm::Rows, 32) == 2);
  static_assert(recordWords(RecordForm::Offset32, 1) == 3 && recordWords(RecordForm::Offset32, 4) == 3 &&
                recordWords(RecordForm::Offset32, 5) == 4);
  static_assert(recordWords(RecordForm::Raw, 2) == 3 && recordWords(RecordForm::Raw, 31) == 18);
  static_assert(recordWords(RecordForm::Range, 32) == kMaxRecordWords);
  static_assert(recordWords(RecordForm::FollowAffine, 32) == 1 &&
                recordWords(RecordForm::FollowRows, 1) == 1);
  static_assert(unusedBytes(RecordForm::Offset32, 5) == 12 && unusedBytes(RecordForm::Offset32, 4) == 0);
  static_assert(unusedBytes(RecordForm::Raw, 31) == 8 && unusedBytes(RecordForm::Range, 7) == 0 &&
                unusedBytes(RecordForm::Affine, 7) == 0);
  static_assert(formsOf(FormKind::Access) + formsOf(FormKind::Follow) + formsOf(FormKind::Pad) +
                    formsOf(FormKind::Value) + formsOf(FormKind::Box) ==
                (1u << kRecordForms) - 1);
  for (std::uint32_t form = 0; form < kRecordForms; ++form)
    for (unsigned active = 1; active <= kLanes; ++active) {
      INFO("form " << form << ", " << active << " lanes");
      const std::uint32_t bytes = active * addressBytes(static_cast<RecordForm>(form));
      CHECK((bytes + unusedBytes(static_cast<RecordForm>(form), active)) % kWordBytes == 0);
      if (isAccessForm(form))
        CHECK(recordWords(static_cast<RecordForm>(form), active) ==
              kHeadWords + (bytes + kWordBytes - 1) / kWordBytes);
    }
}

TEST_CASE("a short record is the access that it stands for") {
  constexpr RecordHead head{packSite(3, RecordForm::Affine), 0xff00u, 77, 0x1000, 4, packWhere(31, 131, 9)};
  constexpr RecordHead rows = followed(head, followRecord(kSiteMask, true, 42, 0x2000));
  static_assert(rows.siteAndForm == packSite(kSiteMask, RecordForm::Rows) && rows.shape == 42 &&
                rows.base == 0x2000 && rows.laneMask == head.laneMask && rows.cta == head.cta &&
                rows.where == head.where);
  static_assert(warpOf(rows.where) == 31 && smOf(rows.where) == 131 && generationOf(rows.where) == 9 &&
                withoutGeneration(rows.where) == packWhere(31, 131, 0));
  CHECK(formOf(followed(head, followRecord(1, false, 8, 0)).siteAndForm) == RecordForm::Affine);
}

// What tells rows apart, and on which the device and the host agree because it is one function.
TEST_CASE("the next row is found where both its lanes and the leader's neighbour are") {
  static_assert(laneOfNextRow(0xffffffffu, 0, 4) == 16);
  static_assert(laneOfNextRow(0xffffffffu, 0, 0) == 0); // no rows
  static_assert(laneOfNextRow(0x0000ffffu, 0, 4) == 0); // one row only
  static_assert(laneOfNextRow(0xff00ff00u, 8, 4) == 24);
  static_assert(laneOfNextRow(0xffff8000u, 15, 4) == 0); // no neighbour in its row
  static_assert(laneOfNextRow(0xffff0005u, 0, 4) == 0);  // the neighbour is absent
  static_assert(laneOfNextRow(0xf0000003u, 0, 3) == 0);  // a row between them is empty
  static_assert(columnsFrom(9, 18, 3) == 1 && rowsFrom(9, 18, 3) == 1 && columnsFrom(7, 8, 3) == -7);
  CHECK(rowsOffset(packRows(3, 4, 1000), 18, 9) == 1004);
}
