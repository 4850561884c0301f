/// Random traces against the definition byte by byte, whatever the threads, the memory and the peers.
#include "analysis/engine/peer_failure.h"
#include "analysis/render/results_json.h"
#include "byte_reference.h"
#include "communication_scene.h"
#include "thread_peers.h"
#include "unit/seed_count.h"

#include <catch2/catch.hpp>
#include <filesystem>

namespace communication_ways_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace cupr::test;

namespace {

void compare(const Communication &result, const ByteReference &reference) {
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

TEST_CASE("random traces agree with the definition byte by byte, for any number of threads and any memory",
          "[random]") {
  for (unsigned seed = 0; seed < test::seedCount(80); ++seed) {
    INFO("seed " << seed);
    CommunicationScene scene;
    writeRandomTrace(scene, seed);
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    const ByteReference reference(model);
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
    CommunicationScene scene;
    writeRandomTrace(scene, seed);
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    const std::string alone = jsonOf(model, {.threads = 1, .ctaStrides = true});
    for (const unsigned count : {2u, 3u, 4u})
      for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{1} << 30}) {
        std::string together;
        const auto thrown = ThreadPeers(count).run([&](Peers &peers) {
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
  CommunicationScene scene;
  for (int launch = 0; launch < 4; ++launch) {
    scene.words.strided(kStore, 0, 0, kA, 4);
    scene.launch();
  }
  scene.trace.writer->finish();
  const std::string gone = scene.file.path() + ".gone";
  std::filesystem::copy_file(scene.file.path(), gone);
  const auto thrown = ThreadPeers(3).run([&](Peers &peers) {
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

} // namespace communication_ways_test
