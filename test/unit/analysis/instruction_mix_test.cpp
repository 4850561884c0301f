/// Executed instructions: what sites say times how often they were run, and what classes mean.
#include "analysis/metrics/instruction_class.h"
#include "analysis/metrics/instruction_mix.h"
#include "analysis/metrics/profile.h"
#include "unit/analysis/command_run.h"
#include "unit/trace/trace_builder.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace instruction_mix_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint32_t kRegion = 0, kOther = 3;

/// A region of two lines, an access, and a region of a function that was called.
test::SiteTableBlob sitesOf(const std::string &first) {
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Instructions, 0, "a.cu", 3);
  blob.name(first, 0);
  blob.site(abi::Operation::Instructions, 0, "a.cu", 4);
  blob.name("compute.fp32.fma=1 control.branch=2", 0);
  blob.space(abi::SpaceVerdict::Global, abi::kSiteFollows);
  blob.site(abi::Operation::Load, 4, "a.cu", 4);
  const std::uint32_t call = blob.frame("a.cu", 9, "kernel(int*)", abi::kNoFrame, abi::FrameKind::Called);
  blob.site(abi::Operation::Instructions, 0, "a.cu", 20, "f(int)", call);
  blob.name("memory.shared.load.128=2", 0);
  return blob;
}

void lanes(test::Words &words, std::uint32_t site, std::uint32_t mask) {
  abi::WarpAccess access{};
  access.site = site;
  access.laneMask = mask;
  words.add(access);
}

