/// How far a thread's accesses lie from each other: by arithmetic, and thread by thread.
#include "analysis/metrics/thread_strides.h"
#include "analysis/model/records.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <tuple>

namespace thread_strides_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint32_t kLoad = 0, kStore = 1, kLoadAgain = 2, kLoadAny = 3, kSites = 4, kSitesBefore = 3;
constexpr std::uint64_t kA = 0x10000;

/// kLoad and kLoadAgain are one access of the source, as where a loop is unrolled.
test::SiteTableBlob table() {
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4, "a.cu", 7);
  blob.column(3);
  blob.site(abi::Operation::Store, 8, "a.cu", 7);
  blob.column(3);
  blob.site(abi::Operation::Load, 4, "a.cu", 7);
  blob.column(3);
  blob.site(abi::Operation::Load, 0, "a.cu", 9);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteRange);
  return blob;
}

struct Scene {
  Scene() : trace(file.path()) {
    test::SiteTableBlob other; // of a module in front of the kernels'
    for (std::uint32_t line = 1; line <= kSitesBefore; ++line)
      other.site(abi::Operation::Load, 4, "other.cu", line);
    trace.table(other);
    trace.table(table());
  }
  void launch(const std::string &kernel = "k(int*)") {
    trace.run(kernel, {64, 1, 1}, {16, 64, 1}, words);
    words.clear();
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::Words words;
};

/// Kernel's first launch, site, backwards, stride: accesses, bytes.
using Strides = std::map<std::tuple<LaunchIndex, std::uint32_t, bool, std::uint64_t>,
                         std::pair<std::uint64_t, std::uint64_t>>;

Strides stridesOf(const Model &model, const ShownPart &shown = {}) {
  Strides strides;
  threadStrides(model, shown)->forEach([&](const ThreadStride &stride) {
    const bool isNew =
        strides
            .insert({{stride.place.launch, stride.place.site - kSitesBefore, stride.backwards, stride.stride},
                     {stride.accesses, stride.bytes}})
            .second;
    CHECK(isNew);
  });
  return strides;
}
Strides stridesOf(Scene &scene) {
  scene.trace.writer->finish();
  return stridesOf(Model(scene.file.path()));
}

/// From the definition.
Strides defined(const Model &model) {
  Strides strides;
  for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch) {
    std::map<std::tuple<std::uint64_t, std::uint32_t, unsigned, std::uint32_t>, std::uint64_t> last;
    RecordStream records(model, model.launches()[launch]);
    while (const Record *record = records.next())
      for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
        const abi::WarpAccess &access = record->access;
        if (!(access.laneMask >> lane & 1))
          continue;
        const std::uint32_t site = access.site == kLoadAgain ? kLoad : access.site;
        const auto [before, isFirst] =
            last.insert({{access.cta, access.warp, lane, site}, access.address[lane]});
        if (isFirst)
          continue;
        const std::uint64_t from = std::exchange(before->second, access.address[lane]), to = before->second;
        std::uint64_t stride = to < from ? from - to : to - from;
        while (stride > 65536 && (stride & (stride - 1)) != 0)
          stride &= stride - 1;
        auto &[accesses, bytes] =
            strides[{model.launches()[launch].kernel == "k(int*)" ? 0 : 1, site, to < from, stride}];
        ++accesses;
        bytes += abi::laneBytes(access, lane, record->site->bytes);
      }
  }
  return strides;
}

} // namespace

TEST_CASE("a thread's stride is the distance from its access before, in the same launch at the same place") {
  Scene scene;
  scene.words.strided(kLoad, 0, 0, kA, 4);
  scene.words.strided(kStore, 0, 0, kA, 8); // another operation: its first
  scene.words.strided(kLoadAgain, 0, 0, kA + 4096, 4);
  scene.words.strided(kLoad, 0, 1, kA, 4); // another warp
  scene.words.strided(kLoad, 1, 0, kA, 4); // another CTA
  scene.words.strided(kLoad, 0, 0, kA + 4096, 4, 3);
  scene.words.strided(kLoad, 0, 0, kA + 1'000'000, 4, 4);
  scene.words.strided(kLoad, 0, 0, kA + 12, 0, 9); // of which the last was at kA + 4096 + 12
  scene.launch();
  scene.words.strided(kLoad, 0, 0, kA, 4); // another launch
  scene.launch();
  CHECK(stridesOf(scene) == Strides{{{0, kLoad, false, 0}, {2, 8}},
                                    {{0, kLoad, false, 4096}, {32, 128}},
                                    {{0, kLoad, false, 524288}, {1, 4}},
                                    {{0, kLoad, true, 4084}, {1, 4}},
                                    {{0, kLoad, true, 4096}, {1, 4}}});
}

