/// Findings on traces whose answers are arithmetic. Long, since each rule has its case, and all make their traces in one way.
#include "analysis/metrics/results.h"
#include "unit/trace/trace_builder.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

namespace findings_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kA = 0x10000, kB = 0x20000;

struct Scene {
  Scene() : trace(file.path()) {}
  std::uint32_t site(abi::Operation operation, std::uint32_t bytes, std::uint32_t line, std::uint32_t column,
                     abi::SpaceVerdict space = abi::SpaceVerdict::Global) {
    const std::uint32_t number = blob.site(operation, bytes, "a.cu", line);
    blob.column(column);
    blob.space(space);
    return number;
  }
  /// Of shared memory.
  std::uint32_t sharedSite(abi::Operation operation, std::uint32_t bytes, std::uint32_t line,
                           std::uint32_t column) {
    return site(operation, bytes, line, column, abi::SpaceVerdict::Shared);
  }
  /// Call it when all sites are there.
  void begin() {
    trace.table(blob);
    trace.allocate(kA, 0x10000);
    trace.allocate(kB, 0x10000);
  }
  void launch(const std::string &kernel = "k(int*)") {
    trace.run(kernel, {4, 1, 1}, {32, 1, 1}, words);
    words.clear();
  }
  std::vector<Finding> result(const std::string &id) {
    trace.writer->finish();
    std::vector<Finding> all = resultsOf(Model(file.path())).findings;
    std::erase_if(all, [&](const Finding &finding) { return idOf(finding.rule) != id; });
    return all;
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
  test::SiteTableBlob blob;
  test::Words words;
};

} // namespace

TEST_CASE("an array of structures that are copied whole is found, at the load and at the store") {
  Scene scene;
  const std::uint32_t load = scene.site(abi::Operation::Load, 12, 7, 11),
                      store = scene.site(abi::Operation::Store, 12, 7, 9);
  scene.begin();
  scene.words.strided(load, 0, 0, kA, 12);
  scene.words.strided(store, 0, 0, kB, 12);
  scene.launch();
  const std::vector<Finding> found = scene.result("structure-access");
  REQUIRE(found.size() == 2);
  for (const Finding &finding : found) {
    CHECK(finding.line == 7);
    CHECK(finding.amount == 36 - 12);
    CHECK(finding.share == Approx(24.0 / 72));
    CHECK(
        finding.title ==
        "Each thread accesses 12 bytes at once, in 3 requests whose threads are 12 bytes apart: 12.0 sectors "
        "per request, where 4.0 would hold the data");
  }
  CHECK(found[0].column == 9);
  CHECK(found[0].operation == std::string("store"));
  CHECK(found[1].column == 11);
  CHECK(found[1].operation == std::string("load"));
}

TEST_CASE("atomics are judged by their own addresses, not by those of loads in their line") {
  Scene scene;
  const std::uint32_t load = scene.site(abi::Operation::Load, 4, 7, 20),
                      atomic = scene.site(abi::Operation::AtomicAdd, 4, 7, 3);
  scene.begin();
  for (int i = 0; i < 40; ++i)
    scene.words.strided(load, 0, 0, kA, 0); // all threads read one number
  scene.words.strided(atomic, 0, 0, kB, 4); // and each adds it to an element of its own
  scene.launch();
  CHECK(scene.result("atomics-on-one-address").empty());
}

TEST_CASE("atomics of which threads share addresses are found, with how many could be spared") {
  Scene scene;
  const std::uint32_t load = scene.site(abi::Operation::Load, 4, 7, 20),
                      atomic = scene.site(abi::Operation::AtomicAdd, 4, 7, 3),
                      wide = scene.site(abi::Operation::AtomicAdd, 8, 7, 3); // of another instance
  scene.begin();
  for (int i = 0; i < 40; ++i)
    scene.words.strided(load, 0, 0, kA, 4); // coalesced: hides nothing
  scene.words.strided(atomic, 0, 0, kB, 0);
  scene.words.strided(wide, 0, 0, kB + 64, 0);
  scene.launch();
  const std::vector<Finding> found = scene.result("atomics-on-one-address");
  REQUIRE(found.size() == 1);
  CHECK(found[0].amount == 2 * 31);
  CHECK(found[0].column == 3);
  CHECK(found[0].operation == std::string("atomic"));
}

