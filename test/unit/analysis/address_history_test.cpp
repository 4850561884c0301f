/// The history of addresses, and the part of it that takes part in communication.
#include "analysis/metrics/address_history.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <tuple>

namespace address_history_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint32_t kLoad = 0, kStore = 1, kAtomic = 2, kStore16 = 3, kLoadAny = 4, kStoreAny = 5;
constexpr std::uint64_t kA = 0x10000, kPage = 4096;

test::SiteTableBlob table() {
  test::SiteTableBlob blob;
  const std::pair<abi::Operation, std::uint32_t> sites[] = {
      {abi::Operation::Load, 4},   {abi::Operation::Store, 4}, {abi::Operation::AtomicAdd, 4},
      {abi::Operation::Store, 16}, {abi::Operation::Load, 0},  {abi::Operation::Store, 0}};
  for (const auto &[operation, bytes] : sites) {
    blob.site(operation, bytes);
    if (bytes == 0)
      blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  }
  return blob;
}

/// A trace in the making.
struct Scene {
  Scene() : trace(file.path()) {
    trace.table(table());
    trace.table(table()); // a module in front of the kernels'
    trace.allocate(kA, std::uint64_t{1} << 32);
  }
  /// One thread of CTA `cta`.
  void access(std::uint32_t site, std::uint64_t cta, std::uint64_t address) {
    words.strided(site, cta, 0, address, 0, 1);
  }
  void launch() {
    trace.run("k(int*)", {64, 1, 1}, {1024, 1, 1}, words);
    words.clear();
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::Words words;
};

/// Launch, CTA, site, address, bytes, accesses.
using Row =
    std::tuple<LaunchIndex, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>;

std::vector<Row> rowsOf(SortedSum<HistoryEntry> &history) {
  std::vector<Row> rows;
  std::optional<HistoryEntry> before;
  history.forEach([&](const HistoryEntry &entry) {
    CHECK((!before || before->before(entry)));
    before = entry;
    rows.emplace_back(entry.launch, entry.cta, entry.site, entry.address, entry.bytes, entry.accesses);
  });
  return rows;
}

std::vector<Row> communicated(const Model &model, const std::vector<Range> &ranges,
                              AnalysisOptions options = {}) {
  CommunicatedAccesses accesses(ranges, options.memory);
  options.accesses = &accesses;
  const Communication result = communication(model, options);
  return rowsOf(*communicatedHistory(model, *result.ordering, ranges, accesses));
}
std::vector<Row> communicated(Scene &scene, const std::vector<Range> &ranges = {{0, UINT64_MAX}}) {
  scene.trace.writer->finish();
  return communicated(Model(scene.file.path()), ranges);
}

} // namespace

TEST_CASE("accesses that take part in communication are its reads, and the writes of what is read") {
  Scene scene;
  scene.access(kStore, 0, kA);
  scene.access(kStore, 0, kA + 4); // nobody reads it
  scene.access(kLoad, 3, kA);      // as it was before the launch
  scene.launch();
  scene.access(kLoad, 1, kA);
  scene.access(kLoad, 1, kA);
  scene.access(kLoad, 1, kA + 8); // nobody wrote it
  scene.launch();
  CHECK(communicated(scene) == std::vector<Row>{{0, 0, kStore, kA, 4, 1}, {1, 1, kLoad, kA, 4, 2}});
}

TEST_CASE("what a CTA reads behind its own write takes no part, and what others read does") {
  Scene scene;
  scene.access(kStore, 0, kA);
  scene.launch();
  scene.access(kLoad, 1, kA);
  scene.access(kStore, 1, kA);
  scene.access(kLoad, 1, kA); // its own
  scene.access(kLoad, 2, kA);
  scene.launch();
  CHECK(communicated(scene) ==
        std::vector<Row>{{0, 0, kStore, kA, 4, 1}, {1, 1, kLoad, kA, 4, 1}, {1, 2, kLoad, kA, 4, 1}});
}

TEST_CASE("all writes of a launch make a version; an atomic counts once, as a read or as a write") {
  Scene scene;
  scene.access(kStore, 0, kA);
  for (const std::uint64_t cta : {0, 1, 2})
    scene.words.strided(kAtomic, cta, 0, kA, 0);
  scene.launch();
  scene.words.strided(kAtomic, 5, 0, kA, 0, 7); // of which the last launch reads what is left
  scene.launch();
  scene.access(kStore, 6, kA);
  scene.access(kAtomic, 6, kA); // its own, and overwritten
  scene.access(kAtomic, 7, kA); // another one's: the version is that of the launch before
  scene.launch();
  CHECK(communicated(scene) == std::vector<Row>{{0, 0, kStore, kA, 4, 1},
                                                {0, 0, kAtomic, kA, 4, 32},
                                                {0, 1, kAtomic, kA, 4, 32},
                                                {0, 2, kAtomic, kA, 4, 32},
                                                {1, 5, kAtomic, kA, 4, 3},
                                                {2, 7, kAtomic, kA, 4, 1}});
}

