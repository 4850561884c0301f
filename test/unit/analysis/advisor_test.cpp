/// The advisor on traces whose answers are arithmetic, and on random ones against a count of every byte.
#include "analysis/metrics/advisor.h"
#include "analysis/model/records.h"
#include "unit/trace/trace_builder.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace advisor_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kA = 0x10000, kB = 0x20000;
using Blocks = std::vector<std::uint64_t>;

/// CTA n writes block n of 128 bytes, or reads the blocks that `sources` names.
struct Scene {
  Scene() : trace(file.path()) {
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4);
    blob.site(abi::Operation::Store, 4);
    trace.table(blob);
  }
  void write(const trace::Dim3 &grid) {
    test::Words words;
    for (std::uint64_t cta = 0; cta < std::uint64_t{grid.x} * grid.y * grid.z; ++cta)
      words.strided(1, cta, 0, kA + 128 * cta, 4);
    trace.run("w(int*)", grid, {32, 1, 1}, words);
  }
  void read(const trace::Dim3 &grid, const std::function<Blocks(std::uint64_t)> &sources,
            std::uint64_t array = kA) {
    test::Words words;
    for (std::uint64_t cta = 0; cta < std::uint64_t{grid.x} * grid.y * grid.z; ++cta)
      for (const std::uint64_t block : sources(cta))
        words.strided(0, cta, 0, array + 128 * block, 4);
    trace.run("r(int*)", grid, {32, 1, 1}, words);
  }
  /// By default for GPUs of one multiprocessor: small grids are work enough.
  std::optional<Advisor> advice(AdvisorOptions options = {}, unsigned multiprocessors = 1) {
    options.multiprocessors = multiprocessors;
    trace.writer->finish();
    const Model model(file.path());
    return advise(model, communication(model), options);
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
};

const AdvisorCut *cutOf(const Advisor &advisor, unsigned devices, CutKind kind) {
  for (const AdvisorCut &cut : advisor.cuts)
    if (cut.devices == devices && cut.kind == kind)
      return &cut;
  return nullptr;
}

std::uint64_t crossing(const Advisor &advisor, unsigned devices, CutKind kind) {
  const AdvisorCut *cut = cutOf(advisor, devices, kind);
  REQUIRE(cut);
  CHECK(cut->crossingOnce <= cut->crossing);
  return cut->crossing;
}

} // namespace

TEST_CASE("ring: a cut in two crosses two edges, cyclic crosses all") {
  Scene scene;
  scene.write({8, 1, 1});
  scene.read({8, 1, 1}, [](std::uint64_t cta) { return Blocks{(cta + 1) % 8}; });
  AdvisorOptions options;
  options.devices = {2, 3, 4};
  options.bytesPerSecond = 1e9;
  options.latencySeconds = 1e-6;
  const auto advisor = scene.advice(options);
  REQUIRE(advisor);
  CHECK(crossing(*advisor, 2, CutKind::X) == 2 * 128);
  CHECK(crossing(*advisor, 3, CutKind::X) == 3 * 128);
  CHECK(crossing(*advisor, 4, CutKind::X) == 4 * 128);
  CHECK(crossing(*advisor, 2, CutKind::Cyclic) == 8 * 128);
  CHECK(crossing(*advisor, 2, CutKind::Graph) == 2 * 128);
  CHECK_FALSE(cutOf(*advisor, 2, CutKind::Y));
  CHECK_FALSE(cutOf(*advisor, 4, CutKind::Block));

  const AdvisorCut &cut = *cutOf(*advisor, 2, CutKind::X);
  CHECK(cut.crossingOnce == cut.crossing);
  CHECK(cut.memory == (4 + 1) * 128);
  CHECK(cut.crossingShare == 0.25);
  CHECK(cut.supersteps == std::vector<std::uint64_t>{0, 256});
  CHECK(cut.balance == 1);
  CHECK(cut.parallelism == 2);
  CHECK(cut.readFromHost == 0);
  // Each GPU sends and receives one edge.
  CHECK(cut.seconds == Approx(1e-6 + 128 / 1e9));
  CHECK_FALSE(cut.speedup);
  // 8 CTAs on 3 GPUs: 3, 3 and 2.
  CHECK(cutOf(*advisor, 3, CutKind::X)->balance == Approx(3 * 3 / 8.0));
  CHECK(cutOf(*advisor, 3, CutKind::X)->parallelism == Approx(8 / 3.0));

  REQUIRE(advisor->best.size() == 3);
  CHECK(&advisor->cuts[advisor->best[0]] == &cut);
  CHECK(advisor->notes.empty());
}