TEST_CASE("strides of threads can be those of some launches, or of a block") {
  Scene scene;
  for (const std::uint64_t distance : {4, 8}) {
    for (const std::uint64_t cta : {0, 1}) {
      scene.words.strided(kLoad, cta, 0, kA, 4);
      scene.words.strided(kLoad, cta, 0, kA + distance * (cta + 1), 4);
    }
    scene.launch();
  }
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  const auto ofPart = [&](std::uint64_t launch, const char *block) {
    PartSelection selection;
    selection.launches.launch = launch;
    selection.records.block = block;
    return stridesOf(model, ShownPart(model, selection));
  };
  CHECK(ofPart(2, "") == Strides{{{0, kLoad, false, 8}, {32, 128}}, {{0, kLoad, false, 16}, {32, 128}}});
  CHECK(ofPart(0, "1") == Strides{{{0, kLoad, false, 8}, {32, 128}}, {{0, kLoad, false, 16}, {32, 128}}});
  CHECK(ofPart(1, "0") == Strides{{{0, kLoad, false, 4}, {32, 128}}});
}

TEST_CASE("strides of threads agree with the definition, for records of any form") {
  std::uint64_t all = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Scene scene;
    for (int launch = 0; launch < 3; ++launch) {
      for (int i = 0; i < 120; ++i) {
        abi::WarpAccess access{};
        access.site = random() % kSites;
        access.cta = random() % 2;
        access.warp = random() % 2;
        // Few masks, so that records of one mask follow each other, and of a part or more of it.
        constexpr std::uint32_t kMasks[] = {0xffffffffu, 0xffffu, 0x00ff00ffu, 0xfffffffeu, 1};
        access.laneMask = random() % 8 ? kMasks[random() % 5] : random() | 1;
        const std::uint64_t base = kA + (random() % 4 ? random() % 5 * 64 : random() % 1'000'000);
        const auto shape = random() % 4;
        for (unsigned lane = 0; lane < abi::kLanes; ++lane) {
          access.address[lane] = shape == 0   ? base + 4 * lane
                                 : shape == 1 ? base + 4 * (lane % 16) + 512 * (lane / 16)
                                 : shape == 2 ? base - 12 * lane
                                              : kA + random() % 100'000;
          access.bytes[lane] = 1 + lane;
        }
        trace::Word out[abi::kMaxRecordWords];
        const std::uint32_t size = access.site == kLoadAny ? abi::encodeRange(access, 0, out)
                                                           : abi::encodeRecord(access, 0, out, 16);
        scene.words.append({out, out + size});
      }
      scene.launch(launch % 2 ? "other(int*)" : "k(int*)");
    }
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    const Strides strides = stridesOf(model);
    CHECK(strides == defined(model));
    all += strides.size();
  }
  CHECK(all > 10'000);
}

TEST_CASE("a warp that diverges again and again takes no more memory for it") {
  constexpr std::uint64_t kTurns = 600'000;
  Scene scene;
  const trace::LaunchId id = scene.trace.launch("k(int*)", {1, 1, 1}, {32, 1, 1});
  for (std::uint64_t i = 0; i < kTurns; ++i) {
    scene.words.strided(kLoad, 0, 0, kA, 4);
    scene.words.strided(kLoad, 0, 0, kA + 400, 4, 1);
    if (i % 10'000 == 9'999) {
      scene.trace.records(id, scene.words);
      scene.words.clear();
    }
  }
  scene.trace.end(id);
  CHECK(stridesOf(scene) == Strides{{{0, kLoad, false, 0}, {31 * (kTurns - 1), 31 * 4 * (kTurns - 1)}},
                                    {{0, kLoad, false, 400}, {kTurns, 4 * kTurns}},
                                    {{0, kLoad, true, 400}, {kTurns - 1, 4 * (kTurns - 1)}}});
}

TEST_CASE("a launch of more warps than its trace may ask memory for is refused with its name") {
  Scene scene;
  const trace::LaunchId id = scene.trace.launch("many(int*)", {80'000, 1, 1}, {1024, 1, 1});
  for (std::uint64_t cta = 0; cta < 80'000; ++cta) {
    for (std::uint32_t warp = 0; warp < 32; ++warp)
      scene.words.strided(kLoad, cta, warp, kA + 4096 * cta + 128 * warp, 4);
    if (cta % 1000 == 999) {
      scene.trace.records(id, scene.words);
      scene.words.clear();
    }
  }
  scene.trace.end(id);
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  CHECK_THROWS_AS(threadStrides(model), trace::TooMuch);
  CHECK_THROWS_WITH(
      threadStrides(model),
      Catch::Contains(": many(int*): where its threads were last takes more memory than a file of its "
                      "size may ask for ("));
}

} // namespace thread_strides_test
