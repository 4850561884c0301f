/// One tree of the host's and the device's calling contexts, with counts and times by arithmetic.
#include "analysis/metrics/profile.h"

#include "analysis/export/profile_exports.h"
#include "analysis/metrics/profile_metric.h"
#include "analysis/model/host_paths.h"
#include "unit/trace/host_trace.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace profile_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

constexpr std::uint64_t kMicrosecond = 1000, kMillisecond = 1'000'000;

struct HostModel {
  HostModel() { test::writeHostTrace(file.path()); }
  test::TemporaryFile file;
};

/// The node at the end of these names, from the program on.
const ProfileNode &at(const Profile &profile, std::initializer_list<std::string_view> names) {
  std::uint32_t node = 0;
  for (const std::string_view name : names) {
    std::uint32_t next = 0;
    for (std::uint32_t i = 1; i < profile.nodes.size(); ++i)
      if (profile.nodes[i].parent == node && profile.nodes[i].name == name) {
        INFO(name);
        REQUIRE(next == 0);
        next = i;
      }
    INFO(name);
    REQUIRE(next != 0);
    node = next;
  }
  return profile.nodes[node];
}

const Procedure &procedure(const std::vector<Procedure> &procedures, std::string_view name) {
  const auto found = std::ranges::find(procedures, name, &Procedure::name);
  REQUIRE(found != procedures.end());
  return *found;
}

constexpr const char *kCut = "[path not known further out]";
constexpr const char *kCompiled = "[code at 0x7f0000001234]";

} // namespace

TEST_CASE("paths of the host are functions from the outside to the inside, inlined ones too") {
  const HostModel of;
  const Model model(of.file.path());
  const HostPaths paths(model);
  REQUIRE(model.copies().size() == 3);
  CHECK(paths.pathOfAct(model.copies()[0].order) == "main > step(int) > upload(Mesh&) > copyIn(void*)");
  CHECK(paths.pathOfAct(model.copies()[2].order) ==
        "main > step(int) > smooth(double*) > [code at 0x1304] > [signal] > onSignal");
  CHECK(paths.pathOfAct(model.sets()[0].order) == std::string(kCut) + " > " + kCompiled);
  CHECK(paths.pathOfAct(model.launches()[1].launch.order) == "main > step(int)");
  CHECK(paths.pathOfAct(model.allocations()[0].allocation.order) == "main");
  CHECK(paths.pathOfAct(12345).empty());
  const auto path = paths.pathTo(model.host().calls[2].node);
  REQUIRE(path.size() == 4);
  CHECK(path[3].file == "copy.h");
  CHECK(path[3].line == 7);
  CHECK(path[2].line == 31);
  CHECK(path[2].object == "/usr/lib/libmesh.so");
}

