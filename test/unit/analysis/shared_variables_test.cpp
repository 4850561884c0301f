/// Where shared variables lie, as launches say it.
#include "analysis/model/records.h"
#include "analysis/model/shared_variables.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace shared_variables_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint32_t kStore = 0, kTile = 1, kRest = 2, kFlag = 3;
constexpr std::uint64_t kWindow = 1024;

/// Two launches of one kernel, whose block 3 is the first that is recorded, and one of another kernel.
struct Scene {
  Scene() : trace(file.path()) {
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Store, 4);
    blob.space(abi::SpaceVerdict::Shared);
    variable(blob, "tile", "[32 x [33 x float]]", 32 * 33 * 4, 4);
    blob.sourceType("meters", "");
    variable(blob, "rest", "[0 x double]", 0, 8);
    variable(blob, "flag", "{ i32, i8 }", 8, 8);
    trace.table(blob);
    trace.dynamicShared(64);
    for (int launch = 0; launch < 2; ++launch) {
      test::Words words;
      words.strided(kStore, 5, 0, kWindow, 4); // of another block, which was faster
      words.strided(kFlag, 3, 0, kWindow, 0, 1);
      words.strided(kRest, 3, 0, kWindow + 8 + 32 * 33 * 4, 0, 1);
      words.strided(kStore, 3, 0, kWindow + 8, 4, ~1u); // the other threads of its warp
      words.strided(kTile, 3, 0, kWindow + 8, 0, 1);
      words.strided(kStore, 3, 0, kWindow + 8, 4);
      trace.run("k(int*)", {8, 1, 1}, {32, 1, 1}, words);
    }
    test::Words none;
    none.strided(kStore, 0, 0, kWindow, 4);
    trace.run("other(int*)", {8, 1, 1}, {32, 1, 1}, none);
    trace.writer->finish();
  }
  static void variable(test::SiteTableBlob &blob, const char *name, const char *type, std::uint32_t bytes,
                       std::uint16_t elementBytes) {
    blob.site(abi::Operation::Variable, bytes);
    blob.space(abi::SpaceVerdict::Shared);
    blob.type(type);
    blob.name(name, elementBytes);
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
};

std::string placeOf(SharedVariables &variables, const LaunchInfo &launch, std::uint64_t offset) {
  const SharedVariable *variable = variables.find(launch, offset);
  return variable ? variable->at(offset - variable->offset) : "none";
}

} // namespace

TEST_CASE("launches say where the shared variables of their kernel lie") {
  const Scene scene;
  const Model model(scene.file.path());
  SharedVariables variables(model);
  const auto of = variables.of(model.launches().at(1));
  REQUIRE(of.size() == 3);
  CHECK(of[0].name == "flag");
  CHECK(of[1].name == "tile");
  CHECK(of[1].offset == kWindow + 8);
  CHECK(of[0].type() == "{ i32, i8 }");
  CHECK(of[1].elementType == "meters");
  CHECK(of[1].type() == "meters[32][33]");
  CHECK(of[2].elementType == "double");
  CHECK(of[2].type() == "double[]");
  CHECK(of[1].lengths == std::vector<std::uint64_t>{32, 33});
  CHECK(of[2].name == "rest");
  CHECK(of.data() == variables.of(model.launches().at(0)).data());
  CHECK(variables.of(model.launches().at(2)).empty());
}

TEST_CASE("a place in shared memory has the name of its variable and element") {
  const Scene scene;
  const Model model(scene.file.path());
  SharedVariables variables(model);
  const LaunchInfo &launch = model.launches().at(0);
  constexpr std::uint64_t kTileAt = kWindow + 8, kRestAt = kTileAt + 32 * 33 * 4;
  CHECK(placeOf(variables, launch, kWindow - 1) == "none");
  CHECK(placeOf(variables, launch, kWindow) == "flag");
  CHECK(placeOf(variables, launch, kWindow + 4) == "flag+0x4");
  CHECK(placeOf(variables, launch, kTileAt) == "tile[0][0]");
  CHECK(placeOf(variables, launch, kTileAt + (5 * 33 + 32) * 4 + 2) == "tile[5][32]+0x2");
  CHECK(placeOf(variables, launch, kRestAt - 4) == "tile[31][32]");
  CHECK(placeOf(variables, launch, kRestAt + 56) == "rest[7]");
  CHECK(placeOf(variables, launch, kRestAt + 64) ==
        "none"); // the launch has 64 bytes of dynamic shared memory
  CHECK(placeOf(variables, model.launches().at(2), kWindow) == "none");
}

TEST_CASE("what says where a variable lies is no access") {
  const Scene scene;
  const Model model(scene.file.path());
  const LaunchInfo &launch = model.launches().at(0);
  CHECK(launch.totals.counts.in(abi::MemorySpace::Shared).accesses() == 95);
  CHECK(launch.totals.counts.accesses() == 95);
  std::size_t accesses = 0;
  RecordStream records(model, launch, RecordsOf::AllMemory);
  while (records.next())
    ++accesses;
  CHECK(accesses == 3);
}

} // namespace shared_variables_test