TEST_CASE("only the chosen bytes of an access count") {
  Scene scene;
  scene.access(kStore16, 0, kA + 8);
  scene.launch();
  scene.access(kLoad, 1, kA + 8);
  scene.launch();
  const std::vector<Row> all{{0, 0, kStore16, kA + 8, 16, 1}, {1, 1, kLoad, kA + 8, 4, 1}};
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  CHECK(communicated(model, {{kA + 11, kA + 12}}) == all);
  CHECK(communicated(model, {{kA, kA + 9}, {kA + 8, kA + 10}, {kA + 4, kA + 100}}) == all);
  CHECK(communicated(model, {{kA + 12, kA + 24}, {kA, kA + 8}}).empty());
}

TEST_CASE("of bytes that are read at once, those that are not chosen don't count either") {
  constexpr std::uint64_t kB = kA + 64;
  Scene scene;
  scene.words.strided(kStore16, 0, 0, kB, 16, 3);
  scene.launch();
  scene.words.strided(kLoad, 1, 0, kB, 4, 0x1f);
  scene.launch();
  // The second store has one of them, which nobody reads.
  CHECK(communicated(scene, {{kB + 8, kB + 9}, {kB + 28, kB + 29}}) ==
        std::vector<Row>{{0, 0, kStore16, kB, 16, 1}, {1, 1, kLoad, kB + 8, 4, 1}});
}

TEST_CASE("an access that reaches over pages counts once, however many its parts") {
  constexpr std::uint64_t kWide = 3 << 20;
  Scene scene;
  scene.words.ranges(kStoreAny, 0, kA + 5, {kWide});
  scene.launch();
  scene.words.strided(kLoad, 1, 0, kA + kPage - 6, 4, 0xf); // the second reaches over
  scene.words.strided(kLoad, 1, 0, kA + kPage - 2, 0, 3);
  scene.words.ranges(kLoadAny, 2, kA, {kWide, 10});
  scene.words.ranges(kLoadAny, 2, kA + 2 * kWide, {kWide}); // nobody wrote it
  scene.launch();
  CHECK(communicated(scene) == std::vector<Row>{{1, 2, kLoadAny, kA, kWide, 1},
                                                {0, 0, kStoreAny, kA + 5, kWide, 1},
                                                {1, 1, kLoad, kA + kPage - 6, 4, 1},
                                                {1, 1, kLoad, kA + kPage - 2, 4, 3},
                                                {1, 1, kLoad, kA + kPage + 2, 4, 1},
                                                {1, 1, kLoad, kA + kPage + 6, 4, 1},
                                                {1, 2, kLoadAny, kA + kWide, 10, 1}});
}

TEST_CASE("the history depends neither on threads nor on memory, and filters what is there", "[random]") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Scene scene;
    for (int launch = 0; launch < 12; ++launch) {
      for (int i = 0; i < 60; ++i) {
        const std::uint32_t site = random() % 4;
        const std::uint64_t align = site == kAtomic ? ~std::uint64_t{3} : ~std::uint64_t{0};
        const std::uint64_t base = kA + random() % (200 * kPage);
        scene.words.strided(site, random() % 8, 0, base & align, random() % 4 * 4, random() | 1);
      }
      scene.words.ranges(random() % 2 ? kLoadAny : kStoreAny, random() % 8, kA + random() % (200 * kPage),
                         {1 + random() % (100 * kPage), 1 + random() % 50});
      scene.launch();
    }
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    const std::vector<Range> ranges =
        seed % 2 ? std::vector<Range>{{kA + 1000, kA + 300'000}} : std::vector<Range>{{0, UINT64_MAX}};
    const std::vector<Row> rows = communicated(model, ranges, {.threads = 1});
    CHECK(rows.size() > 100);
    for (const AnalysisOptions &options :
         {AnalysisOptions{.threads = 8}, {.threads = 1, .memory = 1}, {.threads = 4, .memory = 1}})
      CHECK(communicated(model, ranges, options) == rows);
    const std::vector<Row> all = rowsOf(*addressHistory(model, Ordering(model), ranges));
    CHECK(rows.size() < all.size());
    for (const Row &row : rows) {
      const auto same = std::ranges::find_if(all, [&](const Row &other) {
        return std::tie(std::get<0>(row), std::get<1>(row), std::get<2>(row), std::get<3>(row),
                        std::get<4>(row)) == std::tie(std::get<0>(other), std::get<1>(other),
                                                      std::get<2>(other), std::get<3>(other),
                                                      std::get<4>(other));
      });
      REQUIRE(same != all.end());
      CHECK(std::get<5>(row) <= std::get<5>(*same));
    }
  }
}

} // namespace address_history_test