TEST_CASE("a GPU sends what crosses, however often it was written and however many CTAs read it") {
  Scene scene;
  test::Words words;
  for (int turn = 0; turn < 64; ++turn)
    words.strided(1, 0, 0, kA, 4);
  words.strided(1, 31, 0, kA + 0x1000, 4); // so that GPU 1 has work
  scene.trace.run("w(int*)", {32, 1, 1}, {32, 1, 1}, words);
  scene.read({32, 1, 1}, [](std::uint64_t) { return Blocks{0}; });
  AdvisorOptions options;
  options.devices = {2, 8};
  options.bytesPerSecond = 1e9;
  const auto advisor = scene.advice(options);
  REQUIRE(advisor);
  CHECK(crossing(*advisor, 2, CutKind::X) == 128);
  CHECK(cutOf(*advisor, 2, CutKind::X)->seconds == Approx(128 / 1e9));
  CHECK(crossing(*advisor, 8, CutKind::X) == 7 * 128);
  CHECK(cutOf(*advisor, 8, CutKind::X)->seconds == Approx(7 * 128 / 1e9));
}

TEST_CASE("stencil that reads rows above and below: a cut in y crosses the halo only, one in x nothing") {
  Scene scene;
  scene.write({4, 4, 1});
  scene.read({4, 4, 1}, [](std::uint64_t cta) {
    Blocks blocks{cta};
    if (cta >= 4)
      blocks.push_back(cta - 4);
    if (cta < 12)
      blocks.push_back(cta + 4);
    return blocks;
  });
  const auto advisor = scene.advice();
  REQUIRE(advisor);
  CHECK(crossing(*advisor, 2, CutKind::X) == 0);
  CHECK(crossing(*advisor, 2, CutKind::Y) == 2 * 4 * 128);
  CHECK(crossing(*advisor, 4, CutKind::X) == 0);
  CHECK(crossing(*advisor, 4, CutKind::Y) == 3 * 2 * 4 * 128);
  CHECK(crossing(*advisor, 4, CutKind::Block) == 2 * 4 * 128);
  CHECK(cutOf(*advisor, 4, CutKind::Block)->tiles == Tiles{2, 2, 1});
  // Cyclic over 4 is a cut in columns here, and as good.
  CHECK(crossing(*advisor, 4, CutKind::Cyclic) == 0);
  CHECK(advisor->cuts[advisor->best[1]].kind == CutKind::X);
  // No dimension has 8 CTAs: of the blocks 4 x 2 and 2 x 4, the one with the fewer cuts in y.
  CHECK_FALSE(cutOf(*advisor, 8, CutKind::X));
  CHECK(cutOf(*advisor, 8, CutKind::Block)->tiles == Tiles{4, 2, 1});
  CHECK(crossing(*advisor, 8, CutKind::Block) == 2 * 4 * 128);
}

TEST_CASE("transpose: half of the blocks change the half, and the tile") {
  Scene scene;
  scene.write({4, 4, 1});
  scene.read({4, 4, 1}, [](std::uint64_t cta) { return Blocks{cta % 4 * 4 + cta / 4}; });
  const auto advisor = scene.advice();
  REQUIRE(advisor);
  CHECK(crossing(*advisor, 2, CutKind::X) == 8 * 128);
  CHECK(crossing(*advisor, 2, CutKind::Y) == 8 * 128);
  CHECK(crossing(*advisor, 4, CutKind::Block) == 8 * 128);
  // The pairs (x, y), (y, x) can stay together.
  CHECK(crossing(*advisor, 2, CutKind::Graph) == 0);
  CHECK(advisor->cuts[advisor->best[0]].kind == CutKind::Graph);
}