TEST_CASE("calls, launches and samples stand where they were made") {
  const HostModel of;
  const Model model(of.file.path());
  const Profile profile = profileOf(model);
  const ProfileFigures &all = profile.all();
  CHECK(all.calls() == 10);
  CHECK(all.of(CallKind::Copy) == CallFigures{3, 49 * kMicrosecond});
  CHECK(all.of(CallKind::Launch) == CallFigures{2, 20 * kMicrosecond});
  CHECK(all.of(CallKind::Synchronisation) == CallFigures{2, 90 * kMicrosecond});
  CHECK(all.of(CallKind::Allocation) == CallFigures{1, 40 * kMicrosecond});
  CHECK(all.of(CallKind::Free) == CallFigures{1, 30 * kMicrosecond});
  CHECK(all.of(CallKind::Set) == CallFigures{1, 5 * kMicrosecond});
  CHECK(all.of(CallKind::Other) == CallFigures{});
  CHECK(all.callTime() == 234 * kMicrosecond);
  CHECK(all.copyBytes == 2 * 256 + 16);
  CHECK(all.setBytes == 64);
  CHECK(all.allocatedBytes == 4096);
  CHECK(all.launches == 2);
  CHECK(all.deviceTime == 100 * kMicrosecond);
  CHECK(all.accesses == 128);
  CHECK(all.accessBytes == 512);
  CHECK(all.requests == 4);
  CHECK(all.sectors == 16);
  CHECK(all.leastSectors == 16);
  CHECK(all.samples == 10);
  CHECK(all.processorTime == 10 * kMillisecond);
  CHECK(profile.executionTime == 10 * kMillisecond);

  const ProfileNode &step = at(profile, {"main", "for", "step(int)"});
  CHECK(step.own.samples == 2);
  CHECK(step.own.calls() == 0);
  CHECK(step.total.samples == 8);
  CHECK(step.total.calls() == 7); // each step's three, and that of the handler
  CHECK(step.total.accesses == 128);
  CHECK(at(profile, {"main", "for"}).own.samples == 1);
  CHECK(at(profile, {"main"}).own.samples == 0);
  CHECK(at(profile, {"main", "for", "step(int)", "smooth(double*)", "while", "for"}).own.processorTime ==
        6 * kMillisecond);
  const ProfileNode &copy =
      at(profile, {"main", "for", "step(int)", "upload(Mesh&)", "range-for", "copyIn(void*)", "cudaMemcpy"});
  CHECK(copy.kind == ContextKind::Call);
  CHECK(copy.file == "copy.h");
  CHECK(copy.line == 7);
  CHECK(copy.own.copyBytes == 512);
  CHECK(copy.own.of(CallKind::Copy) == CallFigures{2, 40 * kMicrosecond});
  const ProfileNode &kernel = at(profile, {"main", "for", "step(int)", "cudaLaunchKernel", "kernel(int*)"});
  CHECK(kernel.own.launches == 2);
  CHECK(kernel.own.deviceTime == 100 * kMicrosecond);
  CHECK(kernel.own.accesses == 0);
  CHECK(kernel.total.accesses == 128);
  const ProfileNode &load =
      at(profile, {"main", "for", "step(int)", "cudaLaunchKernel", "kernel(int*)", "do", "load"});
  CHECK(load.file == "a.cu");
  CHECK(load.line == 10);
  CHECK(load.own.sectors == 16);
  CHECK(at(profile, {kCut}).kind == ContextKind::Cut);
  CHECK(at(profile, {kCut, kCompiled}).kind == ContextKind::UnknownCode);
  CHECK(at(profile, {kCut, kCompiled, "cudaMemset"}).own.setBytes == 64);
  CHECK(at(profile, {kCut, kCompiled}).own.samples == 1);
  for (std::uint32_t i = 1; i < profile.nodes.size(); ++i) {
    CHECK(profile.nodes[i].parent < i);
    CHECK(profile.nodes[i].depth == profile.nodes[profile.nodes[i].parent].depth + 1);
  }

  REQUIRE(profile.threads.size() == 2);
  CHECK(profile.threads[0].figures.calls() == 9);
  CHECK(profile.threads[1].figures.callTime() == 5 * kMicrosecond);
  CHECK(profile.threads[1].figures.samples == 1);
}

TEST_CASE("of chosen launches there is what they did, and the calls that made them") {
  const HostModel of;
  const Model model(of.file.path());
  const Profile whole = profileOf(model);
  LaunchSelection selection;
  selection.launch = 1;
  const Profile profile = profileOf(model, ProfileDevice::Accesses, selection);
  const ProfileFigures &all = profile.all();
  CHECK(all.launches == 1);
  CHECK(all.calls() == 1);
  CHECK(all.of(CallKind::Launch).calls == 1);
  CHECK(all.copyBytes == 0);
  CHECK(all.samples == 0);
  CHECK(all.accesses <= whole.all().accesses);
  CHECK(profile.samplings.empty());
  CHECK(profile.nodes.size() < whole.nodes.size());
  for (std::uint32_t i = 1; i < profile.nodes.size(); ++i) {
    CHECK(profile.nodes[i].parent < i);
    CHECK(profile.nodes[i].total != ProfileFigures());
  }
  CHECK(at(profile, {"main"}).total == all);
  // The launches by themselves are all that was launched.
  std::uint64_t launches = 0, accesses = 0, device = 0;
  for (const LaunchInfo &launch : model.launches()) {
    selection.launch = static_cast<std::uint64_t>(launch.number);
    const ProfileFigures one = profileOf(model, ProfileDevice::Accesses, selection).all();
    launches += one.launches;
    accesses += one.accesses;
    device += one.deviceTime;
  }
  CHECK(launches == whole.all().launches);
  CHECK(accesses == whole.all().accesses);
  CHECK(device == whole.all().deviceTime);
  selection = {};
  selection.kernel = "nothing like it";
  CHECK_THROWS_WITH(profileOf(model, ProfileDevice::Accesses, selection), Catch::Contains("kernel"));
}

