/// Acts that stand in batches: they come back as they were, take little room, and what a crash takes is named.
#include "analysis/verify/verifier.h"
#include "hostlib/trace/frame.h"
#include "hostlib/trace/id_ranges.h"
#include "hostlib/trace/message_file.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/repair.h"
#include "small_trace.h"
#include "verdict.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <sys/wait.h>
#include <tuple>

using namespace cupr;
using namespace cupr::trace;

namespace {

/// The n-th launch of a program with some kernels, places and streams.
Launch launchOf(std::uint64_t id, std::uint64_t order) {
  Launch launch;
  launch.id = LaunchId{id};
  launch.order = order;
  launch.kernel = "kernel" + std::to_string(id % 5) + "(float *, int)";
  launch.mangled = "_Z7kernel" + std::to_string(id % 5) + "Pfi";
  launch.reason = id % 2 ? "recording is switched off" : "its code was not instrumented";
  launch.file = "main.cu";
  launch.line = static_cast<std::uint32_t>(id % 7);
  launch.grid = {static_cast<std::uint32_t>(id), 2, 3};
  launch.block = {4, 5, 6};
  launch.dynamicShared = 8 * static_cast<std::uint32_t>(id % 3);
  launch.stream = id % 4;
  launch.streamKind = id % 4 ? StreamKind::Blocking : StreamKind::Legacy;
  launch.device = static_cast<std::uint32_t>(id % 2);
  launch.time = 10 * order;
  return launch;
}

auto fieldsOf(const Launch &l) {
  return std::tuple(l.id, l.order, l.kernel, l.mangled, l.reason, l.file, l.line, l.grid.x, l.grid.y,
                    l.block.z, l.dynamicShared, l.stream, l.streamKind, l.device, l.module, l.traced, l.time,
                    l.place.graph, l.place.node, l.place.after);
}
auto fieldsOf(const Allocation &a) {
  return std::tuple(a.address, a.bytes, a.kind, a.call, a.name, a.order, a.time, a.type, a.file, a.line,
                    a.column);
}
auto fieldsOf(const Free &f) { return std::tuple(f.address, f.call, f.order, f.time); }

/// What a trace holds, written out.
struct Content {
  std::vector<Launch> launches;
  std::vector<Allocation> allocations;
  std::vector<Free> frees;
  std::vector<std::string> kinds; ///< of the messages
};

Content contentOf(const std::string &path) {
  Content content;
  std::string error;
  auto reader = Reader::open(path, error);
  REQUIRE(reader);
  Message message;
  while (reader->next(message) == ReadStatus::Message) {
    content.kinds.emplace_back(kMessageNames[message.index()]);
    if (const auto *launch = std::get_if<Launch>(&message))
      content.launches.push_back(*launch);
    if (const auto *allocation = std::get_if<Allocation>(&message))
      content.allocations.push_back(*allocation);
    if (const auto *free = std::get_if<Free>(&message))
      content.frees.push_back(*free);
    if (const auto *batch = std::get_if<ActBatch>(&message)) {
      for (const auto &launch : batch->launches)
        content.launches.push_back(batch->whole(launch));
      for (const auto &allocation : batch->allocations)
        content.allocations.push_back(batch->whole(allocation));
      for (const auto &free : batch->frees)
        content.frees.push_back(batch->whole(free));
    }
  }
  return content;
}

/// Writes a trace in a process that ends without a word.
void writeAndDie(const std::string &path, const std::function<void(test::TraceBuilder &)> &write) {
  const pid_t child = ::fork();
  if (child == 0) {
    test::TraceBuilder trace(path);
    write(trace);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
}

ActBatch validBatch() {
  ActBatch batch;
  batch.firstLaunch = 7;
  batch.firstOrder = 9;
  batch.kernels = {{"k(int)", "_Z1ki", "why", "f.cu", 3, kNoModule},
                   {"l()", "_Z1lv", "why", "", 0, ModuleId{2}}};
  batch.streams = {{5, StreamKind::NonBlocking, 1}};
  batch.calls = {"cudaMalloc", "cudaFree"};
  batch.firstGraph = 11;
  batch.nodes = {{0, {}}, {4, {1, 3}}};
  batch.launches = {{0, 0, 20, 1, 0, 64, {1, 2, 3}, {4, 5, 6}, 0, 0},
                    {2, 5, 21, 0, 0, 0, {7, 1, 1}, {32, 1, 1}, 3, 1}};
  batch.allocationPlaces = {{"x", "float", "f.cu", 4, 5}, {"y", "int", "g.cu", 6, 7}};
  batch.allocations = {{0x1000, 0x100, 1, MemoryKind::Managed, 0, 22, 2},
                       {0x2000, 0x100, 3, MemoryKind::Device, 0, 24, 0}};
  batch.frees = {{0x1000, 23, 2, 1}};
  return batch;
}

} // namespace

TEST_CASE("a batch comes back from its bytes") {
  const ActBatch in = validBatch();
  Message message;
  REQUIRE(decode(encode(in), message) == "");
  CHECK(std::get<ActBatch>(message) == in);
}

TEST_CASE("a batch that breaks a rule is damaged") {
  const auto ruleOf = [](auto change) {
    ActBatch batch = validBatch();
    change(batch);
    Message message;
    return decode(encode(batch), message);
  };
  using Catch::Contains;
  CHECK_THAT(ruleOf([](ActBatch &b) { b.firstLaunch = 0; }), Contains("counted from 1"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.firstOrder = UINT64_MAX; }), Contains("too large"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.launches[0].kernel = 2; }), Contains("not in it"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.launches[0].stream = 1; }), Contains("not in it"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.launches[1].number = 0; }), Contains("ascend"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.launches[1].node = 2; }), Contains("node that is not in it"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.firstGraph = 0; }), Contains("counted from 1"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.firstGraph = UINT64_MAX; }), Contains("too large"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.nodes[1].after = {3, 3}; }), Contains("ascend"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.nodes[1].after = {4}; }), Contains("below its own"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.nodes.resize(kMaxBatchActs + 1); }), Contains("more nodes"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.launches[1].block.y = 0; }), Contains("must not be 0"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.allocations[0].call = 2; }), Contains("not in it"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.allocations[0].place = 3; }), Contains("place that is not in it"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.allocationPlaces.resize(kMaxBatchActs + 1); }), Contains("places"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.allocationPlaces[1].type.assign(kMaxBatchText, 'x'); }),
             Contains("262144"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.allocations[0].address = UINT64_MAX; }), Contains("address space"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.frees[0].call = 2; }), Contains("not in it"));
  CHECK_THAT(ruleOf([](ActBatch &b) { b.frees.resize(kMaxBatchActs, b.frees[0]); }), Contains("1024"));
  CHECK_THAT(ruleOf([](ActBatch &b) {
               b.launches.clear();
               b.allocations.clear();
               b.frees.clear();
             }),
             Contains("hold an act"));
  // A text is said once, and counts each time that it is named.
  CHECK(ruleOf([](ActBatch &b) { b.calls[1].resize(kMaxBatchText / 8); }) == "");
  CHECK_THAT(ruleOf([](ActBatch &b) {
               b.calls[1].resize(kMaxBatchText / 8);
               b.frees.resize(9, b.frees[0]);
             }),
             Contains("longer than"));
}

