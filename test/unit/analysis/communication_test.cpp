/// Communication: traces whose answers are arithmetic, and random traces against the
/// definition byte by byte.
#include "analysis/engine/communication.h"
#include "analysis/engine/peer_failure.h"
#include "analysis/render/results_json.h"
#include "byte_reference.h"
#include "thread_peers.h"
#include "unit/trace/spaces_trace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <sys/resource.h>

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint32_t kLoad = 0, kStore = 1, kAtomic = 2;
constexpr std::uint64_t kA = 0x10000, kB = 0x20000;

/// Each access stands in a column of its own.
test::SiteTableBlob table() {
  test::SiteTableBlob blob;
  const std::pair<abi::Operation, std::uint32_t> sites[] = {
      {abi::Operation::Load, 4}, {abi::Operation::Store, 4},  {abi::Operation::AtomicAdd, 4},
      {abi::Operation::Load, 8}, {abi::Operation::Store, 16}, {abi::Operation::Store, 1}};
  for (const auto &[operation, bytes] : sites)
    blob.column(blob.site(operation, bytes) + 1);
  return blob;
}

/// A trace in the making, with arrays at kA and kB.
struct Scene {
  Scene() : trace(file.path()) {
    trace.table(table());
    trace.allocate(kA, 0x1000);
    trace.allocate(kB, 0x1000);
  }
  /// CTA `cta` accesses the 128 bytes of block `block` of an array.
  void access(std::uint32_t site, std::uint64_t cta, std::uint64_t array, std::uint64_t block) {
    words.strided(site, cta, 0, array + 128 * block, 4);
  }
  void launch(std::uint32_t ctas = 4) {
    trace.run("k(int*)", {ctas, 1, 1}, {1024, 1, 1}, words);
    words.clear();
  }
  Communication result() {
    trace.writer->finish();
    return communication(Model(file.path()));
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::Words words;
};

/// Of the process so far, in bytes.
std::uint64_t peakMemory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::vector<Transfer> transfersOf(const Communication &result) {
  std::vector<Transfer> transfers;
  result.transfers->forEach([&](const Transfer &transfer) {
    if (transfer.dependence == kCommunication)
      transfers.push_back(transfer);
  });
  return transfers;
}

Transfer transfer(LaunchIndex source, std::uint32_t sourceCta, LaunchIndex destination,
                  std::uint32_t destinationCta, std::uint64_t bytes, std::uint64_t operations) {
  return {source, destination, sourceCta, destinationCta, bytes, operations};
}

} // namespace

TEST_CASE("launches of which some blocks were not recorded are incomplete") {
  Scene scene;
  scene.launch();
  const trace::CtaSelection some[] = {{1, UINT64_MAX, 1}, {0, 3, 1}, {0, UINT64_MAX, 2}};
  for (const trace::CtaSelection &ctas : some)
    scene.trace.end(scene.trace.launch("k(int*)", {4, 1, 1}, {32, 1, 1}, ctas));
  CHECK(scene.result().incompleteLaunches == 3);
}