TEST_CASE("a scattered access is found beside coalesced ones of its line") {
  Scene scene;
  const std::uint32_t good = scene.site(abi::Operation::Load, 4, 7, 5),
                      bad = scene.site(abi::Operation::Load, 4, 7, 30);
  scene.begin();
  for (int i = 0; i < 100; ++i)
    scene.words.strided(good, 0, 0, kA, 4);
  scene.words.strided(bad, 0, 0, kB, 32);
  scene.launch();
  const std::vector<Finding> found = scene.result("structure-stride");
  REQUIRE(found.size() == 1);
  CHECK(found[0].column == 30);
  CHECK(found[0].amount == 28);
}

TEST_CASE("an expression that accesses a structure part by part is no thread's walk through rows") {
  for (const std::uint32_t parts : {3u, 8u}) {
    Scene scene;
    std::vector<std::uint32_t> loads;
    for (std::uint32_t i = 0; i < parts; ++i)
      loads.push_back(scene.site(abi::Operation::Load, 4, 7, 5));
    scene.begin();
    for (std::uint32_t i = 0; i < parts; ++i)
      scene.words.strided(loads[i], 0, 0, kA + 4 * i, 4 * parts);
    scene.launch();
    const std::vector<Finding> found = scene.result(parts == 3 ? "structure-stride" : "thread-rows");
    REQUIRE(found.size() == 1);
    CHECK(found[0].title.starts_with(parts == 3
                                         ? "Each thread accesses 12 bytes of its own by 3 accesses of 4 bytes"
                                         : "Each thread accesses 32 bytes of its own by 8 accesses"));
    // All of each sector is used.
    CHECK(found[0].seconds == Approx(static_cast<double>(found[0].amount) * 32 / 30e12));
  }
}

TEST_CASE("rows of a block that lie side by side are nearer than a thread's next access in a loop that was "
          "unrolled") {
  Scene scene;
  const std::uint32_t load = scene.site(abi::Operation::Load, 4, 7, 30),
                      stores[] = {scene.site(abi::Operation::Store, 4, 7, 5),
                                  scene.site(abi::Operation::Store, 4, 7, 5)};
  scene.begin();
  for (unsigned warp = 0; warp < 16; ++warp) {
    for (unsigned turn = 0; turn < 2; ++turn)
      scene.words.strided(load, 0, warp, kA + 512 * (warp + 16 * turn), 4);
    for (unsigned turn = 0; turn < 2; ++turn)
      scene.words.strided(stores[turn], 0, warp, kB + 4 * (warp + 16 * turn), 512);
  }
  scene.trace.run("transpose(float*)", {1, 1, 1}, {32, 16, 1}, scene.words);
  REQUIRE(scene.result("transposed").size() == 1);
}

TEST_CASE("the borders of a tile are left alone, beside the tile, and said to be of rows elsewhere") {
  for (const bool isBesideTile : {true, false}) {
    Scene scene;
    const std::uint32_t tile = scene.site(abi::Operation::Load, 4, 7, 5),
                        border = scene.site(abi::Operation::Load, 4, 8, 5);
    scene.begin();
    abi::WarpAccess rows{};
    rows.site = tile;
    rows.laneMask = ~0u;
    for (unsigned lane = 0; lane < 32; ++lane)
      rows.address[lane] = kA + 64 + 4 * (lane % 8) + 1024 * (lane / 8);
    scene.words.add(rows);
    abi::WarpAccess ends{};
    ends.site = border;
    for (unsigned lane = 0; lane < 32; lane += 8) {
      ends.laneMask |= 1u << lane;
      ends.address[lane] = (isBesideTile ? kA + 60 : kB) + 128 * lane;
    }
    scene.words.add(ends);
    // Borders above and below are full rows.
    for (unsigned row = 0; row < 6; ++row)
      scene.words.strided(border, 0, 1, (isBesideTile ? kA : kB) + 2048 * (row + 2), 4);
    scene.trace.run("step(float*)", {1, 1, 1}, {8, 8, 1}, scene.words);
    const std::vector<Finding> found = scene.result("strided");
    REQUIRE(found.size() == (isBesideTile ? 0 : 1));
    if (!isBesideTile)
      CHECK(found[0].title.starts_with("Of each row of the block, one thread accesses, 1,024 bytes from"));
  }
}

