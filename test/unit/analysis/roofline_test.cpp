/// What bounds a kernel's time: figures that arithmetic gives.
#include "analysis/metrics/roofline.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>

namespace roofline_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

Ceilings ceilings() {
  return {.device = "a GPU",
          .multiprocessors = 10,
          .clock = 1e9,
          .bandwidth = {{"dram", 1e9}, {"l2", 4e9}, {"l1", 10e9}, {"shared", 10e9}},
          .throughput = {{"fp32", 100e9}, {"tensor.f16", 1000e9}}};
}

AccessKey lineAt(std::uint32_t line) {
  AccessKey key;
  key.file = "a.cu";
  key.line = line;
  key.operation = abi::Operation::Instructions;
  return key;
}

test::SiteTableBlob someSite() {
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4);
  return blob;
}

/// Of kernel `a` an untraced launch of 400 ns and one of 600, and one that is traced; of another shape one.
void writeTimes(const test::TemporaryFile &file) {
  test::TraceBuilder trace(file.path());
  trace.table(someSite());
  trace.end(trace.launch("a(int*)", {8, 1, 1}, {64, 1, 1}), 1000, 9000);
  trace.untraced("a(int*)", {8, 1, 1}, {64, 1, 1}, 1000, 1400);
  trace.untraced("a(int*)", {8, 1, 1}, {64, 1, 1}, 2000, 2600);
  trace.untraced("a(int*)", {9, 1, 1}, {64, 1, 1}, 3000, 3070);
  trace.writer->finish();
}

} // namespace

TEST_CASE("operations come of instructions, bytes of the caches and of shared memory's instructions") {
  InstructionMixes mixes;
  mixes[lineAt(1)] = {
      {{"compute.fp32.fma", {10, 320}}, {"memory.shared.load.128", {2, 40}}, {"control.branch", {3, 96}}}};
  mixes[lineAt(2)] = {{{"compute.tensor.m16n8k16.f32.f16", {5, 160}}}};
  AccessKey access = lineAt(2);
  access.column = 7;
  access.operation = abi::Operation::Load;
  access.bytes = 4;
  CacheFigures made;
  made.loads = 12, made.reads = 6, made.fetched = 2, made.dirtied = 3;
  const auto works = rooflineWork(mixes, {{access, made}});
  REQUIRE(works.size() == 2);
  const RooflineWork &first = works.at(lineAt(1)), &second = works.at(lineAt(2));
  CHECK(first.operations == std::map<std::string, std::uint64_t>{{"fp32", 640}});
  CHECK(first.sharedBytes == 640);
  CHECK(first.executed == ExecutedCount{15, 456});
  CHECK(second.operations == std::map<std::string, std::uint64_t>{{"tensor.f16", 5 * 4096}});
  CHECK(second.floatingOperations() == 5 * 4096);
  CHECK(second.l1Bytes == 12 * 32);
  CHECK(second.l2Bytes == 6 * 32);
  CHECK(second.memoryBytes == (2 + 3) * 32);
}

TEST_CASE("the limit is what takes longest by itself") {
  Roofline roofline;
  RooflineWork work;
  CHECK_FALSE(roofline.boundOf(work));
  roofline.ceilings = ceilings();
  CHECK_FALSE(roofline.boundOf(work)); // nothing was done
  work.operations = {{"fp32", 1000}};
  CHECK(roofline.boundOf(work)->limit == "fp32");
  CHECK(roofline.boundOf(work)->seconds == Approx(10e-9));
  work.l1Bytes = 200;
  CHECK(roofline.boundOf(work)->limit == "l1");
  work.memoryBytes = 64;
  CHECK(roofline.boundOf(work)->limit == "dram");
  CHECK(roofline.boundOf(work)->seconds == Approx(64e-9));
  work.operations["fp64"] = 1u << 30; // no ceiling is known
  CHECK(roofline.boundOf(work)->limit == "dram");
}

TEST_CASE("plain times are those of launches of the same shape that are not traced") {
  const test::TemporaryFile timed, traced;
  writeTimes(timed);
  {
    test::TraceBuilder trace(traced.path());
    trace.table(someSite());
    test::Words words;
    trace.run("a(int*)", {8, 1, 1}, {64, 1, 1}, words);
    trace.run("b(int*)", {8, 1, 1}, {64, 1, 1}, words);
    trace.run("a(int*)", {9, 1, 1}, {64, 1, 1}, words);
    trace.writer->finish();
  }
  const Model model(traced.path());
  CHECK(plainTimes(model, {}, PlainTimes(Model(timed.path()))) == KernelTimes{{0, 500 + 70}});
  LaunchSelection both;
  both.kernel = "a";
  both.count = 1;
  CHECK(plainTimes(model, both, PlainTimes(Model(timed.path()))) == KernelTimes{{0, 500}});
  CHECK(plainTimes(model, {}, PlainTimes(model)).empty()); // none of its own
  Roofline roofline;
  roofline.ceilings = ceilings();
  roofline.times = {{0, 500}};
  RooflineWork work;
  work.executed.instructions = 10000;
  CHECK(*roofline.issueRate(0, work) == Approx(10000 / (500.0 * 10 * 4)));
  CHECK_FALSE(roofline.issueRate(1, work));
}

TEST_CASE("a kernel's fill is of the blocks that fit, and of the last wave") {
  const test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace.table(someSite());
    test::Words words;
    trace.run("few(int*)", {33, 1, 1}, {1024, 1, 1}, words);    // of 132 multiprocessors
    trace.run("waves(int*)", {396, 1, 1}, {1024, 1, 1}, words); // two on each, then one on each
    trace.writer->finish();
  }
  const auto fill = kernelFill(Model(file.path()), {}, *geometryOf("H100"));
  CHECK(fill.at(0).multiprocessors == Approx(0.25));
  CHECK(fill.at(0).occupancy == Approx(1));
  CHECK(fill.at(1).multiprocessors == Approx(1));
}

TEST_CASE("ceilings are read from what the program prints, and nothing else") {
  const test::TemporaryFile file;
  file.write(R"({"format": 1, "device": {"name": "NVIDIA H200", "multiprocessors": 132, "clock_khz": 1980000},
                 "bandwidth": {"dram": 4e12, "l2": 0}, "throughput": {"fp32": 6e13}})");
  const Ceilings read = readCeilings(file.path());
  CHECK(read.device == "NVIDIA H200");
  CHECK(read.clock == Approx(1.98e9));
  CHECK(read.bandwidth == std::map<std::string, double>{{"dram", 4e12}}); // what is 0 was not measured
  CHECK(read.throughput.at("fp32") == Approx(6e13));
  for (const char *text : {"", "[]", "{}", "{\"device\": 3}",
                           "{\"device\": {\"name\": \"a\"}, \"bandwidth\": {}, \"throughput\": {}}"}) {
    file.write(text);
    CHECK_THROWS_WITH(readCeilings(file.path()), Catch::Contains("is not what examples/ceilings prints"));
  }
  CHECK_THROWS_WITH(readCeilings("/nowhere"), Catch::Contains("can't be read"));
}

} // namespace roofline_test
