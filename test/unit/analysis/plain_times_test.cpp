/// How long launches take untraced, and how much slower timed ones were: figures that arithmetic gives.
#include "analysis/metrics/plain_times.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace plain_times_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr trace::Dim3 kGrid{8, 1, 1}, kBlock{64, 1, 1};

class Scene {
public:
  Scene() {
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4);
    trace.table(blob);
  }
  void launch(const std::string &kernel, trace::Dim3 grid, std::uint64_t took, bool isTimed = true) {
    trace.timed(isTimed ? abi::LatencyScheme::Dependency : abi::LatencyScheme::None);
    trace.end(trace.launch(kernel, grid, kBlock), 1000, 1000 + took);
  }
  Model model() {
    trace.writer->finish();
    return Model(file_.path());
  }

private:
  const test::TemporaryFile file_;

public:
  test::TraceBuilder trace{file_.path()};
};

} // namespace

TEST_CASE("timed launches are set beside plain ones of the same shape") {
  Scene plain, traced;
  plain.trace.untraced("a(int*)", kGrid, kBlock, 1000, 1400);
  plain.trace.untraced("a(int*)", kGrid, kBlock, 2000, 2600);
  plain.trace.untraced("a(int*)", {9, 1, 1}, kBlock, 3000, 3070);
  plain.trace.untraced("b(int*)", kGrid, kBlock, 3000, 3100);
  traced.launch("a(int*)", kGrid, 1000);
  traced.launch("a(int*)", {9, 1, 1}, 140);
  traced.launch("a(int*)", kGrid, 5000, /*isTimed=*/false); // it has no times of accesses
  traced.launch("b(int*)", kGrid, 300);
  traced.launch("b(int*)", {7, 1, 1}, 300); // which was not run plain
  traced.launch("c(int*)", kGrid, 300);
  const Model model = traced.model();
  const PlainTimes times(plain.model());
  CHECK(*times.of(model.launches()[0]) == 500);
  CHECK_FALSE(times.of(model.launches()[4]));
  auto found = slowdowns(model, {}, times);
  REQUIRE(found.size() == 1);
  CHECK(found.begin()->first == 0);
  CHECK(found.begin()->second.launches == 2);
  CHECK(found.begin()->second.timed == 1140);
  CHECK(found.begin()->second.plain == 570);
  CHECK(found.begin()->second.factor() == Approx(2));
  LaunchSelection selection;
  selection.kernel = "b";
  selection.count = 1;
  found = slowdowns(model, selection, times);
  REQUIRE(found.size() == 1);
  CHECK(found.begin()->second.factor() == Approx(3));
}

} // namespace plain_times_test