TEST_CASE("ring: each CTA reads what its neighbour wrote") {
  Scene scene;
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
  Scene scene;
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
  Scene scene;
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
  Scene scene;
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
  Scene scene;
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
  Scene scene;
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
  Scene scene;
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
  Scene scene;
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
  Scene scene;
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
  Scene scene;
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
    Scene scene;
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

TEST_CASE("a scratch buffer that each launch fills before it reads it does not connect launches") {
  Scene scene;
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

TEST_CASE("what a CTA reads before it writes, or of what another one wrote, is of earlier launches") {
  Scene scene;
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

TEST_CASE("dependences inside a launch count bytes and readers, and tell reads from overwriting") {
  using enum DependenceKind;
  using enum DependenceOrder;
  constexpr std::uint32_t kOtherStore = 5; // of one byte each
  Scene scene;
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

TEST_CASE("bytes that the host copies twice count once") {
  Scene scene;
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

TEST_CASE("instances of one access of the source have one row of dependences") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  for (const abi::Operation operation : {abi::Operation::Load, abi::Operation::Store})
    for (int instance = 0; instance < 3; ++instance)
      blob.site(operation, 4);
  trace.table(blob);
  test::Words words;
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

TEST_CASE("launches are taken in the order of the host's calls, not of the file") {
  Scene scene;
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

namespace {

/// Copies, sets, allocations, launches and calls of synchronisation in several streams, over few addresses.
void writeRandomTrace(Scene &scene, unsigned seed) {
  std::mt19937 random(seed);
  const bool streams = seed % 2 != 0;
  const std::uint64_t bytes = 300 + random() % 8000;
  bool allocated = true;
  for (int step = 0; step < 20; ++step) {
    if (streams) {
      const std::pair<std::uint64_t, trace::StreamKind> kinds[] = {{1, trace::StreamKind::Legacy},
                                                                   {5, trace::StreamKind::Blocking},
                                                                   {6, trace::StreamKind::Blocking},
                                                                   {7, trace::StreamKind::NonBlocking}};
      const auto &[stream, kind] = kinds[random() % 4];
      scene.trace.stream(stream, kind);
      if (random() % 4 == 0)
        scene.trace.synchronise(static_cast<trace::Synchronisation::Kind>(random() % 5), random() % 2);
    }
    const unsigned act = random() % 12;
    if (act == 0)
      scene.trace.copy(static_cast<trace::CopyKind>(1 + random() % 3), kA + random() % bytes,
                       kA + random() % bytes, random() % 300, random() % 2 != 0);
    else if (act == 1)
      scene.trace.set(kA + random() % bytes, random() % 300);
    else if (act == 2 && allocated) {
      scene.trace.free(kA);
      allocated = false;
    } else if (act == 3 && !allocated) {
      scene.trace.allocate(kA, 0x800);
      allocated = true;
    } else {
      const unsigned records = 1 + random() % 30;
      for (unsigned i = 0; i < records; ++i) {
        abi::WarpAccess access{};
        access.site = random() % 6;
        access.cta = random() % 4;
        access.warp = random() % 3;
        access.laneMask = random() % 2 ? 0xffffffffu : 1 + random() % 0xfffffffeu;
        const std::uint64_t base = kA + random() % bytes;
        const int shape = random() % 3;
        for (unsigned lane = 0; lane < 32; ++lane) {
          access.address[lane] = shape == 0   ? base + 4 * lane
                                 : shape == 1 ? kA + random() % bytes
                                              : base - 3 * lane;
          if (access.site == kAtomic) // as the machine demands
            access.address[lane] &= ~std::uint64_t{3};
        }
        scene.words.add(access);
      }
      scene.launch();
    }
  }
}

void compare(const Communication &result, const test::ByteReference &reference) {
  CHECK(result.uniqueWritten == reference.uniqueWritten);
  CHECK(result.uniqueRead == reference.uniqueRead);
  CHECK(result.communicated == reference.communicated);
  CHECK(result.sameIndex == reference.sameIndex);
  CHECK(result.otherIndex == reference.otherIndex);
  CHECK(result.handedOn == reference.handedOn);
  CHECK(result.concurrent == reference.concurrent);
  CHECK(result.readByHost == reference.readByHost);
  CHECK(result.writtenByHost == reference.writtenByHost);
  CHECK(result.hostRead == reference.hostRead);
  std::size_t transfers = 0;
  result.transfers->forEach([&](const Transfer &t) {
    ++transfers;
    const auto found =
        reference.transfers.find({t.dependence, {t.source, t.sourceCta}, {t.destination, t.destinationCta}});
    REQUIRE(found != reference.transfers.end());
    CHECK(t.bytes == found->second.first);
    CHECK(t.operations == found->second.second);
  });
  CHECK(transfers == reference.transfers.size());
  REQUIRE(result.pairs.size() == reference.pairs.size());
  for (const LaunchPair &pair : result.pairs) {
    const auto found = reference.pairs.find({pair.source, pair.destination});
    REQUIRE(found != reference.pairs.end());
    CHECK(pair.bytes == found->second[0]);
    CHECK(pair.sameIndex == found->second[1]);
    CHECK(pair.otherIndex == found->second[2]);
  }
  REQUIRE(result.dependences.size() == reference.dependences.size());
  for (const auto &[dependence, volume] : result.dependences) {
    const auto siteOf = [](const KernelSite &place) {
      return place.launch == kHost ? -1 : static_cast<int>(place.site);
    };
    const auto found = reference.dependences.find(
        {dependence.dependence, siteOf(dependence.first), siteOf(dependence.second)});
    REQUIRE(found != reference.dependences.end());
    CHECK(volume.bytes == found->second);
  }
  for (std::uint32_t site = 0; site < result.sites.size(); ++site) {
    const auto found = reference.communicatedBySite.find(site);
    CHECK(result.sites[site].communicated ==
          (found == reference.communicatedBySite.end() ? 0 : found->second));
  }
  for (std::size_t i = 0; i < result.allocations.size(); ++i) {
    const auto found = reference.allocations.find(i);
    const std::array<std::uint64_t, 3> bytes =
        found == reference.allocations.end() ? std::array<std::uint64_t, 3>{} : found->second;
    CHECK(result.allocations[i].uniqueRead == bytes[0]);
    CHECK(result.allocations[i].uniqueWritten == bytes[1]);
    CHECK(result.allocations[i].communicated == bytes[2]);
  }
}

} // namespace

TEST_CASE("random traces agree with the definition byte by byte, for any number of threads and any memory") {
  for (unsigned seed = 0; seed < 80; ++seed) {
    INFO("seed " << seed);
    Scene scene;
    writeRandomTrace(scene, seed);
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    const test::ByteReference reference(model);
    AnalysisOptions options{.copies = DeviceCopies::Read}; // device_copies_test.cpp has the other meaning
    for (const unsigned threads : {1u, 2u, 8u}) {
      options.threads = threads;
      compare(communication(model, options), reference);
    }
    options.memory = 1; // shards and transfers go to disk whenever they can
    compare(communication(model, options), reference);
  }
}

namespace {

using CtaStrideSums =
    std::map<std::tuple<LaunchIndex, std::uint32_t, CtaStride::Kind, std::uint64_t>, std::uint64_t>;

CtaStrideSums ctaStridesOf(const Communication &result) {
  CtaStrideSums sums;
  result.ctaStrides->forEach([&](const CtaStride &stride) {
    CHECK(sums.insert({{stride.launch, stride.cta, stride.kind, stride.stride}, stride.bytes}).second);
  });
  return sums;
}

} // namespace

TEST_CASE(
    "strides of a CTA are those of what it read of earlier launches, and of what later ones read of it") {
  using enum CtaStride::Kind;
  Scene scene;
  scene.access(kStore, 0, kA, 0);
  scene.access(kStore, 1, kA, 1); // nobody reads it
  scene.words.strided(kStore, 2, 0, kA + 1024, 8);
  scene.launch();
  scene.access(kLoad, 0, kA, 0); // its own data
  scene.words.strided(kLoad, 3, 0, kA, 0);
  scene.words.strided(kLoad, 3, 0, kA + 1024, 16, 0xffff);
  scene.launch();
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  CHECK_FALSE(communication(model).ctaStrides);
  const Communication result = communication(model, {.ctaStrides = true});
  // Of a warp, the thread with the lowest address has no stride.
  CHECK(ctaStridesOf(result) == CtaStrideSums{{{0, 0, Stores, 4}, 31 * 4},
                                              {{0, 2, Stores, 8}, 15 * 4},
                                              {{0, 2, HandedOnStores, 8}, 15 * 4},
                                              {{1, 0, Loads, 4}, 31 * 4},
                                              {{1, 3, Loads, 0}, 31 * 4},
                                              {{1, 3, HandedOnLoads, 0}, 31 * 4},
                                              {{1, 3, Loads, 16}, 15 * 4},
                                              {{1, 3, HandedOnLoads, 16}, 15 * 4}});
}

TEST_CASE("what several CTAs made together has the stride of the one that was last") {
  using enum CtaStride::Kind;
  Scene scene;
  for (const std::uint64_t cta : {2, 0, 1})
    scene.access(kAtomic, cta, kA, 0);
  scene.launch();
  scene.access(kLoad, 1, kA, 0);
  scene.launch();
  scene.trace.writer->finish();
  CHECK(ctaStridesOf(communication(Model(scene.file.path()), {.ctaStrides = true})) ==
        CtaStrideSums{{{0, 1, Stores, 4}, 31 * 4},
                      {{0, 1, HandedOnStores, 4}, 31 * 4},
                      {{1, 1, Loads, 4}, 31 * 4},
                      {{1, 1, HandedOnLoads, 4}, 31 * 4}});
}

TEST_CASE("strides of CTAs add up to those of the program, for any number of threads and any memory") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    Scene scene;
    writeRandomTrace(scene, seed);
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    const Communication result = communication(model, {.threads = 1, .ctaStrides = true});
    const CtaStrideSums sums = ctaStridesOf(result);
    std::array<StrideVolume, 4> all;
    for (const auto &[key, bytes] : sums)
      all[static_cast<unsigned>(std::get<2>(key))][std::get<3>(key)] += bytes;
    CHECK(all == std::array{result.loadStrides, result.storeStrides, result.handedOnLoadStrides,
                            result.handedOnStoreStrides});
    for (const AnalysisOptions &options :
         {AnalysisOptions{.threads = 8, .ctaStrides = true}, {.threads = 4, .memory = 1, .ctaStrides = true}})
      CHECK(ctaStridesOf(communication(model, options)) == sums);
  }
}

TEST_CASE("accesses of a gigabyte count each byte, and take little memory") {
  constexpr std::uint64_t kGigabyte = 1u << 30, kBase = 0x7f0000000000u - 5000;
  test::TemporaryFile file;
  test::SiteTableBlob blob;
  const std::uint32_t out = blob.site(abi::Operation::Store, 0);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  const std::uint32_t in = blob.site(abi::Operation::Load, 0);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  test::TraceBuilder trace(file.path());
  trace.table(blob);
  test::Words words;
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

namespace {

std::string jsonOf(const Model &model, const AnalysisOptions &options) {
  std::string text;
  resultsJson(model, resultsOf(model, options), TransferList::Complete,
              [&](std::string_view part) { text += part; });
  return text;
}

} // namespace

TEST_CASE("peers that share the work have the result of one process") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    INFO("seed " << seed);
    Scene scene;
    writeRandomTrace(scene, seed);
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    const std::string alone = jsonOf(model, {.threads = 1, .ctaStrides = true});
    for (const unsigned count : {2u, 3u, 4u})
      for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{1} << 30}) {
        std::string together;
        const auto thrown = test::ThreadPeers(count).run([&](Peers &peers) {
          const Model mine(scene.file.path());
          const AnalysisOptions options{.threads = 1, .memory = memory, .peers = &peers, .ctaStrides = true};
          if (peers.isFirst())
            together = jsonOf(mine, options);
          else
            communication(mine, options);
        });
        CHECK(std::ranges::count(thrown, nullptr) == count);
        CHECK(together == alone);
      }
  }
}

TEST_CASE("a peer that fails ends the work of all, with its reason") {
  Scene scene;
  for (int launch = 0; launch < 4; ++launch) {
    scene.words.strided(kStore, 0, 0, kA, 4);
    scene.launch();
  }
  scene.trace.writer->finish();
  const std::string gone = scene.file.path() + ".gone";
  std::filesystem::copy_file(scene.file.path(), gone);
  const auto thrown = test::ThreadPeers(3).run([&](Peers &peers) {
    const Model model(peers.number() == 1 ? gone : scene.file.path());
    if (peers.number() == 1)
      std::filesystem::remove(gone); // each thread of the analysis opens it anew
    communication(model, {.threads = 1, .peers = &peers});
  });
  for (const std::exception_ptr &failure : thrown) {
    REQUIRE(failure);
    CHECK_THROWS_AS(std::rethrow_exception(failure), PeerFailure);
    CHECK_THROWS_WITH(std::rethrow_exception(failure), Catch::Contains(gone));
  }
}

TEST_CASE("only global memory communicates, ranges with all their bytes") {
  test::TemporaryFile file;
  test::writeSpacesTrace(file.path());
  const Communication result = communication(Model(file.path()));
  CHECK(result.uniqueWritten == 256);
  CHECK(result.uniqueRead == 256);
  CHECK(result.communicated == 256);
  CHECK(transfersOf(result) ==
        std::vector<Transfer>{transfer(0, 1, 1, 0, 128, 32), transfer(0, 0, 1, 1, 128, 32)});
  CHECK(result.counts == trace::Counts{64, 4, 0, 256, 256, 0});
}