TEST_CASE("the time on the API is that of the device for launches, and of the call for others") {
  const HostModel of;
  const Model model(of.file.path());
  const Profile profile = profileOf(model, ProfileDevice::Launches);
  CHECK(profile.all().accesses == 0);
  // 49 copies, 100 on the device, 90 waits, 40, 30, 5.
  CHECK(profile.all().apiTime() == 314 * kMicrosecond);
  CHECK(*profile.apiImportance(CallKind::Launch) == Approx(100.0 / 314));
  CHECK(*profile.apiImportance(CallKind::Copy) == Approx(49.0 / 314));
  CHECK(*profile.apiImportance(CallKind::Other) == 0);
  const std::vector<Procedure> procedures = proceduresOf(model, profile);
  // step: 8 ms of samples; on the API 40 + 100 + 90 us, and the handler's 9.
  const Procedure &step = procedure(procedures, "step(int)");
  CHECK(profile.cpuImportance(step.total) == Approx((8.0 - 0.239) / 10));
  const Procedure &smooth = procedure(procedures, "smooth(double*)");
  CHECK(profile.cpuImportance(smooth.total) == Approx((6.0 - 0.009) / 10));
  CHECK(profile.cpuImportance(procedure(procedures, "upload(Mesh&)").total) == 0);
  CHECK(procedure(procedures, "cudaMemcpy").own.calls() == 3);
}

TEST_CASE("what calls itself counts once in its total") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    test::HostRows rows;
    const std::uint32_t sync = rows.name("cudaDeviceSynchronize"), app = rows.object("/a"),
                        thread = rows.thread(1, "");
    std::uint32_t node = rows.node(trace::kNoHostIndex, app, 1, {{"main", "a.cpp", 1, 0}});
    for (std::uint64_t depth = 0; depth < 5; ++depth)
      node = rows.node(node, app, 10 + depth, {{depth % 2 ? "odd" : "even", "a.cpp", 2, 0}});
    trace.synchronise(trace::Synchronisation::Kind::Device);
    rows.call(sync, thread, node, 10, 7, {trace.order()});
    rows.samples(thread, node, 3);
    trace.writer->host(rows.batch);
    trace.writer->finish();
  }
  const Model model(file.path());
  const Profile profile = profileOf(model);
  const std::vector<Procedure> procedures = proceduresOf(model, profile);
  CHECK(procedures.size() == 4);
  for (const char *name : {"main", "even", "odd"}) {
    CHECK(procedure(procedures, name).total.callTime() == 7 * kMicrosecond);
    CHECK(procedure(procedures, name).total.samples == 3);
  }
  CHECK(procedure(procedures, "even").own.samples == 3);
  CHECK(procedure(procedures, "odd").own.samples == 0);
}

TEST_CASE("from the inside to the outside each procedure has its callers below it") {
  const HostModel of;
  const Model model(of.file.path());
  const Profile topDown = profileOf(model);
  const Profile profile = bottomUp(model, topDown);
  CHECK(profile.all() == topDown.all());
  CHECK(at(profile, {"smooth(double*)"}).own.samples == 6);
  CHECK(at(profile, {"smooth(double*)", "step(int)", "for", "main"}).total.samples == 6);
  CHECK(at(profile, {"smooth(double*)", "step(int)"}).own == ProfileFigures());
  CHECK(at(profile, {"load", "do", "kernel(int*)", "cudaLaunchKernel", "step(int)", "for", "main"})
            .total.accesses == 128);
  ProfileFigures sum;
  for (const ProfileNode &node : profile.nodes)
    if (node.depth == 1)
      sum += node.total;
  CHECK(sum == topDown.all());
}

