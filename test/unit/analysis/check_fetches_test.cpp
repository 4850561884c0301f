/// Copies to the host of memory that nobody has written.
#include "analysis/check/memory_page.h"
#include "analysis/check/unwritten_fetches.h"
#include "check_scene.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace check_fetches_test {

using namespace cupr;
using namespace cupr::analysis;
using check_test::after;
using check_test::kAll;
using check_test::Rules;
using check_test::Scene;
using trace::CopyKind;

namespace {

constexpr std::uint64_t kNew = 0x30000, kHostMemory = 0x7f0000000000;

void fetch(Scene &scene, std::uint64_t from, std::uint64_t bytes) {
  scene.trace.copy(CopyKind::DeviceToHost, kHostMemory, from, bytes);
}
/// A warp stores a word each, so far apart.
void storeEvery(Scene &scene, std::uint32_t bytes) {
  scene.words.strided(scene.store, 0, 0, kNew, bytes, kAll);
  scene.launch();
}

} // namespace

TEST_CASE("a copy to the host reads what is written, or it is told") {
  using enum FaultRule;
  CHECK(after([](Scene &s) {
          s.trace.allocate(kNew, 256);
          storeEvery(s, 4);
          fetch(s, kNew, 128);
        }).empty());
  CHECK(after([](Scene &s) {
          s.trace.allocate(kNew, 256);
          storeEvery(s, 4);
          fetch(s, kNew, 144);
        }) == Rules{UninitialisedRead});
  // To the device: whoever reads it there is told.
  CHECK(after([](Scene &s) {
          s.trace.allocate(kNew, 256);
          storeEvery(s, 4);
          s.trace.copy(CopyKind::DeviceToDevice, check_test::kData, kNew, 256);
        }).empty());
}

TEST_CASE("the filling of structures may be copied") {
  CHECK(after([](Scene &s) {
          s.trace.allocate(kNew, 512);
          storeEvery(s, 16); // 12 bytes of each are not written
          fetch(s, kNew, 512);
        }).empty());
  CHECK(after([](Scene &s) {
          s.trace.allocate(kNew, 1024);
          storeEvery(s, 20);
          fetch(s, kNew, 640);
        }) == Rules{FaultRule::UninitialisedRead});
}

TEST_CASE("copies of which nothing is written are told where no library can have written it") {
  const auto play = [](Scene &s) {
    s.trace.allocate(kNew, 256);
    storeEvery(s, 4);
    fetch(s, kNew + 128, 4);
  };
  CHECK(after(play, "cpu") == Rules{FaultRule::UninitialisedRead});
  CHECK(after(play, "gpu").empty());
}

TEST_CASE(
    "nothing is said of what a launch may have written that is not traced, nor of what the host can write") {
  CHECK(after([](Scene &s) {
          s.trace.allocate(kNew, 256);
          s.trace.untraced("other()", {1, 1, 1}, {1, 1, 1}, 0, 0);
          storeEvery(s, 4);
          fetch(s, kNew, 256);
        }).empty());
  CHECK(after([](Scene &s) {
          s.trace.allocate(kNew, 256, trace::MemoryKind::Managed);
          storeEvery(s, 4);
          fetch(s, kNew, 256);
        }).empty());
}

TEST_CASE("what is not written of any copy is found as a list of bytes has it") {
  constexpr std::uint64_t kBytes = 5 * kCheckPageBytes, kRow = UnwrittenFetch::kLeastRow;
  std::mt19937 random(3);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  for (int round = 0; round < 60; ++round) {
    Scene scene("cpu");
    const std::uint64_t begin = kNew + 4 * below(600);
    scene.trace.allocate(begin, kBytes);
    std::vector<bool> written(kBytes);
    const auto note = [&](std::uint64_t from, std::uint64_t bytes) {
      std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(from), bytes, true);
    };
    for (auto acts = below(6); acts != 0; --acts) {
      const std::uint64_t from = below(kBytes);
      if (acts % 2 == 0) {
        const std::uint64_t bytes = 1 + below(std::min<std::uint64_t>(kBytes - from, 3 * kCheckPageBytes));
        scene.trace.set(begin + from, bytes);
        note(from, bytes);
      } else {
        const std::uint64_t word = from / 4 * 4, stride = 4 * (1 + below(6));
        if (word + 32 * stride > kBytes)
          continue;
        scene.words.strided(scene.store, 0, 0, begin + word, static_cast<std::int32_t>(stride), kAll);
        scene.launch();
        for (std::uint64_t lane = 0; lane < 32; ++lane)
          note(word + lane * stride, 4);
      }
    }
    const std::uint64_t from = below(kBytes), bytes = 1 + below(kBytes - from);
    fetch(scene, begin + from, bytes);
    // In pages, of which each is followed for itself.
    std::uint64_t all = 0, inRows = 0, row = 0, first = UINT64_MAX, firstInRow = UINT64_MAX;
    const auto endRow = [&](std::uint64_t at) {
      if (row >= kRow) {
        inRows += row;
        firstInRow = std::min(firstInRow, at - row);
      }
      row = 0;
    };
    for (std::uint64_t at = from; at < from + bytes; ++at) {
      if ((begin + at) % kCheckPageBytes == 0)
        endRow(at);
      if (written[at]) {
        endRow(at);
        continue;
      }
      ++row;
      ++all;
      first = std::min(first, at);
    }
    endRow(from + bytes);
    const std::vector<Fault> faults = scene.faults();
    INFO("round " << round);
    REQUIRE(faults.size() == (inRows != 0 || all == bytes ? 1 : 0));
    if (!faults.empty()) {
      CHECK(faults[0].rule == FaultRule::UninitialisedRead);
      CHECK(faults[0].bytes == all);
      CHECK(faults[0].address == begin + (inRows != 0 ? firstInRow : first));
      CHECK(faults[0].allocation.has_value());
    }
  }
}

} // namespace check_fetches_test