TEST_CASE("columns beside a tile are its halo wherever the first block has one") {
  for (const bool isBesideTile : {true, false}) {
    Scene scene;
    const std::uint32_t tile = scene.site(abi::Operation::Load, 4, 7, 5),
                        halo = scene.site(abi::Operation::Load, 4, 8, 5);
    scene.begin();
    for (unsigned row = 0; row < 16; ++row)
      scene.words.strided(tile, row / 8, row % 8, kA + 256 * row, 4);
    // Of the tile at the upper border, the row below it comes first. Left and right take turns, and left is nothing.
    const std::uint64_t at = isBesideTile ? kA : kB;
    scene.words.strided(halo, 0, 0, at + 8 * 256, 4);
    scene.words.strided(halo, 0, 1, at, 128, 0xaaaa);
    scene.trace.run("step(float*)", {1, 2, 1}, {32, 8, 1}, scene.words);
    CHECK(scene.result("structure-stride").size() == (isBesideTile ? 0 : 1));
  }
}

TEST_CASE("a window that loops go over is the halo of its middle, wherever it begins") {
  for (const int variant : {0, 1, 2, 3}) {
    const bool hasMiddle = variant % 2 == 0, isByRows = variant < 2;
    Scene scene;
    const std::uint32_t middle = scene.site(abi::Operation::Load, 4, 7, 5),
                        window = scene.site(abi::Operation::Load, 4, 8, 5);
    scene.begin();
    constexpr int kRows = 8, kReach = 2, kSide = 2 * kReach + 1;
    const auto row = [](int of) { return kA + 512 * static_cast<std::uint64_t>(of); };
    for (int y = 0; y < kRows; ++y) {
      const auto warp = static_cast<unsigned>(y);
      if (hasMiddle)
        scene.words.strided(middle, 0, warp, row(y), 4);
      for (int turn = 0; turn < kSide * kSide; ++turn) {
        const int outer = turn / kSide, inner = turn % kSide, at = y - kReach + (isByRows ? outer : inner),
                  mirrored = at < 0        ? -at
                             : at >= kRows ? 2 * kRows - 2 - at
                                           : at;
        scene.words.strided(window, 0, warp,
                            row(mirrored) + 4 * static_cast<std::uint64_t>(isByRows ? inner : outer), 4);
      }
    }
    scene.trace.run("blur(float*)", {1, 1, 1}, {32, kRows, 1}, scene.words);
    CHECK(scene.result("misaligned").size() == (hasMiddle ? 0 : 1));
  }
}

TEST_CASE("a table of a library's function is not loaded in vain by a loop that calls it") {
  constexpr std::uint64_t kCode = 0x90000; // in no allocation
  enum class Table { OfLibrary, OfProgram, Allocated };
  for (const Table table : {Table::OfLibrary, Table::OfProgram, Table::Allocated}) {
    Scene scene;
    const std::uint32_t load = scene.site(abi::Operation::Load, 16, 7, 5);
    if (table == Table::OfProgram)
      scene.blob.sourceType("double", "");
    scene.begin();
    for (int turn = 0; turn < 20; ++turn)
      scene.words.strided(load, 0, 0, table == Table::Allocated ? kA : kCode, 0);
    scene.launch();
    CHECK(scene.result("repeated-load").size() == (table == Table::OfLibrary ? 0 : 1));
  }
}

TEST_CASE("accesses without a line are not one") {
  Scene scene;
  const std::uint32_t first = scene.site(abi::Operation::Load, 4, 0, 0),
                      second = scene.site(abi::Operation::Load, 4, 0, 0);
  scene.begin();
  scene.words.strided(first, 0, 0, kA, 1024);
  scene.words.strided(second, 0, 0, kB, 1024);
  scene.launch();
  CHECK(scene.result("strided").size() == 2);
}

