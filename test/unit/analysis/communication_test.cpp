/// Communication of traces whose answers are arithmetic: who hands what to whom.
#include "communication_scene.h"
#include "unit/trace/spaces_trace.h"

#include <catch2/catch.hpp>
#include <sys/resource.h>

namespace communication_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace cupr::test;

namespace {

std::uint64_t peakMemory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

} // namespace

TEST_CASE("launches of which some blocks were not recorded are incomplete") {
  CommunicationScene scene;
  scene.launch();
  const trace::CtaSelection some[] = {{1, UINT64_MAX, 1}, {0, 3, 1}, {0, UINT64_MAX, 2}};
  for (const trace::CtaSelection &ctas : some)
    scene.trace.end(scene.trace.launch("k(int*)", {4, 1, 1}, {32, 1, 1}, ctas));
  CHECK(scene.result().incompleteLaunches == 3);
}

TEST_CASE("ring: each CTA reads what its neighbour wrote") {
  CommunicationScene scene;
  for (std::uint64_t cta = 0; cta < 4; ++cta)
    scene.access(kStore, cta, kA, cta);
  scene.launch();
  for (std::uint64_t cta = 0; cta < 4; ++cta) {
    scene.access(kLoad, cta, kA, (cta + 1) % 4);
    scene.access(kStore, cta, kB, cta);
  }
  scene.launch();
  const Communication result = scene.result();
  CHECK(result.uniqueWritten == 1024);
  CHECK(result.communicated == 512);
  CHECK(result.sameIndex == 0);
  CHECK(result.otherIndex == 512);
  CHECK(result.share() == 0.5);
  CHECK(transfersOf(result) ==
        std::vector<Transfer>{transfer(0, 1, 1, 0, 128, 32), transfer(0, 2, 1, 1, 128, 32),
                              transfer(0, 3, 1, 2, 128, 32), transfer(0, 0, 1, 3, 128, 32)});
  REQUIRE(result.pairs.size() == 1);
  CHECK(result.pairs[0].bytes == 512);
  CHECK(result.pairs[0].ctaPairs == 4);
  CHECK(result.pairs[0].operations == 128);
  CHECK(result.launches[0].readByLaunches == 512);
  CHECK(result.launches[1].readFromLaunches == 512);
}

TEST_CASE("gather: one CTA reads all, twice, and bytes count once") {
  CommunicationScene scene;
  for (std::uint64_t cta = 0; cta < 4; ++cta)
    scene.access(kStore, cta, kA, cta);
  scene.launch();
  for (int turn = 0; turn < 2; ++turn)
    for (std::uint64_t block = 0; block < 4; ++block)
      scene.access(kLoad, 0, kA, block);
  scene.launch();
  const Communication result = scene.result();
  CHECK(result.communicated == 512);
  CHECK(result.sameIndex == 128);
  CHECK(result.otherIndex == 384);
  CHECK(result.share() == 1);
  REQUIRE(transfersOf(result).size() == 4);
  for (const Transfer &t : transfersOf(result)) {
    CHECK(t.destinationCta == 0);
    CHECK(t.bytes == 128);
    CHECK(t.operations == 64);
  }
  CHECK(result.uniqueRead == 512);
  CHECK(result.counts.loadBytes == 1024);
}

TEST_CASE("broadcast: many CTAs read the same bytes; the pair of launches counts them once") {
  CommunicationScene scene;
  scene.access(kStore, 2, kA, 0);
  scene.launch();
  for (std::uint64_t cta = 0; cta < 4; ++cta)
    scene.access(kLoad, cta, kA, 0);
  scene.launch();
  const Communication result = scene.result();
  CHECK(result.communicated == 128);
  CHECK(result.sameIndex == 128);
  CHECK(result.otherIndex == 128);
  REQUIRE(result.pairs.size() == 1);
  CHECK(result.pairs[0].bytes == 128);
  CHECK(result.pairs[0].sameIndex == 128);
  CHECK(result.pairs[0].otherIndex == 128);
  CHECK(result.pairs[0].ctaPairs == 4);
}

TEST_CASE("data that a CTA reads back in a later launch communicates, in the same launch it doesn't") {
  CommunicationScene scene;
  scene.access(kStore, 1, kA, 0);
  scene.access(kLoad, 1, kA, 0); // before the launch nobody had written it
  scene.launch();
  scene.access(kLoad, 1, kA, 0);
  scene.launch();
  const Communication result = scene.result();
  CHECK(result.communicated == 128);
  CHECK(result.sameIndex == 128);
  CHECK(result.otherIndex == 0);
  CHECK(transfersOf(result) == std::vector<Transfer>{transfer(0, 1, 1, 1, 128, 32)});
}

