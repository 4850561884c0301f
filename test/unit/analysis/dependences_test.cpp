/// Dependences between accesses of the source, of traces whose answers are arithmetic.
#include "communication_scene.h"

#include <catch2/catch.hpp>

namespace dependences_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace cupr::test;

namespace {

using Rows = std::map<std::tuple<DependenceKind, DependenceOrder, int, int>, std::uint64_t>;

/// (kind, order, first site, second site) -> bytes; the host has site -1.
Rows rowsOf(const Communication &result, DependenceOrder order) {
  const auto siteOf = [](const KernelSite &place) {
    return place.launch == kHost ? -1 : static_cast<int>(place.site);
  };
  Rows rows;
  for (const auto &[dependence, volume] : result.dependences)
    if (dependence.dependence.order == order)
      rows[{dependence.dependence.kind, order, siteOf(dependence.first), siteOf(dependence.second)}] +=
          volume.bytes;
  return rows;
}

} // namespace

TEST_CASE("dependences inside a launch count bytes and readers, and tell reads from overwriting") {
  using enum DependenceKind;
  using enum DependenceOrder;
  constexpr std::uint32_t kOtherStore = 5; // of one byte each
  CommunicationScene scene;
  scene.access(kStore, 0, kA, 0);
  for (std::uint64_t cta = 1; cta < 4; ++cta)
    for (int turn = 0; turn < 2; ++turn)
      scene.access(kLoad, cta, kA, 0); // three readers of 128 bytes
  scene.access(kLoad, 1, kB, 0);
  scene.access(kLoad, 2, kB, 0);
  scene.words.strided(kOtherStore, 2, 0, kB, 1); // 32 of them, which CTA 1 had read
  scene.launch();
  const Rows rows = rowsOf(scene.result(), InsideLaunch);
  CHECK(rows ==
        Rows{{{Raw, InsideLaunch, kStore, kLoad}, 3 * 128}, {{War, InsideLaunch, kLoad, kOtherStore}, 32}});
}

TEST_CASE("instances of one access of the source have one row of dependences") {
  TemporaryFile file;
  TraceBuilder trace(file.path());
  SiteTableBlob blob;
  for (const abi::Operation operation : {abi::Operation::Load, abi::Operation::Store})
    for (int instance = 0; instance < 3; ++instance)
      blob.site(operation, 4);
  trace.table(blob);
  Words words;
  for (std::uint32_t instance = 0; instance < 3; ++instance)
    words.strided(3 + instance, 0, 0, kA + 128 * instance, 4);
  trace.run("w(int*)", {1, 1, 1}, {32, 1, 1}, words);
  words.clear();
  for (std::uint32_t instance = 0; instance < 3; ++instance)
    words.strided(instance, 0, 0, kA + 128 * instance, 4);
  trace.run("r(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  const Communication result = communication(Model(file.path()));
  REQUIRE(result.dependences.size() == 1);
  CHECK(result.dependences.begin()->second.bytes == 3 * 128);
}

TEST_CASE("a scratch buffer that each launch fills before it reads it does not connect launches") {
  CommunicationScene scene;
  for (int turn = 0; turn < 3; ++turn) {
    scene.access(kStore, 1, kA, 0);
    scene.access(kLoad, 1, kA, 0);
    scene.access(kStore, 1, kB, 0); // zeroed, and then added to
    scene.access(kAtomic, 1, kB, 0);
    scene.launch();
  }
  const Communication result = scene.result();
  CHECK(result.uniqueWritten == 3 * 256);
  CHECK(result.uniqueRead == 3 * 256);
  CHECK(result.communicated == 0);
  CHECK(transfersOf(result).empty());
  CHECK(result.pairs.empty());
  CHECK(rowsOf(result, DependenceOrder::InsideLaunch).empty());
}

} // namespace dependences_test
