#include "analysis/model/value_text.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <tuple>
#include <vector>

using namespace cupr;
using namespace cupr::analysis;

namespace {

/// The text of bytes that a load has read.
std::string textOf(std::string_view type, const std::vector<unsigned char> &bytes) {
  trace::Site site;
  site.bytes = static_cast<std::uint32_t>(bytes.size());
  trace::AccessValues values;
  values.parts = 1;
  values.bytes = site.bytes;
  for (std::uint32_t piece = 0; piece < abi::piecesOfPart(site.bytes); ++piece) {
    values.pieces[piece][5] = 0;
    std::memcpy(&values.pieces[piece][5], bytes.data() + 8 * piece, abi::bytesOfPiece(site.bytes, piece));
  }
  const std::string text = valueText(type, site, values, ValueRole::Read, 5).value_or("none");
  std::vector<unsigned char> again(bytes.size(), 0xa5);
  CHECK(bytesOfText(type, text, again));
  CHECK(again == bytes);
  return text;
}

template <typename T> std::string textOf(std::string_view type, T value) {
  std::vector<unsigned char> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return textOf(type, bytes);
}

} // namespace

TEST_CASE("values have the text of their type") {
  CHECK(textOf("i8", std::int8_t{-7}) == "-7");
  CHECK(textOf("i1", std::uint8_t{1}) == "1");
  CHECK(textOf("i16", std::uint16_t{0xffff}) == "-1");
  CHECK(textOf("i32", 123456789) == "123456789");
  CHECK(textOf("i64", INT64_MIN) == "-9223372036854775808");
  CHECK(textOf("float", 0.1f) == "0.1");
  CHECK(textOf("float", -0.0f) == "-0");
  CHECK(textOf("double", 1e300) == "1e+300");
  CHECK(textOf("float", 0x7fc00001u) == "nan(0x7fc00001)");
  CHECK(textOf("double", 0x7ff0000000000000u) == "inf");
  CHECK(textOf("half", std::uint16_t{0x3c01}) == "1.0009766");
  CHECK(textOf("half", std::uint16_t{0x8001}) == "-5.9604645e-08");
  CHECK(textOf("half", std::uint16_t{0xfc00}) == "-inf");
  CHECK(textOf("bfloat", std::uint16_t{0x3f81}) == "1.0078125");
  CHECK(textOf("ptr", std::uint64_t{0x7f0012340000}) == "0x7f0012340000");
  CHECK(textOf("<2 x float>", std::array{1.5f, -2.f}) == "(1.5, -2)");
  CHECK(textOf("<4 x i8>", std::array<std::uint8_t, 4>{1, 2, 3, 255}) == "(1, 2, 3, -1)");
  CHECK(textOf("i192", std::vector<unsigned char>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                  12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}) ==
        "0x000102030405060708090a0b0c0d0e0f1011121314151617");
  // A type that says another size, or nothing that is known.
  CHECK(textOf("float", std::uint64_t{1}) == "0x0100000000000000");
  CHECK(textOf("<3 x float>", std::uint32_t{1}) == "0x01000000");
  CHECK(textOf("<0 x float>", std::uint32_t{1}) == "0x01000000");
  CHECK(textOf("", std::uint16_t{0x201}) == "0x0102");
  CHECK(textOf("i999999999999", std::uint16_t{1}) == "0x0100");
}

TEST_CASE("operations have the values that they read, write and compare with") {
  using enum abi::Operation;
  CHECK(partOf(Load, ValueRole::Read) == 0u);
  CHECK_FALSE(partOf(Load, ValueRole::Written));
  CHECK_FALSE(partOf(Store, ValueRole::Read));
  CHECK(partOf(Store, ValueRole::Written) == 0u);
  CHECK(partOf(AtomicMax, ValueRole::Read) == 0u);
  CHECK(partOf(AtomicMax, ValueRole::Written) == 1u);
  CHECK_FALSE(partOf(AtomicMax, ValueRole::Compared));
  CHECK(partOf(AtomicCAS, ValueRole::Compared) == 1u);
  CHECK(partOf(AtomicCAS, ValueRole::Written) == 2u);
  for (const abi::Operation operation : {Load, Store, AtomicAdd, AtomicCAS})
    for (const ValueRole role : kValueRoles)
      CHECK((!partOf(operation, role) || *partOf(operation, role) < abi::valuesOf(operation)));
  trace::Site site;
  trace::AccessValues none;
  CHECK_FALSE(valueText("i32", site, none, ValueRole::Read, 0));
}

TEST_CASE("every half is made of its text again") {
  for (std::uint32_t bits = 0; bits <= UINT16_MAX; ++bits)
    textOf("half", static_cast<std::uint16_t>(bits));
}

TEST_CASE("what is no text of a type is refused") {
  const std::vector<std::tuple<std::string, std::string, std::size_t>> cases = {
      {"i8", "128", 1},         {"i8", "-129", 1},        {"i32", "", 4},
      {"i32", "1 ", 4},         {"i32", "+1", 4},         {"i32", "0x01000000", 4},
      {"float", "0.10", 4},     {"float", "nan", 4},      {"half", "0.1", 2},
      {"float", "nan(0x1)", 4}, {"ptr", "12", 8},         {"ptr", "0xg", 8},
      {"<2 x i32>", "(1)", 8},  {"<2 x i32>", "1, 2", 8}, {"<2 x i32>", "(1, 2, 3)", 8},
      {"i128", "0x00", 16},     {"i128", "12", 16},       {"i128", "0x" + std::string(32, 'g'), 16},
      {"%struct", "0X0001", 2},
  };
  for (const auto &[type, text, bytes] : cases) {
    INFO(type << " " << text);
    std::vector<unsigned char> to(bytes);
    CHECK_FALSE(bytesOfText(type, text, to));
  }
}