TEST_CASE("all to all: each block goes once to each other GPU, however many CTAs read it there") {
  Scene scene;
  scene.write({4, 4, 1});
  scene.read({4, 4, 1}, [](std::uint64_t) {
    Blocks all;
    for (std::uint64_t block = 0; block < 16; ++block)
      all.push_back(block);
    return all;
  });
  AdvisorOptions options;
  options.bytesPerSecond = 1e9;
  options.kernelSeconds = 8e-6;
  const auto advisor = scene.advice(options);
  REQUIRE(advisor);
  for (const AdvisorCut &cut : advisor->cuts) {
    CHECK(cut.crossing == (cut.devices - 1) * 16 * 128);
    CHECK(cut.crossingOnce == cut.crossing);
    CHECK(cut.memory == 16 * 128);
    CHECK(cut.crossingShare == Approx(cut.crossing / (256 * 128.0)));
    // A GPU receives what all others have: (n - 1) / n of 2048 bytes, and sends 2048 / n to n - 1.
    const double n = cut.devices;
    CHECK(cut.seconds == Approx((n - 1) / n * 2048 / 1e9));
    REQUIRE(cut.speedup);
    CHECK(*cut.speedup == Approx(8e-6 / (8e-6 / n + cut.seconds)));
  }
}

TEST_CASE("a graph partition finds what no regular cut does") {
  // Two rings that don't meet, through CTAs that alternate in pairs.
  const std::vector<std::uint64_t> rings[] = {{0, 3, 4, 7, 9, 10}, {1, 2, 5, 6, 8, 11}};
  std::map<std::uint64_t, std::uint64_t> next;
  for (const auto &ring : rings)
    for (std::size_t i = 0; i < ring.size(); ++i)
      next[ring[i]] = ring[(i + 1) % ring.size()];
  Scene scene;
  scene.write({12, 1, 1});
  scene.read({12, 1, 1}, [&](std::uint64_t cta) { return Blocks{next.at(cta)}; });
  const auto advisor = scene.advice();
  REQUIRE(advisor);
  CHECK(crossing(*advisor, 2, CutKind::Graph) == 0);
  CHECK(cutOf(*advisor, 2, CutKind::Graph)->parallelism == 2);
  CHECK(crossing(*advisor, 2, CutKind::X) > 0);
  CHECK(crossing(*advisor, 2, CutKind::Cyclic) > 0);
  CHECK(advisor->cuts[advisor->best[0]].kind == CutKind::Graph);
}

TEST_CASE("launches with other grids are cut with the same rule") {
  Scene scene;
  scene.write({8, 1, 1});
  // CTA n of 4 reads what CTAs 2n and 2n + 1 of 8 wrote: nothing crosses in x.
  scene.read({4, 1, 1}, [](std::uint64_t cta) { return Blocks{2 * cta, 2 * cta + 1}; });
  const auto advisor = scene.advice();
  REQUIRE(advisor);
  CHECK(crossing(*advisor, 2, CutKind::X) == 0);
  CHECK(crossing(*advisor, 4, CutKind::X) == 0);
  // Cyclic over 2: CTA n of 4 has block 2n or 2n + 1, and not the other one.
  CHECK(crossing(*advisor, 2, CutKind::Cyclic) == 4 * 128);
  CHECK(crossing(*advisor, 2, CutKind::Graph) == 0);
}

