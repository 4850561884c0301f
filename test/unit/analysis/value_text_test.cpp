#include "analysis/model/value_text.h"

#include <catch2/catch.hpp>
#include <cstring>

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

/// The text of bytes that a load has read.
std::string textOf(const Type &type, const std::vector<unsigned char> &bytes) {
  trace::Module module;
  module.strings = {"", type.llvm, type.source, type.layout};
  trace::Site site;
  site.type = 1;
  site.sourceType = 2;
  site.layout = 3;
  site.bytes = static_cast<std::uint32_t>(bytes.size());
  trace::AccessValues values;
  values.parts = 1;
  values.bytes = site.bytes;
  for (std::uint32_t piece = 0; piece < abi::piecesOfPart(site.bytes); ++piece) {
    values.pieces[piece][5] = 0;
    std::memcpy(&values.pieces[piece][5], bytes.data() + 8 * piece, abi::bytesOfPiece(site.bytes, piece));
  }
  return valueText(module, site, values, ValueRole::Read, 5).value_or("none");
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
  CHECK_FALSE(valueText(module, site, none, ValueRole::Read, 0));
}
