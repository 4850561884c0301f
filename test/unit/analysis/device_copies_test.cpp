/// Copies on the device, which hand on who wrote their source, over many pages and shards.
#include "analysis/engine/communication.h"
#include "analysis/engine/page_deal.h"
#include "analysis/render/results_json.h"
#include "thread_peers.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

namespace device_copies_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint32_t kLoad = 0, kStore = 1;
constexpr std::uint64_t kBytes = 150 * kPageBytes;
constexpr std::uint64_t kArrays[] = {0x10000000, 0x20000000, 0x30000000};

struct Scene {
  Scene() : trace(file.path()) {
    test::SiteTableBlob blob;
    blob.column(blob.site(abi::Operation::Load, 4) + 1);
    blob.column(blob.site(abi::Operation::Store, 4) + 1);
    trace.table(blob);
    for (const std::uint64_t array : kArrays)
      trace.allocate(array, kBytes);
  }
  void access(std::uint32_t site, std::uint64_t cta, std::uint64_t address) {
    words.strided(site, cta, 0, address, 4);
  }
  void launch() {
    trace.run("k(int*)", {64, 1, 1}, {1024, 1, 1}, words);
    words.clear();
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::Words words;
};

/// (launch, CTA) -> (launch, CTA): bytes, by the definition: each byte knows who produced it.
struct Producers {
  std::map<std::uint64_t, std::pair<LaunchIndex, std::uint32_t>> of;
  std::map<std::tuple<LaunchIndex, std::uint32_t, LaunchIndex, std::uint32_t>, std::uint64_t> transfers;
  std::set<std::tuple<LaunchIndex, std::uint32_t, std::uint64_t>> read; ///< by whom, which byte
  LaunchIndex launch = 0;

  void store(std::uint32_t cta, std::uint64_t address) {
    for (std::uint64_t at = address; at < address + 128; ++at)
      of[at] = {launch, cta};
  }
  void load(std::uint32_t cta, std::uint64_t address) {
    for (std::uint64_t at = address; at < address + 128; ++at)
      if (const auto found = of.find(at); found != of.end() && read.emplace(launch, cta, at).second)
        ++transfers[{found->second.first, found->second.second, launch, cta}];
  }
  void copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes) {
    std::map<std::uint64_t, std::pair<LaunchIndex, std::uint32_t>> moved;
    for (std::uint64_t i = 0; i < bytes; ++i)
      if (const auto found = of.find(source + i); found != of.end())
        moved[destination + i] = found->second;
    of.erase(of.lower_bound(destination), of.lower_bound(destination + bytes));
    of.merge(moved);
  }
};

/// Launches that write, copies from anywhere to anywhere, and launches that read.
Producers writeRandom(Scene &scene, unsigned seed) {
  std::mt19937 random(seed);
  Producers producers;
  const auto place = [&](std::uint64_t bytes) {
    return kArrays[random() % 3] + random() % (kBytes - bytes) / 4 * 4;
  };
  for (int step = 0; step < 12; ++step)
    if (step % 3 == 1) {
      const std::uint64_t bytes = 400 + random() % (kBytes / 4) / 4 * 4;
      std::uint64_t to = place(2 * bytes), from = place(bytes);
      if (random() % 2) { // as whole allocations lie
        to -= to % kPageBytes;
        from -= from % kPageBytes;
      }
      // Rows of one copy have no order among each other.
      const bool overlap = to < from + 2 * bytes && from < to + 2 * bytes;
      if (overlap || random() % 2) {
        scene.trace.copy(trace::CopyKind::DeviceToDevice, to, from, bytes);
        producers.copy(to, from, bytes);
      } else {
        scene.trace.copyRows(to, bytes / 2 + 100, from, bytes / 2, bytes / 2, 2);
        producers.copy(to, from, bytes / 2);
        producers.copy(to + bytes / 2 + 100, from + bytes / 2, bytes / 2);
      }
    } else {
      for (std::uint32_t cta = 0; cta < 64; ++cta)
        for (int i = 0; i < 20; ++i) {
          const std::uint64_t address = place(128);
          scene.access(step % 3 == 0 ? kStore : kLoad, cta, address);
          if (step % 3 == 0)
            producers.store(cta, address);
          else
            producers.load(cta, address);
        }
      scene.launch();
      ++producers.launch;
    }
  return producers;
}

} // namespace