TEST_CASE("what the host wrote does not cross; each GPU that reads it is counted apart") {
  Scene scene;
  scene.trace.copy(trace::CopyKind::HostToDevice, kA, 0x500, 128);
  scene.read({4, 1, 1}, [](std::uint64_t) { return Blocks{0}; });
  AdvisorOptions options;
  options.devices = {2, 4};
  const auto advisor = scene.advice(options);
  REQUIRE(advisor);
  CHECK(crossing(*advisor, 2, CutKind::X) == 0);
  CHECK(cutOf(*advisor, 2, CutKind::X)->readFromHost == 2 * 128);
  CHECK(cutOf(*advisor, 4, CutKind::X)->readFromHost == 4 * 128);
  CHECK(cutOf(*advisor, 4, CutKind::X)->memory == 128);
  CHECK(cutOf(*advisor, 2, CutKind::X)->seconds == 0);
  REQUIRE(advisor->notes.size() == 1);
  CHECK(advisor->notes[0].find("no graph") != std::string::npos);
}

TEST_CASE("what the host wrote is brought to each GPU once, until it is written again") {
  Scene scene;
  scene.trace.copy(trace::CopyKind::HostToDevice, kA, 0x500, 128);
  const auto first = [](std::uint64_t) { return Blocks{0}; };
  scene.read({4, 1, 1}, first);
  scene.read({4, 1, 1}, first);
  scene.trace.copy(trace::CopyKind::HostToDevice, kA, 0x500, 64);
  scene.read({4, 1, 1}, first);
  AdvisorOptions options;
  options.devices = {2};
  const auto advisor = scene.advice(options);
  CHECK(cutOf(*advisor, 2, CutKind::X)->readFromHost == 2 * 128 + 2 * 64);
}

TEST_CASE("a GPU needs what its CTAs access of the memory that is allocated at a time") {
  Scene scene;
  scene.trace.allocate(kA, 1024);
  scene.write({8, 1, 1});
  scene.trace.free(kA);
  scene.trace.allocate(kB, 4096);
  scene.read(
      {8, 1, 1}, [](std::uint64_t cta) { return cta == 7 ? Blocks{0, 1, 2, 3, 4, 5} : Blocks{0}; }, kB);
  AdvisorOptions options;
  options.devices = {2};
  const auto advisor = scene.advice(options);
  // 4 blocks of the one, which is gone when the other comes, of which the second GPU reads 6.
  CHECK(cutOf(*advisor, 2, CutKind::X)->memory == 6 * 128);
}