TEST_CASE("loops stand between their function and what is in them") {
  const HostModel of;
  const Model model(of.file.path());
  const Profile profile = profileOf(model);
  const ProfileNode &steps = at(profile, {"main", "for"});
  CHECK(steps.kind == ContextKind::Loop);
  CHECK(steps.file == "app.cpp");
  CHECK(steps.line == 11);
  CHECK(steps.column == 3);
  CHECK(steps.total.calls() == 7);
  CHECK(at(profile, {"main"}).total.calls() == 9); // and what stands before and behind the loop
  CHECK(at(profile, {"main", "for", "step(int)", "smooth(double*)", "while"}).own == ProfileFigures());
  const std::vector<Procedure> procedures = proceduresOf(model, profile);
  CHECK(procedure(procedures, "smooth(double*)").own.samples == 6); // in its loops
  CHECK(procedure(procedures, "while").own.samples == 0);
  CHECK(procedure(procedures, "while").total.samples == 6);
  CHECK(procedure(procedures, "do").own.accesses == 128);
  CHECK(procedure(procedures, "kernel(int*)").own.accesses == 128);
  CHECK(placedName(steps.kind, steps.name, "/home/app.cpp", steps.line) == "loop at app.cpp:11");
}

TEST_CASE("a call that returns only when a launch is over waits for it") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace.table(test::smallTable());
    test::HostRows rows;
    const std::uint32_t launch = rows.name("cudaLaunchKernel"), copy = rows.name("cudaMemcpy"),
                        free = rows.name("cudaFree"), wait = rows.name("cudaDeviceSynchronize"),
                        thread = rows.thread(1, "");
    const auto copies = [&](std::uint64_t began, std::uint64_t took) {
      trace.copy(trace::CopyKind::HostToDevice, 0x10000, 0x500, 4);
      rows.call(copy, thread, trace::kNoHostIndex, began, took, {trace.order()});
    };
    trace.allocate(0x10000, 0x1000);
    copies(1, 500); // before any launch
    const trace::LaunchId id = trace.launch("kernel(int*)", {1, 1, 1}, {32, 1, 1});
    rows.call(launch, thread, trace::kNoHostIndex, 1000, 5, {trace.order()});
    trace.end(id, 1'005'000, 1'105'000);
    copies(1010, 20);  // returns while the kernel runs
    copies(1040, 100); // until 1140; the kernel is done at 1105
    trace.synchronise(trace::Synchronisation::Kind::Device);
    rows.call(wait, thread, trace::kNoHostIndex, 1060, 60, {trace.order()});
    copies(1200, 10); // it was over before
    trace.free(0x10000);
    rows.call(free, thread, trace::kNoHostIndex, 1100, 6, {trace.order()});
    trace.writer->host(rows.batch);
    trace.writer->finish();
  }
  const Model model(file.path());
  const Profile profile = profileOf(model);
  CHECK(profile.all().waitTime == (65 + 5) * kMicrosecond);
  CHECK(at(profile, {"[path not known]", "cudaMemcpy"}).own.waitTime == 65 * kMicrosecond);
  CHECK(at(profile, {"[path not known]", "cudaFree"}).own.waitTime == 5 * kMicrosecond);
}

