/// What is found of how a program copies, with times by arithmetic; and what may not be claimed.
#include "host_findings.h"

#include <catch2/catch.hpp>

namespace transfer_findings_test {

using namespace cupr;
using namespace cupr::analysis;
using test::FoundScene;

namespace {

constexpr std::uint64_t kMB = FoundScene::kMegabyte, kDevice = FoundScene::kDevice,
                        kPinned = FoundScene::kPinned, kPageable = FoundScene::kPageable;

} // namespace

TEST_CASE("copies of one piece of pageable memory are found at their call, by their own times") {
  FoundScene scene;
  scene.at("upload(Mesh&)", 31);
  for (int i = 0; i < 5; ++i) {
    scene.launch("k(int*)", 1000, 5, 40);
    scene.up(kPageable, kMB, 40 + 300); // waits for the launch, and then copies
  }
  const std::vector<Finding> found = scene.found("copy-pageable");
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == "main > upload(Mesh&)");
  CHECK(found[0].file == "app.cpp");
  CHECK(found[0].line == 31);
  CHECK(found[0].amount == 5 * kMB);
  CHECK(found[0].share == 1);
  CHECK(found[0].isMeasured);
  CHECK(found[0].seconds == Approx(5 * (300e-6 - static_cast<double>(kMB) / 50e9)));
  CHECK(found[0].title == "5 copies to the device bring 5,242,880 bytes, each time from the same memory of "
                          "the host, which is pageable");
}

TEST_CASE("the CPU device has no link, so there pageable memory costs what figures say") {
  for (const bool isDown : {false, true}) {
    FoundScene scene("cpu");
    for (int i = 0; i < 5; ++i)
      isDown ? scene.down(kPageable, kMB, 7) : scene.up(kPageable, kMB, 7);
    const std::vector<Finding> found = scene.found("copy-pageable");
    REQUIRE(found.size() == 1);
    CHECK(!found[0].isMeasured);
    CHECK(found[0].seconds == Approx(5 * static_cast<double>(kMB) * (1 / 10e9 - 1 / 50e9)));
  }
}

TEST_CASE("a launch whose time is not known leaves the time of copies behind it to figures") {
  FoundScene scene;
  scene.trace.end(scene.trace.launch("k(int*)", {1, 1, 1}, {32, 1, 1}));
  for (int i = 0; i < 5; ++i)
    scene.up(kPageable, kMB, 900);
  const std::vector<Finding> found = scene.found("copy-pageable");
  REQUIRE(found.size() == 1);
  CHECK(!found[0].isMeasured);
}

TEST_CASE("nothing is claimed of page-locked memory, of memory that is copied once, and of what is small") {
  FoundScene scene;
  for (unsigned i = 0; i < 20; ++i) {
    scene.up(kPinned, kMB, 300);
    scene.up(kPageable + 2 * i * kMB, kMB, 300);
    scene.up(kPageable, 32 * 1024, 300);
    if (i < 3)
      scene.up(kPageable + 1, kMB, 300);
  }
  CHECK(scene.found("copy-pageable").empty());
}

TEST_CASE("copies in a row that could be one are found, with what the calls but one take") {
  FoundScene scene;
  for (int turn = 0; turn < 2; ++turn) {
    for (std::uint32_t i = 0; i < 5; ++i) {
      scene.at("upload(Mesh&)", 30 + i);
      scene.up(kPageable + 0x10000 * i, 100, 10, kDevice + 256 * i);
    }
    scene.launch("k(int*)", 1000, 5, 10);
    scene.waits(20);
  }
  const std::vector<Finding> found = scene.found("copies-small");
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 30);
  CHECK(found[0].amount == 8);
  CHECK(found[0].share == Approx(0.8));
  CHECK(found[0].isMeasured);
  CHECK(found[0].seconds == Approx(8 * 10e-6));
  CHECK(unitOf(found[0].rule) == std::string("copies"));
  CHECK(found[0].title ==
        "10 copies to the device of 100 bytes on average follow each other, with nothing between, in 2 rows: "
        "what each takes is mostly the call");
}

TEST_CASE("copies to the host are one only where their places are known before") {
  for (const bool isEven : {true, false}) {
    FoundScene scene("cpu");
    for (std::uint64_t i = 0; i < 16; ++i)
      scene.down(kPageable + 8 * i, 8, 10, kDevice + (isEven ? 64 * i : 8 * i * i));
    const std::vector<Finding> found = scene.found("copies-small");
    REQUIRE(found.size() == (isEven ? 1 : 0));
    if (isEven) {
      CHECK(found[0].amount == 15);
      CHECK(!found[0].isMeasured);
      CHECK(found[0].seconds == Approx(15 * 8e-6));
    }
  }
}