TEST_CASE("atomics that CTAs share are named") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  blob.site(abi::Operation::AtomicAdd, 4);
  trace.table(blob);
  test::Words words;
  for (std::uint64_t cta = 0; cta < 4; ++cta)
    words.strided(0, cta, 0, kA, 4);
  trace.run("count(int*)", {4, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  const Model model(file.path());
  AdvisorOptions options;
  options.devices = {2};
  const auto advisor = advise(model, communication(model), options);
  REQUIRE(advisor);
  REQUIRE(advisor->atomics.size() == 1);
  CHECK(advisor->atomics[0].kernel == "count(int*)");
  // Each but the first reads and overwrites what the one before wrote, and the WAR that follows counts once.
  CHECK(advisor->atomics[0].bytes > 0);
  CHECK(cutOf(*advisor, 2, CutKind::X)->inside[0].bytes > 0);
}

TEST_CASE("a cut that leaves GPUs idle is not advised, though nothing crosses") {
  Scene scene;
  scene.write({4, 1, 1});
  // All work is in the first two CTAs.
  scene.read({4, 1, 1}, [](std::uint64_t cta) {
    return cta == 0 ? Blocks(64, 1) : cta == 1 ? Blocks(64, 0) : Blocks{};
  });
  AdvisorOptions options;
  options.devices = {2};
  const auto advisor = scene.advice(options);
  REQUIRE(advisor);
  CHECK(crossing(*advisor, 2, CutKind::X) == 0);
  CHECK(cutOf(*advisor, 2, CutKind::X)->balance == Approx(2 * 130 / 132.0));
  CHECK(cutOf(*advisor, 2, CutKind::X)->accessBalance == Approx(2 * 130 / 132.0));
  // The step that writes is even, the one that reads runs on one GPU.
  CHECK(cutOf(*advisor, 2, CutKind::X)->parallelism == Approx(132 / 130.0));
  CHECK(crossing(*advisor, 2, CutKind::Cyclic) == 2 * 128);
  CHECK(advisor->cuts[advisor->best[0]].kind == CutKind::Cyclic);
}

TEST_CASE("blocks that fit on one GPU at once are no faster on several") {
  const auto oneBlockEach = [](std::uint64_t cta) { return Blocks{cta}; };
  const auto parallelism = [&](unsigned multiprocessors) {
    Scene scene;
    scene.write({16, 1, 1});
    scene.read({16, 1, 1}, oneBlockEach);
    AdvisorOptions options;
    options.devices = {2, 8};
    const auto advisor = scene.advice(options, multiprocessors);
    REQUIRE(advisor);
    return std::pair(cutOf(*advisor, 2, CutKind::X)->parallelism,
                     cutOf(*advisor, 8, CutKind::X)->parallelism);
  };
  CHECK(parallelism(132) == std::pair(1.0, 1.0));
  CHECK(parallelism(16) == std::pair(1.0, 1.0));
  // 16 blocks take 4 turns on 4 multiprocessors, 2 on two GPUs, and one on 4 or more.
  CHECK(parallelism(4) == std::pair(2.0, 4.0));
  CHECK(parallelism(1) == std::pair(2.0, 8.0));
}

TEST_CASE("launches of one CTA can't be shared") {
  Scene scene;
  scene.write({1, 1, 1});
  CHECK_FALSE(scene.advice());
}

namespace {

/// Counts bytes one by one: for each reading launch, the pairs of a byte and a GPU that reads it and hasn't
/// written it. What a CTA reads behind its own write is its own. All launches are in one stream.
class PlainCount {
public:
  PlainCount(const Model &model, const Placement &placement) : work_(placement.devices()) {
    const Grids grids(model);
    std::map<std::uint64_t, unsigned> writer;            // byte -> GPU
    std::map<std::uint64_t, std::set<unsigned>> holders; // of its present value
    std::vector<std::set<std::uint64_t>> touched(placement.devices());
    for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch) {
      std::set<std::pair<std::uint64_t, unsigned>> reads;
      std::map<std::uint64_t, unsigned> writes;
      std::map<std::uint64_t, std::uint64_t> writers; // byte -> CTA
      RecordStream records(model, model.launches()[launch], RecordsOf::GlobalMemory);
      while (const Record *record = records.next()) {
        const unsigned device =
            placement.deviceOf(grids.ctaOf(launch, static_cast<std::uint32_t>(record->access.cta)));
        for (unsigned lane = 0; lane < abi::kLanes; ++lane)
          for (std::uint64_t i = 0; i < record->site->bytes; ++i) {
            const std::uint64_t at = record->access.address[lane] + i;
            ++work_[device];
            touched[device].insert(at);
            if (abi::operationClass(record->site->operation) == abi::OperationClass::Load) {
              if (const auto own = writers.find(at);
                  own == writers.end() || own->second != record->access.cta)
                reads.emplace(at, device);
            } else {
              writes[at] = device;
              writers[at] = record->access.cta;
            }
          }
      }
      std::uint64_t crossing = 0;
      for (const auto &[at, device] : reads) {
        crossing += writer.contains(at) && writer[at] != device;
        crossingOnce += writer.contains(at) && holders[at].insert(device).second;
      }
      supersteps.push_back(crossing);
      for (const auto &[at, device] : writes) {
        writer[at] = device;
        holders[at] = {device};
      }
    }
    for (const std::set<std::uint64_t> &bytes : touched)
      memory = std::max<std::uint64_t>(memory, bytes.size());
  }
  double balance() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : work_)
      sum += bytes;
    return static_cast<double>(*std::max_element(work_.begin(), work_.end())) *
           static_cast<double>(work_.size()) / static_cast<double>(sum);
  }
  std::vector<std::uint64_t> supersteps;
  std::uint64_t crossingOnce = 0, memory = 0;