TEST_CASE("the nodes of a batch count each time that they are named") {
  ActBatch batch = validBatch();
  constexpr std::uint32_t kNodes = kMaxBatchText / 4 / 8;
  batch.nodes[1] = {kNodes, {}};
  for (std::uint32_t i = 0; i < kNodes; ++i)
    batch.nodes[1].after.push_back(i);
  Message message;
  CHECK(decode(encode(batch), message) == "");
  for (std::uint32_t i = 0; i < 8; ++i) {
    batch.launches.push_back(batch.launches.back());
    ++batch.launches.back().number;
  }
  CHECK_THAT(decode(encode(batch), message), Catch::Contains("longer than"));
}

TEST_CASE("launches of graphs take little room and come back as they were") {
  test::TemporaryFile file;
  constexpr std::uint64_t kGraphs = 1000, kNodes = 5;
  std::vector<Launch> in;
  std::uint64_t few = 0;
  {
    test::TraceBuilder trace(file.path());
    trace.writer->flush();
    few = std::filesystem::file_size(file.path());
    for (std::uint64_t graph = 1; graph <= kGraphs; ++graph)
      for (std::uint32_t node = 0; node < kNodes; ++node) {
        Launch launch = launchOf(in.size() + 1, in.size() + 1);
        launch.place = {graph % 10 == 0 ? 0 : graph, 2 * node, {}};
        if (launch.place.graph == 0)
          launch.place = {};
        else if (node >= 2)
          launch.place.after = {2 * node - 4, 2 * node - 2};
        in.push_back(launch);
        trace.writer->launch(launch);
      }
    CHECK(trace.writer->finish());
  }
  CHECK(std::filesystem::file_size(file.path()) - few <= 64 * in.size());
  const Content out = contentOf(file.path());
  CHECK(std::ranges::count(out.kinds, "launch") == 0);
  CHECK(std::ranges::equal(in, out.launches,
                           [](const Launch &a, const Launch &b) { return fieldsOf(a) == fieldsOf(b); }));
  CHECK(test::verdictOf(file.path()).problems.empty());
}