TEST_CASE("what the host copies to the device again is found where it is there already") {
  struct Written {
    std::uint64_t begin, bytes; ///< between the copies, from kA on
    std::uint64_t unchanged;    ///< of the second's
  };
  for (const Written &written : {Written{0, 0, 256}, {100, 60, 196}, {0, 256, 0}, {512, 64, 256}}) {
    for (const bool byLaunch : {false, true}) {
      Scene scene;
      const std::uint32_t load = scene.site(abi::Operation::Load, 4, 7, 11),
                          store = scene.site(abi::Operation::Store, 4, 8, 11);
      scene.begin();
      scene.trace.copy(trace::CopyKind::HostToDevice, kA, 0x1000, 256);
      const std::uint64_t first = scene.trace.order();
      scene.words.strided(load, 0, 0, kA, 4);
      for (std::uint64_t at = 0; byLaunch && at < written.bytes; at += 4)
        scene.words.strided(store, 0, 0, kA + written.begin + at, 4, 1);
      scene.launch();
      if (!byLaunch && written.bytes != 0)
        scene.trace.set(kA + written.begin, written.bytes);
      scene.trace.copy(trace::CopyKind::HostToDevice, kA, 0x1000, 256, false, first);
      scene.words.strided(load, 0, 0, kA, 4);
      scene.launch();
      const std::vector<Finding> found = scene.result("copied-unchanged");
      REQUIRE(found.size() == (written.unchanged != 0 ? 1 : 0));
      if (found.empty())
        continue;
      CHECK(found[0].amount == written.unchanged);
      CHECK(found[0].share == Approx(static_cast<double>(written.unchanged) / 512));
      CHECK(found[0].seconds == Approx(static_cast<double>(written.unchanged) / 50e9));
    }
  }
}

TEST_CASE("a copy that says to be the same as what is no earlier copy from the host is none") {
  for (const std::uint64_t sameAs : {1, 3, 4, 99}) {
    Scene scene;
    scene.site(abi::Operation::Load, 4, 7, 11);
    scene.begin();                                                  // allocations are 1 and 2
    scene.trace.copy(trace::CopyKind::DeviceToDevice, kA, kB, 256); // 3
    scene.trace.copy(trace::CopyKind::HostToDevice, kA, 0x1000, 256, false, sameAs); // 4
    CHECK(scene.result("copied-unchanged").empty());
  }
}

TEST_CASE("what launches of the same kernel write again is told apart from a clearing") {
  for (const bool isSame : {true, false}) {
    Scene scene;
    const std::uint32_t store = scene.site(abi::Operation::Store, 4, 7, 3),
                        other = scene.site(abi::Operation::Store, 4, 8, 3);
    scene.begin();
    scene.words.strided(store, 0, 0, kA, 4);
    scene.launch("fill(int*)");
    scene.words.strided(isSame ? store : other, 0, 0, kA, 4);
    scene.launch(isSame ? "fill(int*)" : "sum(int*)");
    const std::vector<Finding> found = scene.result("dead-store");
    REQUIRE(found.size() == 1);
    CHECK(found[0].amount == 128);
    CHECK((found[0].title.find("by later launches of the kernel") != std::string::npos) == isSame);
    CHECK((found[0].seconds == 0) == isSame);
  }
}

namespace {

/// A launch that writes an array which nobody reads, and what else `happens` behind it.
std::vector<Finding> neverRead(const std::function<void(Scene &)> &happens,
                               trace::MemoryKind kind = trace::MemoryKind::Device) {
  constexpr std::uint64_t kC = 0x40000;
  Scene scene;
  const std::uint32_t store = scene.site(abi::Operation::Store, 4, 7, 3);
  scene.site(abi::Operation::Load, 4, 8, 3);
  scene.begin();
  scene.trace.allocate(kC, 0x1000, kind);
  scene.trace.stream(5, trace::StreamKind::NonBlocking);
  scene.words.strided(store, 0, 0, kC, 4);
  scene.launch();
  happens(scene);
  return scene.result("never-read");
}

} // namespace

