/// Launches taken apart at the barriers of their grids.
#include "analysis/engine/communication.h"
#include "analysis/metrics/thread_strides.h"
#include "analysis/model/phases.h"
#include "analysis/model/records.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace phases_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint32_t kLoad = 0, kStore = 1, kArrive = 2, kLook = 3;
constexpr std::uint64_t kA = 0x10000, kBarrier = 0x50000;
constexpr std::uint32_t kCtas = 4;

struct Scene {
  Scene() : trace(file.path()) {
    test::SiteTableBlob blob;
    for (const auto operation : {abi::Operation::Load, abi::Operation::Store})
      blob.column(blob.site(operation, 4) + 1);
    for (const auto operation : {abi::Operation::AtomicAdd, abi::Operation::Load}) {
      blob.column(blob.site(operation, 4) + 1);
      blob.space(abi::SpaceVerdict::Decided, abi::kSiteGridBarrier);
    }
    trace.table(blob);
    trace.allocate(kA, 0x1000);
  }
  void arrive(std::uint64_t cta) {
    words.strided(kArrive, cta, 0, kBarrier, 0, 1);
    words.strided(kLook, cta, 0, kBarrier, 0, 1);
  }
  /// Each block stores 128 bytes and loads those of the next block, and so on, `times` times.
  void exchange(std::uint32_t cta, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) {
      words.strided(kStore, cta, 0, kA + 128 * cta, 4);
      arrive(cta);
      words.strided(kLoad, cta, 0, kA + 128 * ((cta + 1) % kCtas), 4);
      arrive(cta);
    }
  }
  Model model(LaunchParts parts = LaunchParts::Phases) {
    trace.writer->finish();
    return Model(file.path(), parts);
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::Words words;
};

} // namespace

TEST_CASE("a launch is as many as it has phases, whatever lanes its blocks are recorded in") {
  constexpr std::uint32_t kTimes = 40;
  Scene scene;
  const trace::LaunchId id = scene.trace.launch("k(int*)", {kCtas, 1, 1}, {64, 1, 1});
  // One lane has all of its blocks' records before the other has any.
  for (std::uint32_t lane = 0; lane < 2; ++lane) {
    scene.exchange(2 * lane, kTimes);
    scene.exchange(2 * lane + 1, kTimes);
    scene.trace.records(id, scene.words, lane);
    scene.words.clear();
  }
  scene.trace.end(id);
  const Model model = scene.model();
  CHECK(model.calls() == 1);
  REQUIRE(model.launches().size() == 2 * kTimes);
  std::uint64_t records = 0, number = 0;
  for (const LaunchInfo &launch : model.launches()) {
    CHECK(launch.phase == number++);
    CHECK(launch.number == trace::LaunchId{1});
    CHECK(launch.launch.id == trace::LaunchId{number});
    CHECK(launch.complete());
    RecordStream stream(model, launch);
    std::uint64_t read = 0;
    while (stream.next())
      ++read;
    CHECK(read == launch.totals.records);
    records += read;
  }
  CHECK(records == 6 * kTimes * kCtas);
  const Communication result = communication(model);
  CHECK(result.communicated == kTimes * kCtas * 128);
  CHECK(result.otherIndex == kTimes * kCtas * 128);
  CHECK(result.ordering->supersteps() == 2 * kTimes);
  CHECK(result.uniqueRead == kTimes * kCtas * 128);
}

TEST_CASE("records of a phase are those of its launch, in their order") {
  Scene scene;
  scene.exchange(0, 3);
  scene.trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, scene.words);
  const Model apart = scene.model(), whole(scene.file.path());
  CHECK(whole.launches().size() == 1);
  const auto recordsOf = [](const Model &model) {
    std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>> all;
    for (const LaunchInfo &launch : model.launches()) {
      RecordStream records(model, launch);
      while (const Record *record = records.next())
        all.emplace_back(record->access.site, record->access.cta, record->access.address[0]);
    }
    return all;
  };
  CHECK(recordsOf(apart) == recordsOf(whole));
}

TEST_CASE("strides of a thread go on from phase to phase") {
  Scene scene;
  for (std::uint64_t i = 0; i < 3; ++i) {
    scene.words.strided(kLoad, 0, 0, kA + 256 * i, 4);
    scene.arrive(0);
  }
  scene.trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, scene.words);
  const Model model = scene.model();
  CHECK(model.launches().size() == 3);
  std::uint64_t accesses = 0;
  threadStrides(model)->forEach([&](const ThreadStride &stride) {
    if (stride.stride == 256)
      accesses += stride.accesses;
  });
  CHECK(accesses == 2 * 32);
}

TEST_CASE("time is shared out by records, and adds up") {
  Scene scene;
  const trace::LaunchId id = scene.trace.launch("k(int*)", {1, 1, 1}, {32, 1, 1});
  scene.exchange(0, 2);
  scene.trace.records(id, scene.words);
  trace::LaunchEnd end;
  end.id = id;
  end.complete = true;
  end.recordWords = scene.trace.writer->recordWords(id);
  end.began = 1000;
  end.ended = 1103;
  scene.trace.writer->launchEnd(end);
  const Model model = scene.model();
  std::uint64_t at = 1000;
  for (const LaunchInfo &launch : model.launches()) {
    CHECK(launch.totals.end.began == at);
    at = launch.totals.end.ended;
  }
  CHECK(at == 1103);
}

TEST_CASE("a launch stays whole whose blocks arrived differently often, or whose records are not all there") {
  for (const bool isComplete : {false, true}) {
    Scene scene;
    scene.exchange(0, 2);
    scene.exchange(1, isComplete ? 1 : 2);
    const trace::LaunchId id = scene.trace.launch("k(int*)", {2, 1, 1}, {32, 1, 1});
    scene.trace.records(id, scene.words);
    trace::LaunchEnd end;
    end.id = id;
    end.complete = isComplete;
    end.reason = isComplete ? "" : "the kernel did not end";
    end.recordWords = scene.trace.writer->recordWords(id);
    scene.trace.writer->launchEnd(end);
    const Model model = scene.model();
    CHECK(model.launches().size() == 1);
    CHECK(communication(model).communicated == 0);
  }
}

TEST_CASE("numbers of later launches stay, and those of phases come behind them") {
  Scene scene;
  for (int launch = 0; launch < 2; ++launch) {
    scene.words.clear();
    scene.exchange(0, 1);
    scene.trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, scene.words);
  }
  std::vector<std::uint64_t> ids;
  const Model model = scene.model();
  for (const LaunchInfo &launch : model.launches())
    ids.push_back(static_cast<std::uint64_t>(launch.launch.id));
  CHECK(ids == std::vector<std::uint64_t>{1, 3, 2, 4});
}

} // namespace phases_test