TEST_CASE("copies on the device hand on who wrote each byte", "[random]") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    Scene scene;
    const Producers producers = writeRandom(scene, seed);
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    for (const AnalysisOptions &options :
         {AnalysisOptions{.threads = 1}, AnalysisOptions{.threads = 4, .memory = 1}}) {
      std::map<std::tuple<LaunchIndex, std::uint32_t, LaunchIndex, std::uint32_t>, std::uint64_t> transfers;
      const Communication result = communication(model, options);
      result.transfers->forEach([&](const Transfer &t) {
        if (t.dependence == kCommunication && t.source != kHost && t.destination != kHost)
          transfers[{t.source, t.sourceCta, t.destination, t.destinationCta}] += t.bytes;
      });
      // The first that differ; all would be thousands of lines.
      int differ = 0;
      for (const auto &[ends, bytes] : producers.transfers)
        if (const auto found = transfers.find(ends);
            (found == transfers.end() || found->second != bytes) && ++differ < 4)
          FAIL_CHECK("launch " << std::get<0>(ends) << " CTA " << std::get<1>(ends) << " to launch "
                               << std::get<2>(ends) << " CTA " << std::get<3>(ends) << ": " << bytes
                               << " bytes, and found are " << (found == transfers.end() ? 0 : found->second));
      CHECK(differ == 0);
      CHECK(transfers.size() == producers.transfers.size());
      CHECK(result.communicated <= result.written());
    }
  }
}

TEST_CASE("peers agree about what copies on the device hand on") {
  const auto jsonOf = [](const Model &model, const AnalysisOptions &options) {
    std::string text;
    resultsJson(model, resultsOf(model, options), TransferList::Complete,
                [&](std::string_view part) { text += part; });
    return text;
  };
  Scene scene;
  writeRandom(scene, 100);
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const std::string alone = jsonOf(model, {.threads = 1});
  std::string together;
  const auto thrown = test::ThreadPeers(3).run([&](Peers &peers) {
    const Model mine(scene.file.path());
    const AnalysisOptions options{.threads = 1, .memory = 1, .peers = &peers};
    if (peers.isFirst())
      together = jsonOf(mine, options);
    else
      communication(mine, options);
  });
  CHECK(std::ranges::count(thrown, nullptr) == 3);
  CHECK(together == alone);
}

TEST_CASE("each page is one shard's, and copies connect what they must") {
  trace::WorkLimit limit("any", 1 << 20);
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    std::vector<Move> moves;
    for (unsigned i = 0; i < seed % 7; ++i) {
      const std::uint64_t from = random() % (300 * kPageBytes);
      moves.push_back({{from, from + 1 + random() % (40 * kPageBytes)}, random() % (300 * kPageBytes)});
    }
    const PageDeal deal(moves, limit);
    for (const Move &move : moves)
      for (int i = 0; i < 100; ++i) {
        const std::uint64_t offset = random() % move.source.bytes();
        CHECK(deal.shardOf((move.source.begin + offset) >> kPageShift) ==
              deal.shardOf((move.destination + offset) >> kPageShift));
      }
    const std::uint64_t begin = random() % (200 * kPageBytes);
    const Range range{begin, begin + 1 + random() % (300 * kPageBytes)};
    std::uint64_t bytes = 0;
    for (unsigned shard = 0; shard < kShards; ++shard) {
      std::uint64_t last = 0;
      deal.forEachPart(range, shard, [&](const Range &part) {
        bytes += part.bytes();
        REQUIRE((part.begin >= range.begin && part.end <= range.end && part.begin >= last));
        last = part.end;
        REQUIRE(part.begin >> kPageShift == (part.end - 1) >> kPageShift);
        REQUIRE(deal.shardOf(part.begin >> kPageShift) == shard);
      });
    }
    CHECK(bytes == range.bytes());
  }
}

TEST_CASE("arrays that are copied as a whole stay even over the shards") {
  trace::WorkLimit limit("any", 1 << 20);
  const PageDeal deal({{{0x10000000, 0x11000000}, 0x50000000}, {{0x50000000, 0x51000000}, 0x70000000}},
                      limit);
  std::map<unsigned, unsigned> pages;
  for (std::uint64_t page = 0x70000000 >> kPageShift; page < 0x71000000 >> kPageShift; ++page)
    ++pages[deal.shardOf(page)];
  CHECK(pages.size() == kShards);
  for (const auto &[shard, count] : pages)
    CHECK(count == 4096 / kShards);
}

} // namespace device_copies_test
