/// A whole small program, whose figures arithmetic gives.
#include "analysis/metrics/results.h"
#include "unit/trace/stencil_trace.h"

#include <catch2/catch.hpp>

namespace stencil_test {

using namespace cupr;
using namespace cupr::analysis;

TEST_CASE("the figures of the stencil are those that arithmetic gives") {
  test::TemporaryFile file;
  test::writeStencilTrace(file.path());
  const Model model(file.path());
  const Results results = resultsOf(model);
  const Communication &c = results.communication;
  const std::uint64_t n = test::kStencilCtas * test::kStencilThreads;
  // All inner elements of every step are read by the next one, or by the sum.
  CHECK(c.communicated == test::kStencilSteps * (n - 2) * 4);
  // Elements at the edges of CTAs are read by the neighbour too, except the last step's.
  CHECK(c.otherIndex == (test::kStencilSteps - 1) * 2 * (test::kStencilCtas - 1) * 4);
  CHECK(c.uniqueWritten == test::kStencilSteps * (n - 2) * 4 + 4);

  const DensityLevel &finest = results.transfers.density.maps.at(kCommunication).front();
  CHECK(results.transfers.density.ctas == test::kStencilCtas);
  CHECK(finest.ctasPerCell == 1);
  CHECK(finest.filled.size() == 3 * test::kStencilCtas - 2); // oneself and two neighbours
  CHECK(finest.filled[1].bytes == (test::kStencilSteps - 1) * 4);

  REQUIRE(results.sources.size() == 1);
  const SourceFile &source = results.sources[0];
  REQUIRE(source.lines.size() == 3);
  CHECK(source.lines.at(5).counts.loads == test::kStencilSteps * 3 * (n - 2));
  CHECK(source.lines.at(5).counts.stores == test::kStencilSteps * (n - 2));
  // 32 aligned threads with 4 bytes: 4 sectors; all atomics of a warp at one word: 1.
  CHECK(source.lines.at(10).sectors == 4 * source.lines.at(10).requests);
  CHECK(source.lines.at(11).sectors == source.lines.at(11).requests);
  CHECK(source.text.find("three-point stencil") != std::string::npos);
}

} // namespace stencil_test
