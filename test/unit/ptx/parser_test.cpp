/// The grammar of inline PTX: what a statement is made of, and where the next one starts.
#include "devicelib/ptx/parser.h"

#include <catch2/catch.hpp>

using namespace cupr::ptx;
using Kind = Operand::Kind;
using Words = std::vector<std::string>;

TEST_CASE("an instruction is its words, its operands and its guard") {
  const auto statements = parse("@!p ld.global.L2::cache_hint.v2.u32 {$0, _}, [$2+-16], $3; // the rest\n");
  REQUIRE(statements.size() == 1);
  const Statement &s = statements[0];
  CHECK(s.kind == Statement::Kind::Instruction);
  CHECK(s.guard == "p");
  CHECK(s.guardNegated);
  CHECK(s.operation == Words{"ld", "global", "L2::cache_hint", "v2", "u32"});
  REQUIRE(s.operands.size() == 3);
  REQUIRE(s.operands[0].kind == Kind::Vector);
  CHECK(s.operands[0].elements[0].name == "$0");
  CHECK(s.operands[0].elements[1].kind == Kind::Discard);
  CHECK(s.operands[1].kind == Kind::Address);
  CHECK(s.operands[1].name == "$2");
  CHECK(s.operands[1].value == -16);
  CHECK(s.operands[2].name == "$3");
  CHECK(s.text == "@!p ld.global.L2::cache_hint.v2.u32 {$0, _}, [$2+-16], $3");
}

TEST_CASE("an offset may be subtracted, or be an operand") {
  CHECK(parse("st.u32 [$0-8], 1;")[0].operands[0].value == -8);
  const Operand address = parse("st.u32 [$0+$1], 1;")[0].operands[0];
  CHECK(address.name == "$0");
  CHECK(address.second == "$1");
}

TEST_CASE("registers with a percent sign are special unless they are declared") {
  const auto statements = parse("{ .reg .u64 %a, %r<3>; mov.u64 %a, %clock64; add.s64 %r2, %a, %r3; }");
  REQUIRE(statements.size() == 3);
  REQUIRE(statements[0].operands.size() == 4);
  CHECK(statements[0].operands[0].name == "%a");
  CHECK(statements[0].operands[3].name == "%r2");
  CHECK(statements[1].operands[0].kind == Kind::Register);
  CHECK(statements[1].operands[0].name == "%a");
  CHECK(statements[1].operands[1].kind == Kind::Special);
  CHECK(statements[1].operands[1].name == "clock64");
  CHECK(statements[2].operands[0].kind == Kind::Register);
  CHECK(statements[2].operands[2].kind == Kind::Special); // there are r0 to r2
}

TEST_CASE("an address in a tensor has coordinates") {
  const Operand address = parse("cp.async.bulk.tensor.2d.global [$0, {$1, $2}], [$3];")[0].operands[0];
  CHECK(address.kind == Kind::Address);
  REQUIRE(address.elements.size() == 1);
  CHECK(address.elements[0].elements.size() == 2);
}

TEST_CASE("what can't be parsed ends at the next semicolon") {
  const auto statements = parse("call (r), f, (a, b); bar.sync 0; .pragma \"nounroll\"; LOOP: bra LOOP;");
  REQUIRE(statements.size() == 5);
  CHECK(statements[0].kind == Statement::Kind::Unparsed);
  CHECK(statements[0].operation == Words{"call"});
  CHECK(statements[0].text == "call (r), f, (a, b)");
  CHECK(statements[1].kind == Statement::Kind::Instruction);
  CHECK(statements[2].kind == Statement::Kind::Unparsed);
  CHECK(statements[3].kind == Statement::Kind::Label);
  CHECK(statements[4].operation == Words{"bra"});
}

TEST_CASE("no text makes the parser read beyond its end") {
  const std::string text =
      "{ .reg .pred p<2>; @!p0 ld.v2.f32 {$0, %tid.x}, [$2+$3, {1, 0f3F800000}]; /* x */ L: }";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto statements = parse(text.substr(0, length));
    CHECK(statements.size() <= 4);
  }
}

TEST_CASE("operands of an LLVM inline asm get their plain names") {
  CHECK(withOperandNames("mov.b32 ${0:x}, $1; $$L: bra $$L;") == "mov.b32 $0, $1; _dollar_L: bra _dollar_L;");
  CHECK(withOperandNames("mov ${0") == "mov $0");
}