TEST_CASE("what is overwritten before it is read does not communicate") {
  CommunicationScene scene;
  scene.access(kStore, 0, kA, 0);
  scene.launch();
  scene.access(kStore, 1, kA, 0);
  scene.launch();
  scene.access(kLoad, 2, kA, 0);
  scene.launch();
  const Communication result = scene.result();
  CHECK(result.uniqueWritten == 256);
  CHECK(result.communicated == 128);
  CHECK(transfersOf(result) == std::vector<Transfer>{transfer(1, 1, 2, 2, 128, 32)});
  CHECK(result.launches[0].readByLaunches == 0);
}

TEST_CASE("a version that two launches read is communicated once") {
  CommunicationScene scene;
  scene.access(kStore, 0, kA, 0);
  scene.launch();
  for (int turn = 0; turn < 2; ++turn) {
    scene.access(kLoad, 1, kA, 0);
    scene.launch();
  }
  const Communication result = scene.result();
  CHECK(result.communicated == 128);
  CHECK(result.pairs.size() == 2);
}

TEST_CASE("the host writes with copies and sets, and reads with copies") {
  CommunicationScene scene;
  scene.trace.copy(trace::CopyKind::HostToDevice, kA, 0x500, 128);
  scene.trace.set(kA + 128, 64);
  scene.access(kLoad, 0, kA, 0);
  scene.access(kLoad, 0, kA, 1);
  scene.access(kStore, 0, kB, 0);
  scene.launch();
  scene.trace.copy(trace::CopyKind::DeviceToHost, 0x500, kB, 64);
  const Communication result = scene.result();
  CHECK(result.writtenByHost == 192);
  CHECK(result.hostRead == 192);
  CHECK(result.readByHost == 64);
  CHECK(result.communicated == 0);
  // 32 loads of the copy, 16 of the set.
  CHECK(transfersOf(result) ==
        std::vector<Transfer>{transfer(kHost, 0, 0, 0, 192, 48), transfer(0, 0, kHost, 0, 64, 1)});
}

TEST_CASE("freed memory is forgotten") {
  CommunicationScene scene;
  scene.access(kStore, 0, kA, 0);
  scene.access(kStore, 0, kB, 0);
  scene.launch();
  scene.trace.free(kA);
  scene.trace.allocate(kA, 0x1000);
  scene.access(kLoad, 1, kA, 0);
  scene.access(kLoad, 1, kB, 0);
  scene.launch();
  const Communication result = scene.result();
  CHECK(result.communicated == 128);
}

TEST_CASE("atomics read what was there and write") {
  CommunicationScene scene;
  scene.access(kStore, 0, kA, 0);
  scene.launch();
  scene.access(kAtomic, 1, kA, 0);
  scene.access(kAtomic, 2, kA, 0);
  scene.launch();
  scene.access(kLoad, 3, kA, 0);
  scene.launch();
  const Communication result = scene.result();
  CHECK(result.uniqueWritten == 256);
  CHECK(result.communicated == 256);
  // Both atomics read launch 0's version, and the value behind them is of both.
  CHECK(transfersOf(result) ==
        std::vector<Transfer>{transfer(0, 0, 1, 1, 128, 32), transfer(0, 0, 1, 2, 128, 32),
                              transfer(1, 1, 2, 3, 128, 32), transfer(1, 2, 2, 3, 128, 32)});
  REQUIRE(result.pairs.size() == 2);
  CHECK(result.pairs[1].bytes == 128);
}

TEST_CASE("a store replaces what atomics have made together, and is a part of what they make behind it") {
  CommunicationScene scene;
  scene.access(kAtomic, 0, kA, 0);
  scene.access(kAtomic, 1, kA, 0);
  scene.access(kStore, 2, kA, 0);
  scene.access(kAtomic, 1, kB, 0);
  scene.access(kStore, 2, kB, 0);
  scene.access(kAtomic, 3, kB, 0);
  scene.access(kAtomic, 3, kB, 0);
  scene.launch();
  scene.access(kLoad, 0, kA, 0);
  scene.access(kLoad, 3, kB, 0);
  scene.launch();
  scene.trace.copy(trace::CopyKind::DeviceToHost, 0x500, kB, 128);
  const Communication result = scene.result();
  CHECK(transfersOf(result) ==
        std::vector<Transfer>{transfer(0, 2, 1, 0, 128, 32), transfer(0, 2, 1, 3, 128, 32),
                              transfer(0, 3, 1, 3, 128, 32), transfer(0, 2, kHost, 0, 128, 1),
                              transfer(0, 3, kHost, 0, 128, 1)});
  CHECK(result.sameIndex == 128);
  CHECK(result.otherIndex == 256);
  CHECK(result.communicated == 256);
  CHECK(result.readByHost == 128);
}

