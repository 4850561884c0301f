#include "cuprewrite/tool/elf_section.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>

using cupr::tool::elfSection;
using cupr::tool::elfSections;

__attribute__((section(".cupr.test"), used)) static const char kMark[] = "found";

TEST_CASE("a section's bytes, from this very program") {
  CHECK(elfSection("/proc/self/exe", ".cupr.test") == std::string(kMark, sizeof kMark));
  CHECK_FALSE(elfSection("/proc/self/exe", ".cupr.tes"));
  CHECK_FALSE(elfSection("/proc/self/exe", ".bss")); // has no bytes in the file
}

TEST_CASE("the sections whose names begin alike") {
  CHECK(elfSections("/proc/self/exe", ".cupr.t") == std::vector{std::string(kMark, sizeof kMark)});
  CHECK(elfSections("/proc/self/exe", ".bss").empty());
  CHECK(elfSections("/proc/self/exe", ".").size() > 5);
  CHECK(elfSections("/proc/self/status", ".text").empty());
}

TEST_CASE("what is no whole ELF file has no sections") {
  CHECK_FALSE(elfSection("/nowhere", ".text"));
  CHECK_FALSE(elfSection("/proc/self/status", ".text"));
  std::ifstream program("/proc/self/exe", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(program)), {});
  const std::string path = "elf_section_test.cut";
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{20}, std::size_t{64}, bytes.size() / 2, bytes.size() - 64}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    CHECK_FALSE(elfSection(path, ".cupr.test"));
  }
  std::remove(path.c_str());
}
