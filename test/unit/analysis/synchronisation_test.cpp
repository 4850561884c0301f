/// Barriers and fences among the records of accesses: who doesn't ask for them doesn't see them.
#include "analysis/engine/communication.h"
#include "analysis/model/records.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace synchronisation_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint32_t kStore = 0, kBarrier = 1, kLoad = 2, kFence = 3;
constexpr std::uint64_t kA = 0x10000;

/// Two blocks of one warp each store 128 bytes, wait, and load what the other's place held.
struct Scene {
  explicit Scene(bool synchronises) : trace(file.path()) {
    test::SiteTableBlob blob;
    blob.column(blob.site(abi::Operation::Store, 4) + 1);
    blob.column(blob.site(abi::Operation::Barrier, 0) + 1);
    blob.order(abi::MemoryOrder::AcquireRelease, abi::MemoryScope::Block);
    blob.column(blob.site(abi::Operation::Load, 4) + 1);
    blob.column(blob.site(abi::Operation::Fence, 0) + 1);
    blob.order(abi::MemoryOrder::SequentiallyConsistent, abi::MemoryScope::Device);
    trace.table(blob);
    trace.allocate(kA, 0x1000);
    test::Words words;
    for (std::uint32_t cta = 0; cta < 2; ++cta) {
      words.strided(kStore, cta, 0, kA + 128 * cta, 4);
      if (synchronises) {
        // An address that is none: of a named barrier of 64 threads, inside the allocation by chance.
        words.strided(kBarrier, cta, 0, kA + 4, 0);
        words.strided(kFence, cta, 0, 0, 0);
      }
      words.strided(kLoad, cta, 0, kA + 128 * (1 - cta), 4);
    }
    trace.run("k(int*)", {2, 1, 1}, {32, 1, 1}, words);
    trace.writer->finish();
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
};

std::vector<std::uint32_t> sitesOf(const Model &model, RecordsOf wanted) {
  std::vector<std::uint32_t> sites;
  RecordStream records(model, model.launches().at(0), wanted);
  while (const Record *record = records.next())
    sites.push_back(record->access.site);
  return sites;
}

} // namespace

TEST_CASE("synchronisation stands between the accesses of its warp, for who asks") {
  const Scene scene(true);
  const Model model(scene.file.path());
  CHECK(sitesOf(model, RecordsOf::Everything) ==
        std::vector{kStore, kBarrier, kFence, kLoad, kStore, kBarrier, kFence, kLoad});
  for (const RecordsOf accesses : {RecordsOf::AllMemory, RecordsOf::GlobalMemory})
    CHECK(sitesOf(model, accesses) == std::vector{kStore, kLoad, kStore, kLoad});
  CHECK(sitesOf(model, RecordsOf::Blocks).empty());
  const trace::Site &fence = model.modules().at(0).sites.at(kFence);
  CHECK(fence.order == abi::MemoryOrder::SequentiallyConsistent);
  CHECK(fence.scope == abi::MemoryScope::Device);
  CHECK_FALSE(areOfAllocations(fence));
}

TEST_CASE("synchronisation is in no count and moves nothing") {
  const Scene with(true), without(false);
  const Model model(with.file.path()), plain(without.file.path());
  const LaunchInfo &launch = model.launches().at(0);
  CHECK(launch.totals.counts == plain.launches().at(0).totals.counts);
  CHECK(launch.totals.counts.accesses() == 128);
  CHECK(launch.totals.records == 8);
  const Communication moved = communication(model), wanted = communication(plain);
  CHECK(moved.communicated == wanted.communicated);
  CHECK(moved.dependences.size() == wanted.dependences.size());
  CHECK(moved.uniqueRead == wanted.uniqueRead);
}

} // namespace synchronisation_test
