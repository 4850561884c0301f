#include "analysis/model/value_text.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <tuple>
#include <vector>

namespace value_text_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

/// A type as LLVM and as the program has it.
struct Type {
  std::string llvm, source, layout;
  Type(const char *name) : llvm(name) {}
  Type(std::string ofLlvm, std::string ofSource, std::string itsLayout = "")
      : llvm(std::move(ofLlvm)), source(std::move(ofSource)), layout(std::move(itsLayout)) {}
};

/// A site of loads, and its module.
struct Loads {
  trace::Module module;
  trace::Site site;
  Loads(const Type &type, std::size_t bytes) {
    module.strings = {"", type.llvm, type.source, type.layout};
    site.type = 1;
    site.sourceType = 2;
    site.layout = 3;
    site.bytes = static_cast<std::uint32_t>(bytes);
  }
};

/// The text of bytes that a load has read.
std::string textOf(const Type &type, const std::vector<unsigned char> &bytes) {
  const auto [module, site] = Loads(type, bytes.size());
  trace::AccessValues values;
  values.shape.parts = 1;
  values.shape.bytes = site.bytes;
  for (std::uint32_t piece = 0; piece < abi::piecesOfPart(site.bytes); ++piece) {
    values.pieces[piece][5] = 0;
    std::memcpy(&values.pieces[piece][5], bytes.data() + 8 * piece, abi::bytesOfPiece(site.bytes, piece));
  }
  const std::string text =
      valueText(valueForm(module, site), site.operation, values, ValueRole::Read, 5).value_or("none");
  std::vector<unsigned char> again(bytes.size(), 0xa5);
  CHECK(bytesOfText(valueForm(module, site), text, again));
  if (!type.layout.starts_with('{')) // what lies between fields is no text's
    CHECK(again == bytes);
  return text;
}

template <typename T> std::string textOf(const Type &type, T value) {
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

TEST_CASE("what the program calls a value says what its bytes are") {
  CHECK(textOf({"i32", "unsigned int"}, -7) == "4294967289");
  CHECK(textOf({"i32", "int"}, -7) == "-7");
  CHECK(textOf({"i64", "unsigned long long"}, UINT64_MAX) == "18446744073709551615");
  CHECK(textOf({"i64", "long"}, INT64_MIN) == "-9223372036854775808");
  CHECK(textOf({"i16", "unsigned short"}, std::uint16_t{0xffff}) == "65535");
  CHECK(textOf({"i8", "bool"}, std::uint8_t{1}) == "1");
  CHECK(textOf({"i8", "char"}, 'A') == "65");
  CHECK(textOf({"i8", "unsigned char"}, std::uint8_t{200}) == "200");
  CHECK(textOf({"i16", "__half"}, std::uint16_t{0x3c01}) == "1.0009766");
  CHECK(textOf({"i16", "__nv_bfloat16"}, std::uint16_t{0x3f81}) == "1.0078125");
  CHECK(textOf({"i32", "float"}, 0.1f) == "0.1");
  CHECK(textOf({"ptr", "Node *", "void *"}, std::uint64_t{0x7f0012340000}) == "0x7f0012340000");
  CHECK(textOf({"i8", "Color", "unsigned char"}, std::uint8_t{200}) == "200");
  CHECK(textOf({"<4 x float>", "float4", "{0 float x;4 float y;8 float z;12 float w}"},
               std::array{1.f, 2.5f, -3.f, 4.f}) == "{x: 1, y: 2.5, z: -3, w: 4}");
  struct Mixed {
    unsigned char kind = 255;
    double position[2] = {0.5, 1e300};
    unsigned int id = 4294967295u;
  };
  const Type mixed("i256", "sim::Mixed",
                   "{0 unsigned char kind;8 double position[0];16 double position[1];24 unsigned int id}");
  CHECK(textOf(mixed, Mixed()) == "{kind: 255, position[0]: 0.5, position[1]: 1e+300, id: 4294967295}");
  // LLVM's type remains where the program's says nothing, or another size.
  CHECK(textOf({"i32", "Unknown"}, -7) == "-7");
  CHECK(textOf({"i32", "unsigned short"}, -7) == "-7");
  CHECK(textOf({"i16", "Pair", "{0 float x}"}, std::uint16_t{1}) == "1");
  CHECK(textOf({"i16", "Pair", "{1 short x}"}, std::uint16_t{1}) == "1");
  CHECK(textOf({"i16", "Pair", "{18446744073709551615 short x}"}, std::uint16_t{1}) == "1");
  CHECK(textOf({"i16", "Pair", "{0 x}"}, std::uint16_t{1}) == "1");
  CHECK(textOf({"i16", "Pair", "{0}"}, std::uint16_t{1}) == "1");
  CHECK(textOf({"i16", "Pair", "{x"}, std::uint16_t{1}) == "1");
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
  trace::Module module;
  module.strings = {""};
  CHECK_FALSE(valueText(valueForm(module, site), site.operation, none, ValueRole::Read, 0));
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
    const auto [module, site] = Loads(type.c_str(), bytes);
    CHECK_FALSE(bytesOfText(valueForm(module, site), text, to));
  }
}

