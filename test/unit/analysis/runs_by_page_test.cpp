/// The order of runs, byte by byte.
#include "analysis/engine/runs_by_page.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

namespace runs_by_page_test {

using namespace cupr::analysis;
using cupr::abi::OperationClass;

namespace {

ShardRun runAt(std::uint64_t begin, std::uint32_t number, OperationClass operation = OperationClass::Load) {
  ShardRun run{};
  run.begin = begin;
  run.elementBytes = 4;
  run.elements = 1;
  run.cta = number;
  run.operation = operation;
  return run;
}

/// How often the page changes from run to run.
struct Order {
  std::vector<ShardRun> runs;
  std::size_t changes = 0;
};

Order orderOf(const std::vector<std::vector<ShardRun>> &chunks) {
  std::vector<std::span<const ShardRun>> parts(chunks.begin(), chunks.end());
  Order order;
  RunsByPage byPage;
  byPage.forEach(parts, [&](std::span<const ShardRun> runs) {
    for (const ShardRun &run : runs) {
      order.changes += order.runs.empty() || order.runs.back().begin >> kPageShift != run.begin >> kPageShift;
      order.runs.push_back(run);
    }
  });
  return order;
}

/// `last`: of the last run.
std::vector<std::vector<ShardRun>> scattered(OperationClass last, std::uint32_t lastBytes) {
  std::mt19937 random(1);
  std::vector<std::vector<ShardRun>> chunks(3);
  for (std::uint32_t i = 0; i < 3000; ++i)
    chunks[i / 1000].push_back(runAt(random() % 20 * kPageBytes + random() % 1000 * 4, i));
  chunks[2].back().operation = last;
  chunks[2].back().elementBytes = lastBytes;
  return chunks;
}

} // namespace

TEST_CASE("runs of a page come one behind the other, those of each byte in their order") {
  const Order order = orderOf(scattered(OperationClass::Store, 4));
  CHECK(order.runs.size() == 3000);
  CHECK(order.changes == 20);
  std::map<std::uint64_t, std::uint32_t> last; // run at each address, and one
  for (const ShardRun &run : order.runs) {
    std::uint32_t &before = last[run.begin];
    REQUIRE(before < run.cta + 1);
    before = run.cta + 1;
  }
}

TEST_CASE("runs that reach over a border of blocks keep their order on both sides") {
  std::vector<std::vector<ShardRun>> chunks = scattered(OperationClass::Store, 4);
  for (std::vector<ShardRun> &chunk : chunks)
    for (ShardRun &run : chunk)
      run.elementBytes = run.cta % 3 == 0 ? 40 : 4;
  const Order order = orderOf(chunks);
  CHECK(order.runs.size() == 3000);
  CHECK(order.changes == 20);
  std::map<std::uint64_t, std::uint32_t> last; // run at each word, and one
  for (const ShardRun &run : order.runs)
    for (std::uint64_t word = run.begin; word < run.range().end; word += 4) {
      REQUIRE(last[word] < run.cta + 1);
      last[word] = run.cta + 1;
    }
}

TEST_CASE("runs stay in their order where it tells more, and where few are in each page") {
  const auto stay = [](const std::vector<std::vector<ShardRun>> &chunks) {
    const Order order = orderOf(chunks);
    for (std::uint32_t i = 0; i < order.runs.size(); ++i)
      REQUIRE(order.runs[i].cta == i);
    return order.runs.size();
  };
  CHECK(stay(scattered(OperationClass::Atomic, 4)) == 3000);
  CHECK(stay(scattered(OperationClass::Load, 1u << 20)) == 3000);
  std::vector<std::vector<ShardRun>> far(1);
  for (std::uint32_t i = 0; i < 1000; ++i)
    far[0].push_back(runAt(i * 7 % 500 * kPageBytes, i));
  CHECK(stay(far) == 1000);
  std::vector<std::vector<ShardRun>> coalesced = scattered(OperationClass::Load, 4);
  for (std::vector<ShardRun> &chunk : coalesced)
    for (ShardRun &run : chunk)
      run.elements = 2;
  CHECK(stay(coalesced) == 3000);
  CHECK(stay({}) == 0);
}

} // namespace runs_by_page_test