TEST_CASE("many acts take little room and come back as they were") {
  test::TemporaryFile file;
  constexpr std::uint64_t kLaunches = 5000;
  Content in;
  std::uint64_t few = 0;
  {
    test::TraceBuilder trace(file.path());
    trace.writer->flush();
    few = std::filesystem::file_size(file.path());
    std::uint64_t order = 0;
    for (std::uint64_t id = 1; id <= kLaunches; ++id) {
      in.launches.push_back(launchOf(id, ++order));
      trace.writer->launch(in.launches.back());
      if (id % 10 == 0) {
        Allocation allocation{0x1000 * id, id, MemoryKind::Pool, "cudaMallocAsync", "", ++order, order};
        if (id % 20 == 0) { // the others have no place
          allocation.name = "buffers[" + std::to_string(id % 3) + "]";
          allocation.type = "Particle";
          allocation.file = "particles.cu";
          allocation.line = 12;
          allocation.column = 3;
        }
        in.allocations.push_back(allocation);
        trace.writer->allocation(in.allocations.back());
        in.frees.push_back({0x1000 * id, "cudaFreeAsync", ++order, order});
        trace.writer->free(in.frees.back());
      }
    }
    CHECK(trace.writer->totals().launches == kLaunches);
    CHECK(trace.writer->finish());
  }
  const std::uint64_t acts = kLaunches + in.allocations.size();
  CHECK(std::filesystem::file_size(file.path()) - few <= 64 * acts);
  const Content out = contentOf(file.path());
  const auto equal = [](const auto &a, const auto &b) {
    return std::ranges::equal(a, b, [](const auto &x, const auto &y) { return fieldsOf(x) == fieldsOf(y); });
  };
  CHECK(equal(in.launches, out.launches));
  CHECK(equal(in.allocations, out.allocations));
  CHECK(equal(in.frees, out.frees));
  CHECK(test::verdictOf(file.path()).problems.empty());
}

TEST_CASE("what does not fit into a batch stands by itself") {
  test::TemporaryFile file;
  std::vector<Launch> in;
  {
    test::TraceBuilder trace(file.path());
    std::uint64_t order = UINT32_MAX - 2ull; // steps of a batch have 32 bits
    for (std::uint64_t id = 1; id <= 40; ++id) {
      order += id == 20 ? std::uint64_t{1} << 33 : 1;
      Launch launch = launchOf(id, order);
      if (id % 10 == 3)
        launch.kernel.resize(kMaxBatchText, 'x');
      if (id % 10 == 4)
        launch.place = {1 + (id == 24 ? std::uint64_t{1} << 33 : 0), static_cast<std::uint32_t>(id), {}};
      if (id % 10 == 5)
        launch.kernel.resize(kMaxBatchText / 10, 'y');
      in.push_back(launch);
      trace.writer->launch(launch);
    }
    CHECK(trace.writer->finish());
  }
  Content out = contentOf(file.path());
  std::ranges::sort(out.launches, {}, &Launch::id);
  REQUIRE(out.launches.size() == in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    CHECK(fieldsOf(in[i]) == fieldsOf(out.launches[i]));
  CHECK(std::ranges::count(out.kinds, "launch") >= 4);
  CHECK(test::verdictOf(file.path()).problems.empty());
}

TEST_CASE("acts that share one order stay as they came") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    for (std::uint64_t turn = 0; turn < 5; ++turn) {
      trace.writer->allocation({0x1000, 64, MemoryKind::Device, "cudaMalloc", "", 7, turn});
      trace.writer->free({0x1000, "cudaFree", 7, turn});
      for (std::uint64_t i = 0; i < 5; ++i)
        trace.writer->free({0x2000, "cudaFree", 10 + 5 * turn + i, turn});
    }
    trace.writer->finish();
  }
  std::string error, order;
  auto reader = Reader::open(file.path(), error);
  Message message;
  while (reader->next(message) == ReadStatus::Message) {
    if (const auto *allocation = std::get_if<Allocation>(&message); allocation && allocation->order == 7)
      order += 'a';
    if (const auto *free = std::get_if<Free>(&message); free && free->order == 7)
      order += 'f';
    if (const auto *batch = std::get_if<ActBatch>(&message)) {
      for (const auto &allocation : batch->allocations)
        order += batch->whole(allocation).order == 7 ? "a" : "";
      for (const auto &free : batch->frees)
        order += batch->whole(free).order == 7 ? "f" : "";
    }
  }
  CHECK(order == "afafafafaf");
}