TEST_CASE("what is no text of a structure is refused") {
  const auto [module, site] = Loads({"i64", "Pair", "{0 unsigned int a;4 short b}"}, 8);
  std::vector<unsigned char> to(8, 0xa5);
  CHECK(bytesOfText(valueForm(module, site), "{a: 7, b: -1}", to));
  CHECK(to == std::vector<unsigned char>{7, 0, 0, 0, 0xff, 0xff, 0, 0});
  for (const char *text : {"", "{", "{}", "{a: 7}", "{a: 7, c: -1}", "{a: -7, b: 1}", "{a: 7, b: 65535}",
                           "{a: 7, b: -1, c: 1}", "(7, -1)", "{a:7, b: -1}", "0x07000000ffff0000"}) {
    INFO(text);
    CHECK_FALSE(bytesOfText(valueForm(module, site), text, to));
  }
}

TEST_CASE("coordinates are as many as their type has") {
  const auto text = [](const char *type, std::array<std::uint32_t, 4> bits) {
    auto [module, site] = Loads(type, 4);
    site.operation = abi::Operation::SurfaceLoad; // of 4 bytes, whatever its coordinates have
    trace::AccessValues values;
    values.shape.parts = 1;
    values.shape.bytes = abi::valueBytes(site.operation, site.bytes);
    std::memcpy(&values.pieces[0][0], bits.data(), 8);
    std::memcpy(&values.pieces[1][0], bits.data() + 2, 8);
    const std::string text =
        valueText(valueForm(module, site), site.operation, values, ValueRole::Coordinates, 0)
            .value_or("none");
    CHECK_FALSE(valueText(valueForm(module, site), site.operation, values, ValueRole::Read, 0));
    std::vector<unsigned char> again(16);
    CHECK(bytesOfText(valueForm(module, site), text, again));
    CHECK(std::memcmp(again.data(), bits.data(), 16) == 0);
    return text;
  };
  CHECK(text("i32", {0xfffffffe, 0, 0, 0}) == "(-2)");
  CHECK(text("float", {0x3f000000, 0, 0, 0}) == "(0.5)");
  CHECK(text("<2 x float>", {0x3f000000, 0x3f800000, 0, 0}) == "(0.5, 1)");
  CHECK(text("{ i32, float, float }", {3, 0x3f000000, 0x3f800000, 0}) == "(3, 0.5, 1)");
  CHECK(text("<4 x i32>", {1, 2, 3, 4}) == "(1, 2, 3, 4)");
  CHECK(text("<5 x i32>", {1, 2, 3, 4}) == "0x01000000020000000300000004000000");
  CHECK(text("{ i64 }", {1, 2, 3, 4}) == "0x01000000020000000300000004000000");
}

} // namespace value_text_test
