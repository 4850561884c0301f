/// Copies of an access that unrolling made are one; those that were inlined through other calls are not.
#include "analysis/metrics/access_costs.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace access_costs_test {

using namespace cupr;
using namespace cupr::analysis;

TEST_CASE("an access costs each kernel what its warps' requests do, by the calls it was inlined through") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  const std::uint32_t outer = blob.frame("a.cu", 20, "kernel(int*)"),
                      inner = blob.frame("b.cuh", 9, "middle(int*)", outer);
  blob.site(abi::Operation::Load, 4, "c.cuh", 3, "get(int*)", inner);
  blob.site(abi::Operation::Load, 4, "c.cuh", 3, "get(int*)", inner);
  blob.site(abi::Operation::Load, 4, "c.cuh", 3, "get(int*)", outer);
  trace.table(blob);
  for (const char *kernel : {"first(int*)", "second(int*)"}) {
    test::Words words;
    for (const std::uint32_t site : {0, 1, 2})
      words.strided(site, 0, 0, 0x10000, 32);
    trace.run(kernel, {1, 1, 1}, {32, 1, 1}, words);
  }
  trace.writer->finish();

  const Model model(file.path());
  const auto costs = accessCosts(model, accessPatterns(model));
  REQUIRE(costs.size() == 4);
  for (const LaunchIndex kernel : {0, 1}) {
    AccessKey key{.kernel = kernel,
                  .file = "c.cuh",
                  .line = 3,
                  .column = 7,
                  .operation = abi::Operation::Load,
                  .function = "get(int*)",
                  .callers = {"kernel(int*)"},
                  .callSites = {"a.cu:20:3"},
                  .bytes = 4};
    const AccessCost once = costs.at(key);
    CHECK(once.threads == 32);
    CHECK(once.made == RequestFigures{1, 32, 4});
    key.callers.insert(key.callers.begin(), "middle(int*)");
    key.callSites.insert(key.callSites.begin(), "b.cuh:9:3");
    const AccessCost twice = costs.at(key);
    CHECK(twice.threads == 64);
    CHECK(twice.made == RequestFigures{2, 64, 8});
  }
}

} // namespace access_costs_test
