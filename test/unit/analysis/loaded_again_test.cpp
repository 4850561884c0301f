/// Two kernels that could be one: which of those that load the same bytes are told of.
#include "analysis/metrics/results.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace loaded_again_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kFrom = 0x10000, kTo = 0x20000, kOther = 0x28000;
constexpr unsigned kBlocks = 4;

/// Launches of four blocks of a warp. Block n of each has 128 bytes of the input, and of its results.
struct Scene {
  Scene() : trace(file.path()) {
    load = blob.site(abi::Operation::Load, 4, "a.cu", 1);
    store = blob.site(abi::Operation::Store, 4, "a.cu", 2);
    atomic = blob.site(abi::Operation::AtomicAdd, 4, "a.cu", 3);
    trace.table(blob);
    trace.allocate(kFrom, 0x10000);
    trace.allocate(kTo, 0x10000);
    trace.copy(trace::CopyKind::HostToDevice, kFrom, 0x1000, 0x10000);
  }
  /// Each block accesses what is `apart` blocks from its own, where that is a block's.
  void each(std::uint32_t site, std::uint64_t base, int apart = 0) {
    for (unsigned block = 0; block < kBlocks; ++block)
      if (const unsigned of = block + static_cast<unsigned>(apart); of < kBlocks)
        words.strided(site, block, 0, base + 128 * of, 4);
  }
  void run(const std::string &kernel, unsigned threads = 32) {
    trace.run(kernel, {kBlocks, 1, 1}, {threads, 1, 1}, words);
    words.clear();
  }
  void fetch(std::uint64_t from) { trace.copy(trace::CopyKind::DeviceToHost, 0x1000, from, 512); }
  /// Of `loaded-again`, in bytes.
  std::uint64_t amount() {
    trace.writer->finish();
    std::uint64_t sum = 0;
    for (const Finding &finding : resultsOf(Model(file.path())).findings)
      sum += finding.rule == FindingRule::LoadedAgain ? finding.amount : 0;
    return sum;
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::SiteTableBlob blob;
  test::Words words;
  std::uint32_t load, store, atomic;
};

} // namespace

TEST_CASE("what the same blocks load by two kernels, one could load for both results") {
  Scene scene;
  for (const bool isFirst : {true, false}) {
    scene.each(scene.load, kFrom);
    scene.each(scene.store, isFirst ? kTo : kOther);
    scene.run(isFirst ? "first()" : "second()");
    scene.fetch(isFirst ? kTo : kOther); // the host may have a look between
  }
  CHECK(scene.amount() == 512);
}

TEST_CASE("neighbours of a block's own may be loaded by either kernel, or both") {
  for (const bool byFirst : {true, false})
    for (const bool bySecond : {true, false}) {
      Scene scene;
      for (const bool isFirst : {true, false}) {
        scene.each(scene.load, kFrom);
        if (isFirst ? byFirst : bySecond)
          scene.each(scene.load, kFrom, 1);
        scene.each(scene.store, isFirst ? kTo : kOther);
        scene.run(isFirst ? "first()" : "second()");
      }
      CHECK(scene.amount() == 512);
    }
}

TEST_CASE("what another block loads is no reason for one launch") {
  Scene scene;
  scene.each(scene.load, kFrom);
  scene.each(scene.store, kTo);
  scene.run("rows()");
  for (unsigned block = 0; block < kBlocks; ++block)
    scene.words.strided(scene.load, block, 0, kFrom + 128 * (kBlocks - 1 - block), 4);
  scene.each(scene.store, kOther);
  scene.run("columns()");
  CHECK(scene.amount() == 0);
}

TEST_CASE("blocks of another shape are others") {
  Scene scene;
  scene.each(scene.load, kFrom);
  scene.each(scene.store, kTo);
  scene.run("first()");
  scene.each(scene.load, kFrom);
  scene.each(scene.store, kOther);
  scene.run("second()", 64);
  CHECK(scene.amount() == 0);
}

TEST_CASE(
    "variants of a kernel, whose results the host fetches from the same memory, are not for one launch") {
  Scene scene;
  for (const std::string kernel : {"narrow()", "wide()"}) {
    scene.each(scene.load, kFrom);
    scene.each(scene.store, kTo);
    scene.run(kernel);
    scene.fetch(kTo);
  }
  CHECK(scene.amount() == 0);
}

TEST_CASE("variants of a kernel that count from 0, each by itself, are not for one launch") {
  for (const bool isFetched : {true, false}) {
    Scene scene;
    for (const std::string kernel : {"plain()", "voted()"}) {
      scene.trace.set(kTo, 512);
      scene.each(scene.load, kFrom);
      scene.each(scene.atomic, kTo);
      scene.run(kernel);
      if (isFetched)
        scene.fetch(kTo);
    }
    CHECK(scene.amount() == 0);
  }
}

TEST_CASE("of variants that count, one may have more places to count at than the other comes to") {
  Scene scene;
  for (const bool isFirst : {true, false}) {
    scene.trace.set(kTo, 512);
    scene.each(scene.load, kFrom);
    for (unsigned block = 0; block < (isFirst ? kBlocks : 1); ++block)
      scene.words.strided(scene.atomic, block, 0, kTo + 128 * block, 4);
    scene.run(isFirst ? "shared()" : "global()");
    scene.fetch(kTo);
  }
  CHECK(scene.amount() == 0);
}

TEST_CASE("variants are compared, whichever of them the next comparison begins with") {
  Scene scene;
  for (const std::uint64_t to : {kTo, kOther})
    for (const std::string kernel : {"plain()", "voted()"}) {
      scene.trace.set(to, 512);
      scene.each(scene.load, kFrom);
      scene.each(scene.atomic, to);
      scene.run(kernel);
      scene.fetch(to);
    }
  CHECK(scene.amount() == 0);
}

TEST_CASE("what a kernel goes on with is its own, although both store it") {
  Scene scene;
  scene.each(scene.load, kFrom);
  scene.each(scene.store, kTo);
  scene.run("first()");
  scene.each(scene.load, kFrom);
  scene.each(scene.load, kTo);
  scene.each(scene.store, kTo);
  scene.run("second()");
  scene.fetch(kTo);
  CHECK(scene.amount() == 512); // half of what the second loads
}

TEST_CASE("tables in the code are no data that launches load again") {
  constexpr std::uint64_t kCode = 0x90000; // in no allocation
  Scene scene;
  for (const bool isFirst : {true, false}) {
    scene.each(scene.load, kCode);
    scene.each(scene.store, isFirst ? kTo : kOther);
    scene.run(isFirst ? "first()" : "second()");
  }
  CHECK(scene.amount() == 0);
}

TEST_CASE("a few bytes beside all that kernels store are left alone") {
  for (const unsigned storing : {1u, kBlocks}) {
    Scene scene;
    for (const bool isFirst : {true, false}) {
      for (unsigned block = 0; block < kBlocks; ++block)
        scene.words.strided(scene.load, block, 0, kFrom, 0);
      for (unsigned block = 0; block < storing; ++block)
        scene.words.strided(scene.store, block, 0, (isFirst ? kTo : kOther) + 128 * block, 4);
      scene.run(isFirst ? "first()" : "second()");
    }
    // 4 bytes of 264, or of 1,032.
    CHECK(scene.amount() == (storing == 1 ? 4 : 0));
  }
}

} // namespace loaded_again_test