TEST_CASE("what nobody reads is found, unless something unseen may have read it") {
  constexpr std::uint64_t kC = 0x40000;
  const auto nothing = [](Scene &) {};
  const auto launchInPart = [](Scene &scene) {
    scene.trace.end(scene.trace.launch("partly()", {4, 1, 1}, {32, 1, 1}, {0, 2, 1}));
  };
  const auto otherStream = [](Scene &scene) { scene.trace.stream(6, trace::StreamKind::NonBlocking); };
  REQUIRE(neverRead(nothing).size() == 1);
  CHECK(neverRead(nothing)[0].amount == 128);
  CHECK(neverRead(launchInPart).empty());
  CHECK(neverRead(nothing, trace::MemoryKind::Managed).empty());
  CHECK(neverRead(nothing, trace::MemoryKind::Host).empty());
  CHECK(neverRead([&](Scene &scene) { // nothing orders the two
          otherStream(scene);
          scene.words.strided(1, 0, 0, kC, 4);
          scene.launch("r(int*)");
        })
            .empty());
  CHECK(neverRead([&](Scene &scene) {
          otherStream(scene);
          scene.trace.copy(trace::CopyKind::DeviceToHost, 0x500, kC, 64, true);
        }).empty());
}

TEST_CASE("a launch of which not all is known and that came before can't have read") {
  Scene scene;
  const std::uint32_t store = scene.site(abi::Operation::Store, 4, 7, 3);
  scene.begin();
  scene.trace.end(scene.trace.launch("partly()", {4, 1, 1}, {32, 1, 1}, {0, 2, 1}));
  scene.words.strided(store, 0, 0, kA, 4);
  scene.launch();
  CHECK(scene.result("never-read").size() == 1);
}

TEST_CASE("a column of a tile in shared memory is a conflict of banks, and padding is what helps") {
  Scene scene;
  const std::uint32_t column = scene.sharedSite(abi::Operation::Load, 4, 7, 11),
                      row = scene.sharedSite(abi::Operation::Store, 4, 8, 11);
  scene.begin();
  scene.words.strided(row, 0, 0, 0x400, 4);
  scene.words.strided(column, 0, 0, 0x400, 128);
  scene.launch();
  const std::vector<Finding> found = scene.result("bank-conflict");
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 7);
  CHECK(found[0].operation == std::string("load"));
  CHECK(found[0].amount == 31);
  CHECK(unitOf(found[0].rule) == std::string("wavefronts"));
  CHECK(found[0].share == Approx(31.0 / 33));
  CHECK(found[0].seconds == Approx(31 * 128 / 30e12));
  CHECK(found[0].title == "A warp accesses a column: neighbouring threads are in rows 128 bytes apart: 32.0 "
                          "wavefronts per request, where 1.0 would do");
  CHECK(found[0].advice == "Make the rows of the array one element longer ([33] instead of [32]): a full "
                           "warp takes 1.0 wavefronts per "
                           "request then. Or: Swizzle, which takes no more memory: keep what belongs in "
                           "column c of row r in column c ^ "
                           "(r % 32): a full warp takes 1.0 wavefronts per request then.");
}

TEST_CASE("a conflict of banks is told with the shared variables, where launches say where they lie") {
  for (const bool isOne : {true, false}) {
    Scene scene;
    const std::uint32_t column = scene.sharedSite(abi::Operation::Load, 4, 7, 11);
    const auto variable = [&](const char *name, std::uint32_t bytes) {
      const std::uint32_t site = scene.sharedSite(abi::Operation::Variable, bytes, 3, 5);
      scene.blob.name(name, 4);
      return site;
    };
    const std::uint32_t tile = variable("tile", isOne ? 4096 : 2048), rest = variable("rest", 0);
    scene.begin();
    scene.trace.dynamicShared(2048);
    scene.words.strided(tile, 0, 0, 0x400, 0, 1);
    scene.words.strided(rest, 0, 0, isOne ? 0x1400 : 0xc00, 0, 1);
    scene.words.strided(column, 0, 0, 0x400, 128);
    scene.launch();
    const std::vector<Finding> found = scene.result("bank-conflict");
    REQUIRE(found.size() == 1);
    CHECK(found[0].title.ends_with(isOne ? "where 1.0 would do, in `tile`"
                                         : "where 1.0 would do, in `rest` and `tile`"));
    CHECK(found[0].advice.starts_with(isOne ? "Make the rows of `tile` one"
                                            : "Make the rows of the array one"));
  }
}