TEST_CASE("memory is announced before the launch that may use it") {
  test::TemporaryFile file;
  writeAndDie(file.path(), [](test::TraceBuilder &trace) {
    trace.table(test::smallTable());
    for (int i = 0; i < 6; ++i)
      trace.allocate(0x10000 + 0x1000 * i, 0x1000);
    trace.launch("kernel(int*)", {1, 1, 1}, {32, 1, 1});
  });
  const Content out = contentOf(file.path());
  CHECK(out.kinds == std::vector<std::string>{"header", "module", "acts", "launch"});
  CHECK(out.allocations.size() == 6);
}

TEST_CASE("launches that a crash has taken are named") {
  test::TemporaryFile file, repaired;
  writeAndDie(file.path(), [](test::TraceBuilder &trace) {
    trace.table(test::smallTable());
    for (std::uint64_t id = 1; id <= 3000; ++id)
      trace.writer->launch(launchOf(id, id));
    Launch traced = launchOf(3001, 3001);
    traced.traced = true;
    traced.module = ModuleId{0};
    trace.writer->launch(traced);
  });
  const auto problems = test::verdictOf(file.path()).problems;
  CHECK(std::ranges::any_of(problems, [](const std::string &problem) {
    return problem.ends_with("of launches 2049 to 3000 nothing is in the file");
  }));
  std::string error;
  const Repaired first = repair(*Reader::open(file.path(), error), repaired.path());
  CHECK(std::ranges::count(first.missing, "launches 2049 to 3000") == 1);
  const auto said = test::verdictOf(repaired.path()).problems;
  CHECK(std::ranges::count_if(said, [](const std::string &problem) {
          return problem.ends_with("missing: launches 2049 to 3000");
        }) == 1);
  test::TemporaryFile again;
  CHECK(repair(*Reader::open(repaired.path(), error), again.path()).good());
  CHECK(again.read() == repaired.read());
}

TEST_CASE("a batch that is damaged, or says what was said, is repaired") {
  test::TemporaryFile file, repaired;
  Header header;
  header.process = test::testProcess();
  ActBatch batch = validBatch();
  batch.firstLaunch = 1;
  batch.launches[1].number = 1;
  {
    MessageFile out(file.path());
    out.append(header);
    out.append(batch); // names module 2, which is not there
    batch.launches[0].number = 1;
    batch.launches[1].number = 2;
    out.append(batch); // launch 2 was there
    LaunchTotals totals;
    totals.end.id = LaunchId{3};
    out.append(totals); // none of these has an end
    out.close();
  }
  CHECK(test::verdictOf(file.path()).problems.size() >= 4);
  std::string error;
  const Repaired result = repair(*Reader::open(file.path(), error), repaired.path());
  CHECK(result.launches == 3);
  const Content out = contentOf(repaired.path());
  CHECK(out.launches.size() == 3);
  for (const Launch &launch : out.launches)
    CHECK(launch.module == kNoModule);
  for (const std::string &problem : test::verdictOf(repaired.path()).problems)
    CHECK_THAT(problem, Catch::Contains("the trace was repaired"));
}

TEST_CASE("launches are left out on request, and counted") {
  test::TemporaryFile file;
  {
    WriterOptions options;
    options.leavesOutUntraced = true;
    const auto writer = Writer::create(file.path(), test::testProcess(), options);
    const ModuleId module = writer->module(test::smallTable().bytes());
    for (std::uint64_t id = 1; id <= 100; ++id) {
      Launch launch = launchOf(id, id);
      launch.traced = id == 50;
      launch.module = module;
      writer->launch(launch);
      if (launch.traced) {
        LaunchEnd end;
        end.id = launch.id;
        end.complete = true;
        writer->launchEnd(end);
      }
    }
    CHECK(writer->totals().launches == 100);
    CHECK(writer->finish());
  }
  const Content out = contentOf(file.path());
  CHECK(out.kinds == std::vector<std::string>{"header", "module", "launch", "launchEnd", "end"});
  CHECK(test::verdictOf(file.path()).problems.empty());
}

TEST_CASE("ranges of numbers") {
  IdRanges ids;
  CHECK(ids.gaps().empty());
  for (const std::uint64_t id : {5, 3, 4, 9, 1, 12})
    CHECK(ids.add(id));
  for (const std::uint64_t id : {5, 3, 4, 9, 1, 12})
    CHECK_FALSE(ids.add(id));
  CHECK(ids.contains(4));
  CHECK_FALSE(ids.contains(2));
  CHECK_FALSE(ids.contains(13));
  CHECK(ids.gaps() == std::vector<IdRanges::Range>{{2, 2}, {6, 8}, {10, 11}});
  CHECK(ids.add(2));
  CHECK(ids.gaps() == std::vector<IdRanges::Range>{{6, 8}, {10, 11}});
  CHECK(launchesText({2, 2}) == "launch 2");
  CHECK(launchesText({6, 8}) == "launches 6 to 8");
}
