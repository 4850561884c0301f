/// The table of PTX's instructions, and the words that name types, spaces and atomic operations.
#include "devicelib/ptx/instructions.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

using namespace cupr;
using namespace cupr::ptx;

TEST_CASE("every instruction is in the table once, with roles that fit what it does") {
  const Instruction all[] = {
#define CUPR_PTX(opcode, memory, operands, lowerings) {opcode, Memory::memory, operands, lowerings},
#include "devicelib/ptx/instructions.def"
  };
  std::set<std::string_view> seen;
  for (const Instruction &one : all) {
    INFO(std::string(one.opcode));
    CHECK(seen.insert(one.opcode).second);
    REQUIRE(findInstruction(one.opcode) != nullptr);
    CHECK(findInstruction(one.opcode)->operands == one.operands);
    REQUIRE(!one.operands.empty());
    CHECK(one.operands.find_first_not_of("dsapl ") == std::string_view::npos);
    CHECK(one.lowerings < 2u * Control);
    const bool hasAddress = one.operands.find('a') != std::string_view::npos;
    const bool accesses = one.memory == Memory::Load || one.memory == Memory::Store ||
                          one.memory == Memory::Atomic || one.memory == Memory::Copy ||
                          (one.memory == Memory::Matrix && one.operands != " ");
    CHECK(hasAddress == accesses);
  }
  CHECK(findInstruction("") == nullptr);
  CHECK(findInstruction("loud") == nullptr);
}

TEST_CASE("roles say where the address stands") {
  CHECK(findInstruction("ld")->address() == 1);
  CHECK(findInstruction("st")->address() == 0);
  CHECK(findInstruction("atom")->address() == 1);
  CHECK(findInstruction("red")->address() == 0);
  CHECK(findInstruction("atom")->role(0) == 'd');
  CHECK(findInstruction("red")->role(0) == 'a');
  CHECK(findInstruction("add")->role(2) == 's'); // the last role holds for all that follow
}

TEST_CASE("types are named by kind and bits") {
  const auto is = [](const char *word, Type::Kind kind, unsigned bits, unsigned lanes = 1) {
    const auto type = typeNamed(word);
    return type && type->kind == kind && type->bits == bits && type->lanes == lanes;
  };
  CHECK(is("u8", Type::Kind::Unsigned, 8));
  CHECK(is("s16", Type::Kind::Signed, 16));
  CHECK(is("b128", Type::Kind::Bits, 128));
  CHECK(is("f64", Type::Kind::Float, 64));
  CHECK(is("f16x2", Type::Kind::Float, 16, 2));
  CHECK(is("bf16x2", Type::Kind::Brain, 16, 2));
  CHECK(is("pred", Type::Kind::Predicate, 1));
  for (const char *word : {"", "u", "u4", "b1", "f8", "f128", "u32x", "global", "sys", "b6x16_p32", "bf"}) {
    INFO(word);
    CHECK(!typeNamed(word));
  }
}

TEST_CASE("spaces and atomic operations are named by their words") {
  CHECK(spaceNamed("const") == abi::MemorySpace::Constant);
  CHECK(spaceNamed("shared::cluster") == abi::MemorySpace::Shared);
  CHECK(!spaceNamed("constant"));
  CHECK(!spaceNamed("param"));
  CHECK(atomicNamed("cas") == abi::Operation::AtomicCAS);
  CHECK(atomicNamed("xor") == abi::Operation::AtomicXor);
  CHECK(!atomicNamed("sub")); // PTX adds the negative
  CHECK(!atomicNamed("load"));
  CHECK(vectorLength(std::vector<std::string>{"ld", "global", "v4", "f32"}) == 4);
  CHECK(vectorLength(std::vector<std::string>{"ld", "f32"}) == 1);
}