TEST_CASE("distances that double are a tree in shared memory, walked from the wrong end") {
  Scene scene;
  const std::uint32_t load = scene.sharedSite(abi::Operation::Load, 4, 7, 11);
  scene.begin();
  for (const unsigned stride : {8u, 16u, 32u, 64u})
    scene.words.strided(load, 0, 0, 0x400, stride);
  scene.launch();
  const std::vector<Finding> found = scene.result("bank-conflict");
  REQUIRE(found.size() == 1);
  CHECK(found[0].amount == 1 + 3 + 7 + 15);
  CHECK(found[0].title.starts_with(
      "Neighbouring threads are further apart from step to step, by powers of two: 8 "
      "bytes to 64 bytes"));
}

TEST_CASE("fields of structures in shared memory") {
  Scene scene;
  const std::uint32_t x = scene.sharedSite(abi::Operation::Load, 4, 7, 11),
                      y = scene.sharedSite(abi::Operation::Load, 4, 7, 18);
  scene.begin();
  scene.words.strided(x, 0, 0, 0x400, 16);
  scene.words.strided(y, 0, 0, 0x404, 16);
  scene.launch();
  const std::vector<Finding> found = scene.result("bank-conflict");
  REQUIRE(found.size() == 2);
  CHECK(found[0].title ==
        "Neighbouring threads are 16 bytes apart in shared memory, and use 4 bytes of it; this "
        "kernel accesses 2 fields of the 16 bytes: 4.0 wavefronts per request, where 1.0 would "
        "do");
  CHECK(found[0].advice.find("make the structure 4 bytes longer") != std::string::npos);
}

TEST_CASE("of conflicts that follow no pattern, nothing is promised") {
  Scene scene;
  const std::uint32_t load = scene.sharedSite(abi::Operation::Load, 4, 7, 11);
  scene.begin();
  abi::WarpAccess access{};
  access.laneMask = ~0u;
  access.site = load;
  for (unsigned lane = 0; lane < 32; ++lane)
    access.address[lane] = 0x400 + 4 * (lane * 2654435761u >> 22);
  scene.words.add(access);
  scene.launch();
  const std::vector<Finding> found = scene.result("bank-conflict");
  REQUIRE(found.size() == 1);
  CHECK(found[0].title.starts_with("Addresses follow no pattern, and meet in banks by chance"));
  CHECK(found[0].advice.starts_with("Where data say which bank is asked, padding doesn't help."));
}

TEST_CASE("counters in shared memory: only what words do is held against them") {
  Scene scene;
  const std::uint32_t count = scene.sharedSite(abi::Operation::AtomicAdd, 4, 7, 11);
  const std::uint32_t most = scene.sharedSite(abi::Operation::AtomicMax, 4, 8, 11);
  scene.begin();
  scene.words.strided(count, 0, 0, 0x400, 0);
  scene.words.strided(most, 0, 0, 0x400, 0);
  scene.launch();
  const std::vector<Finding> found = scene.result("bank-conflict");
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 8);
  CHECK(found[0].amount == 31);
  CHECK(found[0].title.starts_with("97 % of the atomics have the address of another thread of their warp"));
}

TEST_CASE("a swizzle of shared memory that does less than padding is not advised") {
  Scene scene;
  const std::uint32_t load = scene.sharedSite(abi::Operation::Load, 4, 7, 11);
  scene.begin();
  scene.words.strided(load, 0, 0, 0x400, 96); // rows of 24 words: three times eight
  scene.launch();
  const std::vector<Finding> found = scene.result("bank-conflict");
  REQUIRE(found.size() == 1);
  CHECK(found[0].advice ==
        "Make the rows of the array one element longer ([25] instead of [24]): a full warp takes "
        "1.0 wavefronts per request then.");
}

