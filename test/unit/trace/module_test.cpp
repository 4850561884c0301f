/// Site tables: what is in them comes out, and no bad table gets through.
#include "hostlib/trace/module.h"
#include "site_table_blob.h"
#include "small_trace.h"

#include <catch2/catch.hpp>
#include <random>

using namespace cupr;
using namespace cupr::trace;

TEST_CASE("a site table is taken apart") {
  std::string error;
  const auto module = parseSiteTable(test::smallTable().bytes(), error);
  REQUIRE(module);
  REQUIRE(module->sites.size() == 3);
  const Site &site = module->sites[1];
  CHECK(module->strings[site.file] == "b.cuh");
  CHECK(site.line == 11);
  CHECK(site.column == 7);
  CHECK(module->strings[site.function] == "helper(long*)");
  CHECK(module->strings[site.type] == "i64");
  CHECK(module->strings[site.sourceType] == "Color");
  CHECK(module->strings[site.layout] == "long");
  CHECK(site.bytes == 8);
  CHECK(site.operation == abi::Operation::Store);
  REQUIRE(site.frame == 0);
  CHECK(module->frames[0].line == 20);
  CHECK(module->strings[module->frames[0].function] == "kernel(int*)");
  REQUIRE(module->sources.size() == 1);
  CHECK(module->sources[0].text() == "__global__ void kernel(int *p) {\n  p[0] = 1;\n}\n");
}

TEST_CASE("frames have the kind that the table says") {
  test::SiteTableBlob blob;
  for (unsigned kind = 0; kind < abi::kFrameKinds; ++kind)
    blob.frame("a.cu", 1, "f()", abi::kNoFrame, static_cast<abi::FrameKind>(kind));
  std::string error;
  const auto module = parseSiteTable(blob.bytes(), error);
  REQUIRE(module);
  for (unsigned kind = 0; kind < abi::kFrameKinds; ++kind)
    CHECK(module->frames[kind].kind == static_cast<abi::FrameKind>(kind));
}

TEST_CASE("a table that breaks a rule is refused, and the rule is named") {
  std::string error;
  const auto refused = [&](const std::vector<std::byte> &blob) { return !parseSiteTable(blob, error); };
  const std::vector<std::byte> good = test::smallTable().bytes();
  auto with = [&](std::size_t offset, std::uint32_t value) {
    std::vector<std::byte> blob = good;
    std::memcpy(blob.data() + offset, &value, sizeof value);
    return blob;
  };
  CHECK(refused({}));
  CHECK(error == "the site table is shorter than its header");
  CHECK(refused(with(0, 1)));
  CHECK(refused(with(4, 999)));
  CHECK(error == "the site table is of another ABI version");
  CHECK(refused(with(8, static_cast<std::uint32_t>(good.size() + 1))));
  CHECK(refused(with(12, 0xffffffffu)));
  CHECK(error == "a part of the site table lies outside of it");
  CHECK(refused(with(sizeof(abi::SiteTableHeader), 0xfffffff0u)));
  CHECK(error == "a string of the site table lies outside of its string pool");

  test::SiteTableBlob endless;
  endless.frame("a.cu", 1, "f()", 1);
  endless.frame("a.cu", 1, "g()", 0);
  CHECK(refused(endless.bytes()));
  CHECK(error == "a chain of frames has no end");

  for (const std::uint32_t kind : {abi::kFrameKinds, 255u, 256u, 0xffffffffu}) {
    test::SiteTableBlob unknown;
    unknown.frame("a.cu", 1, "f()");
    unknown.frames().back().kind = kind;
    CHECK(refused(unknown.bytes()));
    CHECK(error == "the kind of a frame is unknown");
  }

  test::SiteTableBlob missing;
  missing.site(abi::Operation::Load, 4, "a.cu", 1, "f()", 3);
  CHECK(refused(missing.bytes()));
  CHECK(error == "a site names a frame that is not there");
}

TEST_CASE("no table with random changes crashes, and what is accepted keeps the rules") {
  std::mt19937 random(1);
  const std::vector<std::byte> good = test::smallTable().bytes();
  int accepted = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    std::vector<std::byte> blob = good;
    for (int i = 0; i < 2; ++i)
      blob[random() % blob.size()] = static_cast<std::byte>(random());
    blob.resize(random() % 4 == 0 ? random() % blob.size() : blob.size());
    std::string error;
    if (const auto module = parseSiteTable(blob, error)) {
      ++accepted;
      REQUIRE(brokenModuleRule(*module) == "");
      for (const Source &source : module->sources)
        (void)source.text();
    } else {
      REQUIRE_FALSE(error.empty());
    }
  }
  CHECK(accepted > 0);
}