TEST_CASE("where producers make too many pairs with readers, the last one stands for all") {
  for (const std::uint32_t ctas : {256u, 257u}) {
    CommunicationScene scene;
    for (std::uint64_t cta = 0; cta < ctas; ++cta)
      scene.access(kAtomic, cta, kA, 0);
    scene.launch(ctas);
    scene.access(kLoad, 0, kA, 0);
    scene.launch(ctas);
    scene.trace.copy(trace::CopyKind::DeviceToHost, 0x500, kA, 128);
    const std::vector<Transfer> transfers = transfersOf(scene.result());
    CHECK(transfers.size() == (ctas == 256 ? 256 : 1) + ctas);
  }
}

TEST_CASE("what a CTA reads before it writes, or of what another one wrote, is of earlier launches") {
  CommunicationScene scene;
  scene.access(kStore, 0, kA, 0);
  scene.access(kStore, 0, kA, 1);
  scene.launch();
  scene.access(kLoad, 1, kA, 0);
  scene.access(kStore, 1, kA, 0);
  scene.access(kLoad, 1, kA, 0); // its own
  scene.access(kStore, 2, kA, 1);
  scene.access(kLoad, 1, kA, 1);
  scene.launch();
  const Communication result = scene.result();
  CHECK(result.communicated == 256);
  CHECK(transfersOf(result) == std::vector<Transfer>{transfer(0, 0, 1, 1, 256, 64)});
}

TEST_CASE("bytes that the host copies twice count once") {
  CommunicationScene scene;
  scene.access(kStore, 0, kA, 0);
  scene.launch();
  for (int turn = 0; turn < 3; ++turn)
    scene.trace.copy(trace::CopyKind::DeviceToHost, 0x500, kA, turn == 2 ? 128 : 64);
  const Communication result = scene.result();
  CHECK(result.readByHost == 128);
  REQUIRE(result.pairs.size() == 1);
  CHECK(result.pairs[0].bytes == 128);
  CHECK(result.pairs[0].operations == 3);
  CHECK(transfersOf(result) == std::vector<Transfer>{transfer(0, 0, kHost, 0, 128, 3)});
}

TEST_CASE("launches are taken in the order of the host's calls, not of the file") {
  CommunicationScene scene;
  const auto first = scene.trace.launch("w()", {1, 1, 1}, {32, 1, 1});
  const auto second = scene.trace.launch("r()", {1, 1, 1}, {32, 1, 1});
  scene.access(kLoad, 0, kA, 0);
  scene.trace.records(second, scene.words);
  scene.trace.end(second);
  scene.words.clear();
  scene.access(kStore, 0, kA, 0);
  scene.trace.records(first, scene.words);
  scene.trace.end(first);
  CHECK(scene.result().communicated == 128);
}

TEST_CASE("accesses of a gigabyte count each byte, and take little memory") {
  constexpr std::uint64_t kGigabyte = 1u << 30, kBase = 0x7f0000000000u - 5000;
  TemporaryFile file;
  SiteTableBlob blob;
  const std::uint32_t out = blob.site(abi::Operation::Store, 0);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  const std::uint32_t in = blob.site(abi::Operation::Load, 0);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  TraceBuilder trace(file.path());
  trace.table(blob);
  Words words;
  words.ranges(out, 0, kBase, {kGigabyte, kGigabyte / 2});
  trace.run("fill(char*)", {2, 1, 1}, {32, 1, 1}, words);
  words.clear();
  words.ranges(in, 1, kBase + 4097, {kGigabyte, 1000});
  trace.run("look(char*)", {2, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  const Model model(file.path());
  const std::uint64_t before = peakMemory();
  const Communication result = communication(model);
  CHECK(peakMemory() - before < kGigabyte / 4);
  CHECK(result.uniqueWritten == 3 * kGigabyte / 2);
  CHECK(result.uniqueRead == kGigabyte + 1000);
  CHECK(transfersOf(result) == std::vector<Transfer>{transfer(0, 0, 1, 1, kGigabyte + 1000, 2)});
}

TEST_CASE("only global memory communicates, ranges with all their bytes") {
  TemporaryFile file;
  writeSpacesTrace(file.path());
  const Communication result = communication(Model(file.path()));
  CHECK(result.uniqueWritten == 256);
  CHECK(result.uniqueRead == 256);
  CHECK(result.communicated == 256);
  CHECK(transfersOf(result) ==
        std::vector<Transfer>{transfer(0, 1, 1, 0, 128, 32), transfer(0, 0, 1, 1, 128, 32)});
  CHECK(result.counts == trace::Counts{64, 4, 0, 256, 256, 0});
}

} // namespace communication_test