TEST_CASE("pieces of each thread in shared memory, which a loop that was unrolled accesses") {
  Scene scene;
  std::vector<std::uint32_t> loads;
  for (int i = 0; i < 8; ++i)
    loads.push_back(scene.sharedSite(abi::Operation::Load, 4, 7, 11));
  scene.begin();
  for (unsigned i = 0; i < 8; ++i)
    scene.words.strided(loads[i], 0, 0, 0x400 + 4 * i, 32);
  scene.launch();
  const std::vector<Finding> found = scene.result("bank-conflict");
  REQUIRE(found.size() == 1);
  CHECK(found[0].title.starts_with("Each thread takes 32 bytes of its own, by 8 accesses of 4 bytes"));
  CHECK(found[0].advice == "Let neighbouring threads take neighbouring elements: thread t takes t, t + "
                           "threads, t + 2 * threads and so "
                           "on. Or: Leave one element free behind every 32 (index i + i / 32): a full warp "
                           "takes 1.0 wavefronts per "
                           "request then.");
}

TEST_CASE("vectors that are copied in halves meet in the banks of shared memory") {
  Scene scene;
  const std::uint32_t store = scene.sharedSite(abi::Operation::Store, 16, 7, 11);
  scene.blob.space(abi::SpaceVerdict::Shared, 4 << abi::kSitePartShift); // in parts of 8 bytes
  scene.begin();
  scene.words.strided(store, 0, 0, 0x400, 16);
  scene.launch();
  const std::vector<Finding> found = scene.result("bank-conflict");
  REQUIRE(found.size() == 1);
  CHECK(found[0].title ==
        "Each thread accesses 16 bytes at once, in 2 requests whose threads are 16 bytes apart: 4.0 "
        "wavefronts per request, where 2.0 would do");
  CHECK(found[0].advice.starts_with("Copy it member by member, which is one instruction of 16 bytes"));
}

/// Of a warp whose lanes 16 to 31 are 128 bytes from lanes 0 to 15.
static std::vector<Finding> ofTwoRows(const trace::Dim3 &block) {
  Scene scene;
  abi::WarpAccess access{};
  access.site = scene.sharedSite(abi::Operation::Load, 4, 7, 11);
  scene.begin();
  access.laneMask = ~0u;
  for (unsigned lane = 0; lane < 32; ++lane)
    access.address[lane] = 0x400 + 128 * (lane / 16) + 4 * (lane % 16);
  scene.words.add(access);
  scene.trace.run("k(int*)", {1, 1, 1}, block, scene.words);
  return scene.result("bank-conflict");
}

TEST_CASE("rows of a narrow block meet in banks, and so do groups of threads that an index makes") {
  const std::vector<Finding> rows = ofTwoRows({16, 2, 1}), groups = ofTwoRows({32, 1, 1});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].title.starts_with(
      "A warp covers 2 rows of 16 threads, 128 bytes apart, which meet in the same banks"));
  CHECK(rows[0].advice.starts_with("Make the rows of the array 16 elements longer ([48] instead of [32])"));
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].title.starts_with(
      "Groups of 16 neighbouring threads are 128 bytes apart, and meet in the same banks"));
  CHECK(groups[0].advice.starts_with("Let neighbouring threads take neighbouring elements"));
}

TEST_CASE("blocks that wait for each other through volatile accesses are left alone, also where plain ones "
          "stand in their line") {
  for (const bool isVolatile : {true, false}) {
    Scene scene;
    const auto flags = static_cast<std::uint16_t>(isVolatile ? abi::kSiteVolatile : 0);
    const std::uint32_t plain = scene.site(abi::Operation::Load, 4, 7, 9);
    const std::uint32_t waits = scene.blob.site(abi::Operation::Load, 4, "a.cu", 7);
    scene.blob.column(9);
    scene.blob.space(abi::SpaceVerdict::Global, flags);
    const std::uint32_t tells = scene.blob.site(abi::Operation::Store, 4, "a.cu", 7);
    scene.blob.column(9);
    scene.blob.space(abi::SpaceVerdict::Global, flags);
    scene.begin();
    scene.words.strided(plain, 0, 0, kB, 4);
    scene.words.strided(tells, 0, 0, kA, 4);
    scene.words.strided(waits, 1, 0, kA, 4);
    scene.launch();
    CHECK(scene.result("shared-inside-launch").size() == (isVolatile ? 0u : 1u));
  }
}

} // namespace findings_test