private:
  std::vector<std::uint64_t> work_;
};

} // namespace

TEST_CASE("random traces: what crosses, with and without copies that are kept, and what GPUs need",
          "[random]") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::uint64_t spared = 0;
  for (int round = 0; round < 40; ++round) {
    Scene scene;
    const unsigned launches = 2 + below(5);
    for (unsigned launch = 0; launch < launches; ++launch) {
      const trace::Dim3 grid{1 + below(4), 1 + below(4), 1 + below(3)};
      test::Words words;
      for (unsigned i = 0, n = 8 + below(40); i < n; ++i)
        words.strided(below(2), below(grid.x * grid.y * grid.z), 0, (below(2) ? kA : kB) + 4 * below(300), 4);
      scene.trace.run("k(int*)", grid, {32, 1, 1}, words);
    }
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    AdvisorOptions options;
    options.devices = {2, 3, 4, 6};
    // Little memory: parts of it are put aside between batches.
    const AnalysisOptions analysis{.threads = 2, .memory = round % 2 == 0 ? std::uint64_t{0} : 1u << 16};
    const auto advisor = advise(model, communication(model), options, analysis);
    if (!advisor)
      continue;
    for (const AdvisorCut &cut : advisor->cuts) {
      if (cut.kind == CutKind::Graph)
        continue;
      const PlainCount plain(model, cut.kind == CutKind::Cyclic ? Placement::cyclic(cut.devices)
                                                                : Placement(cut.kind, cut.tiles));
      CHECK(cut.supersteps == plain.supersteps);
      CHECK(cut.crossingOnce == plain.crossingOnce);
      CHECK(cut.memory == plain.memory);
      CHECK(cut.balance == Approx(plain.balance()));
      spared += cut.crossing - cut.crossingOnce;
    }
  }
  CHECK(spared > 1000); // else copies that are kept were not put to the test
}

TEST_CASE("the advice does not depend on the number of threads or on memory") {
  Scene scene;
  scene.write({16, 16, 1});
  scene.read({16, 16, 1}, [](std::uint64_t cta) { return Blocks{(cta * 37 + 5) % 256, (cta * 11) % 256}; });
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const auto first = advise(model, communication(model), {}, {.threads = 1});
  const auto second = advise(model, communication(model), {}, {.threads = 4, .memory = 1u << 24});
  REQUIRE(first);
  REQUIRE(second);
  REQUIRE(first->cuts.size() == second->cuts.size());
  for (std::size_t i = 0; i < first->cuts.size(); ++i) {
    CHECK(first->cuts[i].supersteps == second->cuts[i].supersteps);
    CHECK(first->cuts[i].memory == second->cuts[i].memory);
  }
  CHECK(first->best == second->best);
}

TEST_CASE("what goes over the links of a ring and of a tree") {
  const auto loadsOf = [](TopologyKind kind, unsigned devices,
                          std::vector<std::pair<unsigned, unsigned>> sent) {
    const Topology topology(kind, devices);
    std::vector<unsigned> loads(topology.links());
    for (const auto &[from, to] : sent)
      topology.route(from, to, [&](std::size_t link) { ++loads.at(link); });
    return loads;
  };
  using Loads = std::vector<unsigned>;
  CHECK(loadsOf(TopologyKind::Switch, 3, {{0, 1}, {0, 2}}) == Loads{2, 0, 0, 0, 1, 1});
  // 0 to 2 has two ways of one length; 3 to 0 is next to each other.
  CHECK(loadsOf(TopologyKind::Ring, 4, {{0, 2}, {3, 0}, {0, 3}}) == Loads{1, 1, 0, 1, 1, 0, 0, 0});
  CHECK(loadsOf(TopologyKind::Ring, 5, {{0, 3}}) == Loads{0, 0, 0, 0, 0, 1, 0, 0, 0, 1});
  // 0 and 1 share a switch; 2 and 3 the other one.
  CHECK(loadsOf(TopologyKind::Tree, 4, {{0, 1}}) == Loads{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0});
  CHECK(loadsOf(TopologyKind::Tree, 4, {{1, 2}, {0, 3}}) == Loads{1, 1, 0, 0, 0, 0, 1, 1, 2, 0, 0, 2});
}