TEST_CASE("a few bytes in front of each launch could be its arguments") {
  for (const std::uint64_t bytes : {16u, 8192u}) {
    FoundScene scene("cpu");
    for (int i = 0; i < 20; ++i) {
      scene.up(kPageable, bytes, 10);
      scene.launch("k(int*)", 1000, 5, 10);
    }
    const std::vector<Finding> found = scene.found("copies-small");
    REQUIRE(found.size() == (bytes == 16 ? 1 : 0));
    if (bytes == 16) {
      CHECK(found[0].amount == 20);
      CHECK(found[0].seconds == Approx(20 * 8e-6));
    }
  }
}

TEST_CASE("copies within the device beside launches are the kernels' work") {
  FoundScene scene("cpu");
  for (int i = 0; i < 20; ++i) {
    scene.within(4096, 3, true);
    scene.launch("k(int*)", 1000, 5, 10);
  }
  const std::vector<Finding> found = scene.found("copies-small");
  REQUIRE(found.size() == 1);
  CHECK(found[0].amount == 20);
  CHECK(found[0].seconds == Approx(20 * 2.5e-6));
}

TEST_CASE("what the host fetches between launches is left alone: it may decide what comes next") {
  FoundScene scene;
  for (int i = 0; i < 50; ++i) {
    scene.launch("k(int*)", 1000, 5, 10);
    scene.down(kPageable, 8, 20);
  }
  CHECK(scene.found("copies-small").empty());
}

TEST_CASE("a launch or a set between small copies keeps them apart") {
  FoundScene scene;
  for (int i = 0; i < 12; ++i) {
    scene.up(kPageable, 8192, 100, kDevice + 8192u * static_cast<unsigned>(i));
    if (i % 2 == 0)
      scene.launch("k(int*)", 1000, 5, 10);
    else
      scene.set(64, 3);
  }
  CHECK(scene.found("copies-small").empty());
}

TEST_CASE("copies that hold the host up are found, up to the work that it has behind them") {
  for (const std::uint64_t work : {50u, 5000u}) {
    FoundScene scene;
    for (int i = 0; i < 5; ++i) {
      scene.up(kPinned, kMB, 200);
      scene.launch("k(int*)", 1000, 5, 10);
      scene.works(work);
      scene.waits(10);
    }
    const std::vector<Finding> found = scene.found("copy-synchronous");
    REQUIRE(found.size() == 1);
    CHECK(found[0].path == "main > step()");
    CHECK(found[0].amount == 5 * kMB);
    CHECK(found[0].isMeasured);
    CHECK(found[0].seconds == Approx(5e-6 * static_cast<double>(std::min<std::uint64_t>(work, 200))));
  }
}

TEST_CASE("nothing is claimed of blocking copies that nothing is done behind, of those to the host and of "
          "asynchronous ones") {
  FoundScene scene;
  for (int i = 0; i < 5; ++i) {
    scene.up(kPinned, kMB, 200);
    scene.waits(10);
    scene.works(1000);
    scene.down(kPinned, kMB, 200);
    scene.works(1000);
    scene.up(kPinned, kMB, 200, kDevice, true);
    scene.works(1000);
    scene.waits(10);
  }
  CHECK(scene.found("copy-synchronous").empty());
}

TEST_CASE("blocking copies of memory that is copied once are left alone") {
  FoundScene scene;
  for (unsigned i = 0; i < 8; ++i) {
    scene.up(kPinned + kMB * i, kMB, 200);
    scene.works(1000);
  }
  scene.waits(10);
  CHECK(scene.found("copy-synchronous").empty());
}

TEST_CASE("copies of what nothing reads are told with the call that made most of them") {
  FoundScene scene;
  scene.at("once()", 11);
  scene.up(kPageable, 100, 10);
  scene.at("often()", 22);
  scene.up(kPageable, 4096, 10);
  const std::vector<Finding> found = scene.found("copied-unread");
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == "main > often()");
  CHECK(found[0].line == 22);
}

TEST_CASE("copies that different callers make are no row") {
  FoundScene scene;
  for (std::uint32_t i = 0; i < 12; ++i) {
    scene.at(i % 2 == 0 ? "upload(Mesh&)" : "upload(Field&)", 30 + i);
    scene.up(kPageable, 100, 20, kDevice + 256 * i);
  }
  CHECK(scene.found("copies-small").empty());
}

} // namespace transfer_findings_test
