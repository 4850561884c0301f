/// Which loops of this program's own table hold places: it is written here, some of it as no compiler would.
#include "hostlib/runtime/paths/object_loops.h"

#include <catch2/catch.hpp>
#include <string>

using namespace cupr;

asm(".pushsection .cupr_loops,\"MS\",@progbits,1\n"
    ".asciz \"for 10:3-20:3\\t/home/me/app/main.cpp\"\n"
    ".asciz \"while 12:5-14:5\\t/home/me/app/main.cpp\"\n"
    ".asciz \"do 30:5-34:5\\t/home/me/app/main.cpp\"\n"
    ".asciz \"function 13:5-13:50\\t/home/me/app/main.cpp\"\n"
    ".asciz \"\"\n"
    ".asciz \"nonsense\"\n"
    ".asciz \"for 9:3-8:3\\t/home/me/app/main.cpp\"\n"
    ".asciz \"for 1:1-99:1\\t/home/me/app/twice.h\"\n"
    ".asciz \"for 1:1-99:1\\t/home/you/app/twice.h\"\n"
    ".popsection\n");

namespace {

std::vector<trace::HostLoop> around(const std::string &file, std::uint32_t line, std::uint32_t column) {
  const auto image = host::ElfImage::read("/proc/self/exe");
  REQUIRE(image);
  const trace::HostPlace places[] = {{0, 0x1000, {{"f", file, line, column}, {"g", "", 0, 0}}}};
  return host::loopsAround(places, *image);
}

} // namespace

TEST_CASE("an object's table says which loops hold places") {
  const std::string file = "/home/me/app/main.cpp";
  const trace::HostLoop outer{file, false, {abi::LoopKind::For, {10, 3}, {20, 3}}};
  const trace::HostLoop inner{file, false, {abi::LoopKind::While, {12, 5}, {14, 5}}};
  const trace::HostLoop bound{file, false, {abi::LoopKind::Function, {13, 5}, {13, 50}}};
  CHECK(around(file, 11, 1) == std::vector{outer});
  CHECK(around(file, 13, 7) == std::vector{outer, inner, bound});
  CHECK(around(file, 21, 1).empty());
  CHECK(around(file, 0, 0).empty());
  CHECK(around("/home/me/app/other.cpp", 11, 1).empty());
  CHECK(around("/home/me/app/twice.h", 2, 1).size() == 1);
}

TEST_CASE("a path from the folder of compilation is a file's whose path ends with it, if that is one") {
  for (const char *file : {"main.cpp", "app/main.cpp", "./main.cpp", "../app/main.cpp", "x/../main.cpp"}) {
    const std::vector<trace::HostLoop> found = around(file, 11, 1);
    REQUIRE(found.size() == 1);
    CHECK(found[0].file == file);
  }
  for (const char *file : {"ain.cpp", "me/main.cpp", "twice.h", "app/twice.h", ""})
    CHECK(around(file, 11, 1).empty());
  CHECK(around("you/app/twice.h", 11, 1).size() == 1);
}