TEST_CASE("an exchange of halves takes twice as long where they share a link, and packets are whole") {
  // Every CTA reads what the CTA four places on wrote: with 4 GPUs, GPU g sends all of its two blocks to g + 2.
  const auto secondsWith = [](TopologyKind topology, unsigned packet) {
    Scene scene;
    scene.write({8, 1, 1});
    scene.read({8, 1, 1}, [](std::uint64_t cta) { return Blocks{(cta + 4) % 8}; });
    AdvisorOptions options;
    options.devices = {4};
    options.bytesPerSecond = 1e9;
    options.topology = topology;
    options.packetBytes = packet;
    return cutOf(*scene.advice(options), 4, CutKind::X)->seconds;
  };
  CHECK(secondsWith(TopologyKind::Switch, 1) == Approx(256 / 1e9));
  CHECK(secondsWith(TopologyKind::Tree, 1) == Approx(512 / 1e9));
  CHECK(secondsWith(TopologyKind::Ring, 1) == Approx(512 / 1e9)); // all go upwards, over two links
  CHECK(secondsWith(TopologyKind::Switch, 100) == Approx(300 / 1e9));
}

TEST_CASE("overlap hides the shorter of exchange and computation, superstep by superstep") {
  const auto speedupWith = [](bool overlaps, double latency) {
    Scene scene;
    scene.write({2, 1, 1});
    scene.read({2, 1, 1}, [](std::uint64_t cta) { return Blocks{1 - cta}; });
    AdvisorOptions options;
    options.devices = {2};
    options.latencySeconds = latency;
    options.bytesPerSecond = 1e30;
    options.kernelSeconds = 4;
    options.overlaps = overlaps;
    return *cutOf(*scene.advice(options), 2, CutKind::X)->speedup;
  };
  // Two supersteps of one second on two GPUs; something crosses in the second.
  CHECK(speedupWith(false, 0.5) == Approx(4 / 2.5));
  CHECK(speedupWith(true, 0.5) == Approx(4 / 2.0));
  CHECK(speedupWith(true, 3) == Approx(4 / 4.0));
}

TEST_CASE("what CTAs of one launch exchange is told apart") {
  Scene scene;
  test::Words words;
  words.strided(1, 0, 0, kA, 4);
  words.strided(0, 1, 0, kA, 4);       // on the other GPU
  words.strided(1, 1, 0, kA + 512, 4); // its own
  words.strided(0, 1, 0, kA + 512, 4);
  scene.trace.run("k(int*)", {2, 1, 1}, {32, 1, 1}, words);
  AdvisorOptions options;
  options.devices = {2};
  const auto advisor = scene.advice(options);
  const AdvisorCut &cut = *cutOf(*advisor, 2, CutKind::X);
  CHECK(cut.insideLaunches == 128);
  REQUIRE(cut.inside.size() == 1);
  CHECK(cut.inside[0].kernel == "k(int*)");
  CHECK(cut.inside[0].bytes == 128);
  CHECK(advisor->atomics.empty());
  CHECK(cut.crossing == 0);
  CHECK_FALSE(advisor->assumptions.empty());
}

TEST_CASE("the traced device says what its links are") {
  CHECK(optionsFor("NVIDIA A100-SXM4-80GB").multiprocessors == 108);
  CHECK(optionsFor("NVIDIA H100 PCIe").multiprocessors == 114);
  CHECK(optionsFor("NVIDIA H200").bytesPerSecond == 450e9);
  CHECK(optionsFor("test device").multiprocessors == 132);
  CHECK(optionsFor("test device").packetBytes == 32);
}

} // namespace advisor_test