TEST_CASE("processor time in calls is told apart") {
  test::TemporaryFile file;
  {
    const auto writer = trace::Writer::create(file.path(), test::testProcess());
    test::HostRows rows;
    const std::uint32_t name = rows.name("cudaFoo"), first = rows.thread(1, ""), second = rows.thread(2, "");
    rows.call(name, first, trace::kNoHostIndex, 100, 10, {});
    rows.call(name, first, trace::kNoHostIndex, 50, 10, {});
    for (const auto &[time, thread] : {std::pair{99'999, first},
                                       {100'000, first},
                                       {110'000, first},
                                       {110'001, first},
                                       {55'000, first},
                                       {105'000, second}})
      rows.batch.samples.push_back({static_cast<std::uint64_t>(time), thread, trace::kNoHostIndex, 1000});
    writer->host(rows.batch);
    writer->finish();
  }
  const Model model(file.path());
  const ProfileFigures all = profileOf(model).all();
  CHECK(all.processorTime == 6000);
  CHECK(all.processorTimeInCalls == 3000);
  CHECK(all.of(CallKind::Other).calls == 2);
  CHECK(all.hostTime() == 2 * 10 * kMicrosecond + 3000);
}

TEST_CASE("a trace that says nothing of the host has its launches by their places") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const Model model(file.path());
  const Profile profile = profileOf(model);
  CHECK(profile.all().calls() == 0);
  CHECK(profile.all().launches == 3);
  CHECK(at(profile, {"[path not known]", "launch", "kernel(int*)"}).total.accesses == 384);
  // What was inlined stands below the kernel.
  CHECK(at(profile, {"[path not known]", "launch", "kernel(int*)", "helper(long*)", "store"}).own.accesses ==
        128);
  CHECK(&mainMetric(profile.all()) == profileMetric("accesses"));
}

TEST_CASE("kinds of calls that made no act go by their names") {
  test::TemporaryFile file;
  const std::pair<const char *, CallKind> calls[] = {{"cudaGraphLaunch", CallKind::Launch},
                                                     {"cudaMemcpy2DAsync", CallKind::Copy},
                                                     {"cuMemsetD32Async", CallKind::Set},
                                                     {"cudaMemsetAsync", CallKind::Set},
                                                     {"cudaStreamSynchronize", CallKind::Synchronisation},
                                                     {"cudaStreamWaitEvent", CallKind::Synchronisation},
                                                     {"cudaEventRecord", CallKind::Synchronisation},
                                                     {"cudaMallocManaged", CallKind::Allocation},
                                                     {"cuMemAlloc_v2", CallKind::Allocation},
                                                     {"cudaHostAlloc", CallKind::Allocation},
                                                     {"cudaFreeAsync", CallKind::Free},
                                                     {"cuMemFree_v2", CallKind::Free},
                                                     {"cudaGetDevice", CallKind::Other}};
  {
    const auto writer = trace::Writer::create(file.path(), test::testProcess());
    test::HostRows rows;
    const std::uint32_t thread = rows.thread(1, "");
    for (const auto &[name, kind] : calls)
      rows.call(rows.name(name), thread, trace::kNoHostIndex, 1, 1, {});
    writer->host(rows.batch);
    writer->finish();
  }
  const Profile profile = profileOf(Model(file.path()));
  for (const auto &[name, kind] : calls) {
    INFO(name);
    CHECK(at(profile, {"[path not known]", name}).own.of(kind).calls == 1);
  }
}

TEST_CASE("metrics have names of their own") {
  for (const ProfileMetric &metric : kProfileMetrics)
    CHECK(profileMetric(metric.name) == &metric);
  CHECK(profileMetric("nonsense") == nullptr);
}

TEST_CASE("what stands for calls that nobody can name is a function of the tree") {
  for (const abi::FrameKind outermost :
       {abi::FrameKind::Called, abi::FrameKind::Indirect, abi::FrameKind::Merged}) {
    test::TemporaryFile file;
    test::TraceBuilder trace(file.path());
    test::SiteTableBlob blob;
    std::uint32_t frame = blob.frame("a.cu", 30, "kernel(int*)", abi::kNoFrame, outermost);
    frame = blob.frame("a.cu", 20, "walk(int*)", frame, abi::FrameKind::Recursive);
    blob.site(abi::Operation::Load, 4, "a.cu", 3, "walk(int*)", frame);
    trace.table(blob);
    test::Words words;
    words.strided(0, 0, 0, 0x1000, 4);
    trace.run("kernel(int*)", {1, 1, 1}, {32, 1, 1}, words);
    trace.writer->finish();
    const Model model(file.path());
    const Profile profile = profileOf(model);
    std::string path;
    for (const ProfileNode *node = &profile.nodes.back(); node->kind != ContextKind::Kernel;
         node = &profile.nodes[node->parent])
      path = node->name + (path.empty() ? "" : " > " + path);
    const std::string from =
        outermost == abi::FrameKind::Called ? "" : fmt::format("[{}] > ", abi::frameKindName(outermost));
    CHECK(path == from + "[recursion]walk > walk(int*) > load");
  }
}

} // namespace profile_test