/// The region run by a whole warp and by 8 lanes, the called one by one lane, an access in between.
void write(const test::TemporaryFile &file, const std::string &first) {
  test::TraceBuilder trace(file.path());
  trace.table(sitesOf(first));
  test::Words words;
  lanes(words, kRegion, ~0u);
  lanes(words, kRegion, 0xff);
  words.strided(2, 0, 0, 0x1000, 4);
  lanes(words, kOther, 1);
  trace.run("kernel(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.run("kernel(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
}

InstructionMix mixOf(const InstructionMixes &mixes, std::uint32_t line) {
  for (const auto &[key, mix] : mixes)
    if (key.line == line)
      return mix;
  return {};
}

} // namespace

TEST_CASE("instructions are what sites have, times their records, and lines that follow happen as often") {
  const test::TemporaryFile file;
  write(file, "compute.fp32.fma=3");
  const Model model(file.path());
  CHECK(recordsInstructions(model));
  const InstructionMixes mixes = instructionMixes(model);
  REQUIRE(mixes.size() == 3);
  // Two launches, each 2 warps and 40 lanes.
  CHECK(mixOf(mixes, 3) == InstructionMix{{{"compute.fp32.fma", {12, 240}}}});
  CHECK(mixOf(mixes, 4) == InstructionMix{{{"compute.fp32.fma", {4, 80}}, {"control.branch", {8, 160}}}});
  CHECK(mixOf(mixes, 20) == InstructionMix{{{"memory.shared.load.128", {4, 4}}}});
  CHECK(mixes.rbegin()->first.callers == std::vector<std::string>{"kernel(int*)"});
  CHECK(mixOf(mixes, 4).sum() == ExecutedCount{12, 240});
  // They are no accesses.
  CHECK(model.launches().at(0).totals.counts.accesses() == 32);
  LaunchSelection second;
  second.launch = 2;
  CHECK(mixOf(instructionMixes(model, second), 3) == InstructionMix{{{"compute.fp32.fma", {6, 120}}}});
}

TEST_CASE("sites that say something else than how many instructions they have are refused") {
  for (const char *text : {"fma", "fma=", "=3", "fma=x", "fma=-1", "fma=99999999999", "fma=1  add=2", "FMA=1",
                           "fma=1,add=2", "\x1b[2J=1", "fma=1 "}) {
    const test::TemporaryFile file;
    write(file, text);
    const Model model(file.path());
    if (std::string(text) == "fma=1 ")
      CHECK(mixOf(instructionMixes(model), 3).sum().instructions == 4); // an end, not a class
    else
      CHECK_THROWS_AS(instructionMixes(model), BadTrace);
  }
}

TEST_CASE("a site that follows another has no records of its own") {
  const test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(sitesOf("compute.fp32.fma=1"));
  test::Words words;
  lanes(words, kRegion + 1, ~0u);
  trace.run("kernel(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  CHECK_THROWS_WITH(instructionMixes(Model(file.path())),
                    "site 1 has records, and follows the one before it");
}

TEST_CASE("programs that do not record instructions have none, and are told how to") {
  const test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4);
  trace.table(blob);
  test::Words words;
  words.strided(0, 0, 0, 0x1000, 4);
  trace.run("kernel(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  const Model model(file.path());
  CHECK_FALSE(recordsInstructions(model));
  CHECK(instructionMixes(model).empty());
  for (const char *verb : {"instructions ", "roofline "}) {
    const test::Run run = test::cupranalyze(verb + file.path());
    CHECK(run.code == 0);
    CHECK(run.out.find("cupr++ --instructions") != std::string::npos);
  }
}

TEST_CASE("classes say what they do to numbers") {
  const auto work = [](const char *name) {
    const ClassWork of = workOf(name);
    return std::tuple(of.precision, of.ofThread, of.ofWarp);
  };
  using Work = std::tuple<std::string, std::uint64_t, std::uint64_t>;
  CHECK(work("compute.fp32.fma") == Work{"fp32", 2, 0});
  CHECK(work("compute.fp64.add") == Work{"fp64", 1, 0});
  CHECK(work("compute.fp64.divide") == Work{"fp64", 1, 0});
  CHECK(work("compute.fp16x2.fma") == Work{"fp16", 4, 0});
  CHECK(work("compute.bf16x2.multiply") == Work{"bf16", 2, 0});
  CHECK(work("compute.int32.fma") == Work{"int32", 2, 0});
  CHECK(work("compute.tensor.m16n8k16.f32.f16") == Work{"tensor.f16", 0, 4096});
  CHECK(work("compute.tensor.m16n8k16.f32") == Work{"tensor.f16", 0, 4096});
  CHECK(work("compute.tensor.m8n8k4.f64") == Work{"tensor.f64", 0, 512});
  CHECK(work("compute.tensor.m64n256k16.f32.bf16") ==
        Work{"tensor.bf16", 0, 131072}); // of four warps together
  for (const char *none :
       {"", "compute", "compute.", "compute.fp32.compare", "compute.fp32.minmax", "compute.convert",
        "compute.address", "compute.tensor", "compute.tensor.m16", "compute.tensor.mnk.f32",
        "compute.tensor.m99999999n1k1", "memory.global.load.32", "control.branch", "warp.shuffle"})
    CHECK(std::get<1>(work(none)) + std::get<2>(work(none)) == 0);
}

TEST_CASE("instructions are the own of the functions that execute them") {
  const test::TemporaryFile file;
  write(file, "compute.fp32.fma=3");
  const Profile profile = profileOf(Model(file.path()));
  CHECK(profile.all().executed == ExecutedCount{28, 484});
  CHECK(profile.all().accesses == 64);
  const auto named = [&](const char *name) -> const ProfileNode & {
    return *std::ranges::find(profile.nodes, name, &ProfileNode::name);
  };
  CHECK(named("kernel(int*)").own.executed == ExecutedCount{24, 480});
  CHECK(named("kernel(int*)").total.executed == profile.all().executed);
  const ProfileNode &called = named("f(int)");
  CHECK(called.kind == ContextKind::DeviceFunction);
  CHECK(called.own.executed == ExecutedCount{4, 4});
  CHECK(&profile.nodes[called.parent] == &named("kernel(int*)"));
  CHECK(named("load").own.executed == ExecutedCount());
  // Launches alone have none: no records are read.
  CHECK(profileOf(Model(file.path()), ProfileDevice::Launches).all().executed == ExecutedCount());
}

} // namespace instruction_mix_test
