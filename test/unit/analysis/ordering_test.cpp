/// What happens before what: rule by rule, and random calls against paths in a graph.
#include "analysis/model/ordering.h"
#include "order_reference.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

namespace ordering_test {

using namespace cupr;
using namespace cupr::analysis;
using enum trace::StreamKind;
using Sync = trace::Synchronisation::Kind;

namespace {

struct Calls {
  Calls() : trace(file.path()) { trace.table(test::SiteTableBlob()); }
  void launch(std::uint64_t stream, trace::StreamKind kind) {
    trace.stream(stream, kind);
    trace.end(trace.launch("k()", {1, 1, 1}, {32, 1, 1}));
  }
  void call(Sync what, std::uint64_t stream = 0, trace::StreamKind kind = Blocking, std::uint64_t event = 0) {
    trace.stream(stream, kind);
    trace.synchronise(what, event);
  }
  /// A launch that is a node of a graph.
  void node(std::uint64_t graph, std::uint32_t number, std::vector<std::uint32_t> after,
            std::uint64_t stream = 5, trace::StreamKind kind = Blocking) {
    trace.place({graph, number, std::move(after)});
    launch(stream, kind);
    trace.place({});
  }
  Model model() {
    trace.writer->finish();
    return Model(file.path());
  }
  /// Whether the first launch happens before the last.
  bool ordered() {
    const Model all = model();
    const Ordering ordering(all);
    return ordering.before(Act{1}, static_cast<Act>(ordering.acts()));
  }
  test::TemporaryFile file;
  test::TraceBuilder trace;
};

/// By their numbers.
bool before(const Ordering &ordering, std::uint32_t earlier, std::uint32_t later) {
  return ordering.before(Act{earlier}, Act{later});
}

} // namespace

TEST_CASE("acts of one stream are ordered, of two they are not") {
  Calls same, two;
  same.launch(5, Blocking);
  same.launch(5, Blocking);
  CHECK(same.ordered());
  two.launch(5, Blocking);
  two.launch(6, Blocking);
  CHECK_FALSE(two.ordered());
}

TEST_CASE("an event orders what was before its record with what is behind the wait") {
  Calls before, behind, never;
  before.launch(5, Blocking);
  before.call(Sync::EventRecord, 5, Blocking, 9);
  before.call(Sync::StreamWaitEvent, 6, Blocking, 9);
  before.launch(6, Blocking);
  CHECK(before.ordered());
  behind.call(Sync::EventRecord, 5, Blocking, 9);
  behind.launch(5, Blocking);
  behind.call(Sync::StreamWaitEvent, 6, Blocking, 9);
  behind.launch(6, Blocking);
  CHECK_FALSE(behind.ordered());
  never.launch(5, Blocking);
  never.call(Sync::StreamWaitEvent, 6, Blocking, 9);
  never.launch(6, Blocking);
  CHECK_FALSE(never.ordered());
}

TEST_CASE("the legacy default stream meets blocking streams, and no others") {
  for (const trace::StreamKind kind : {Blocking, NonBlocking})
    for (const bool legacyFirst : {false, true}) {
      Calls calls;
      calls.launch(legacyFirst ? 1 : 5, legacyFirst ? Legacy : kind);
      calls.launch(legacyFirst ? 5 : 1, legacyFirst ? kind : Legacy);
      CHECK(calls.ordered() == (kind == Blocking));
    }
  Calls through; // from one stream to another through the default stream
  through.launch(5, Blocking);
  through.launch(1, Legacy);
  through.launch(6, Blocking);
  CHECK(through.ordered());
}

TEST_CASE("what the host waits for happens before all that it calls later") {
  for (const Sync what : {Sync::Device, Sync::Stream, Sync::Event}) {
    Calls calls;
    calls.launch(5, NonBlocking);
    if (what == Sync::Event)
      calls.call(Sync::EventRecord, 5, NonBlocking, 9);
    calls.call(what, 5, NonBlocking, 9);
    calls.launch(6, NonBlocking);
    CHECK(calls.ordered());
  }
  for (const bool asynchronous : {false, true}) {
    Calls calls;
    calls.launch(5, NonBlocking);
    calls.trace.copy(trace::CopyKind::DeviceToHost, 0x100, 0x10000, 4, asynchronous);
    calls.launch(6, NonBlocking);
    CHECK(calls.ordered() == !asynchronous);
  }
}

namespace {

constexpr std::uint64_t kDevice = 0x10000, kPinned = 0x20000, kManaged = 0x30000, kPageable = 0x40000;

void allocateOneOfEach(test::TraceBuilder &trace) {
  trace.allocate(kDevice, 0x1000);
  trace.allocate(kPinned, 0x1000, trace::MemoryKind::Host);
  trace.allocate(kManaged, 0x1000, trace::MemoryKind::Managed);
}

/// Whether what is called behind a copy or set, in another stream, happens after what its stream held before,
/// and after its own work.
std::pair<bool, bool> waitsOf(const std::function<void(test::TraceBuilder &)> &transfer) {
  Calls calls;
  allocateOneOfEach(calls.trace);
  calls.launch(5, NonBlocking);
  transfer(calls.trace);
  calls.launch(6, NonBlocking);
  const Model model = calls.model();
  const Ordering ordering(model);
  return {before(ordering, 1, 3), before(ordering, 2, 3)};
}

} // namespace

TEST_CASE("copies and sets make the host wait for as much as CUDA's documentation says") {
  using enum trace::CopyKind;
  constexpr std::pair all(true, true), before(true, false), nothing(false, false);
  const auto copy = [](trace::CopyKind kind, std::uint64_t to, std::uint64_t from,
                       bool asynchronous = false) {
    return waitsOf([=](test::TraceBuilder &trace) { trace.copy(kind, to, from, 4, asynchronous); });
  };
  const auto set = [](std::uint64_t to, bool asynchronous = false) {
    return waitsOf([=](test::TraceBuilder &trace) { trace.set(to, 4, asynchronous); });
  };
  CHECK(copy(HostToDevice, kDevice, kPageable) == before);
  CHECK(copy(HostToDevice, kDevice, kPinned) == all);
  CHECK(copy(DeviceToHost, kPageable, kDevice) == all);
  CHECK(copy(DeviceToHost, kPinned, kDevice) == all);
  CHECK(copy(DeviceToDevice, kDevice, kDevice + 64) == nothing);
  CHECK(copy(DeviceToDevice, kDevice, kManaged) == nothing);
  CHECK(copy(HostToHost, kPinned, kPageable) == all);
  // Memory from before the trace is where the call says.
  CHECK(copy(DeviceToDevice, 0x9000, 0xa000) == nothing);
  CHECK(copy(HostToDevice, 0x9000, 0xa000) == before);

  CHECK(copy(HostToDevice, kDevice, kPinned, true) == nothing);
  CHECK(copy(DeviceToHost, kPageable, kDevice, true) == nothing);
  CHECK(copy(DeviceToDevice, kDevice, kDevice + 64, true) == nothing);
  CHECK(copy(HostToHost, kPinned, kPageable, true) == all);

  CHECK(set(kDevice) == nothing);
  CHECK(set(kPinned) == all);
  CHECK(set(kManaged) == all);
  CHECK(set(kManaged, true) == nothing);
  CHECK(set(0x9000) == nothing);
}

TEST_CASE("the documentation has the table of what the host waits for") {
  std::ifstream file(std::string(CUPR_GOLDEN) + "/../../docs/analysis.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto name = [](trace::TransferMemory memory) {
    static constexpr const char *kNames[] = {"any", "pageable", "pinned", "managed", "device"};
    return std::string(kNames[static_cast<unsigned>(memory)]);
  };
  static constexpr const char *kCalls[] = {"copy", "copy, `Async`", "set", "set, `Async`"};
  static constexpr const char *kWaits[] = {"nothing", "what the stream held before", "all"};
  std::string rows;
  for (const trace::HostWaitRow &row : trace::kHostWaits)
    rows += "| " + std::string(kCalls[static_cast<unsigned>(row.call)]) + " | " + name(row.from) + " | " +
            name(row.to) + " | " + kWaits[static_cast<unsigned>(row.wait)] + " |\n";
  INFO(rows);
  CHECK(text.find(rows) != std::string::npos);
}

TEST_CASE("without kinds of streams the order of the calls is the order") {
  Calls calls;
  calls.launch(5, Unknown);
  calls.launch(6, Unknown);
  CHECK(calls.ordered());
}

TEST_CASE("supersteps are the lengths of chains") {
  Calls calls; // two streams side by side, then one that waits for both
  for (int turn = 0; turn < 2; ++turn)
    for (const std::uint64_t stream : {5, 6})
      calls.launch(stream, Blocking);
  calls.launch(1, Legacy);
  const Model model = calls.model();
  const Ordering ordering(model);
  std::vector<std::uint32_t> steps;
  for (LaunchIndex launch = 0; launch < 5; ++launch)
    steps.push_back(ordering.superstepOf(launch));
  CHECK(steps == std::vector<std::uint32_t>{0, 0, 1, 1, 2});
  CHECK(ordering.supersteps() == 3);
}

TEST_CASE("acts of a graph are ordered as its nodes, and stand together in their stream") {
  Calls calls;
  calls.launch(5, Blocking); // 1
  calls.node(1, 0, {});      // 2
  calls.node(1, 1, {0});     // 3
  calls.node(1, 2, {0});     // 4
  calls.node(1, 4, {1, 2});  // 5
  calls.node(1, 6, {});      // 6
  calls.node(2, 0, {});      // 7
  calls.launch(5, Blocking); // 8
  calls.launch(6, Blocking); // 9
  const Model model = calls.model();
  const Ordering ordering(model);
  for (std::uint32_t act = 2; act <= 8; ++act)
    CHECK(before(ordering, 1, act));
  for (const auto &[a, b] : {std::pair<std::uint32_t, std::uint32_t>{2, 3}, {2, 4}, {2, 5}, {3, 5}, {4, 5}})
    CHECK(before(ordering, a, b));
  for (const auto &[a, b] : {std::pair<std::uint32_t, std::uint32_t>{3, 4}, {2, 6}, {3, 6}, {4, 6}, {5, 6}})
    CHECK_FALSE(before(ordering, a, b));
  for (std::uint32_t act = 1; act <= 6; ++act) {
    CHECK(before(ordering, act, 7));
    CHECK(before(ordering, act, 8));
    CHECK_FALSE(before(ordering, act, 9));
  }
  std::vector<std::uint32_t> steps;
  for (LaunchIndex launch = 0; launch < 9; ++launch)
    steps.push_back(ordering.superstepOf(launch));
  CHECK(steps == std::vector<std::uint32_t>{0, 1, 2, 2, 3, 1, 4, 5, 0});
}

TEST_CASE("an act of a graph that waits for a node which isn't there waits for all before it") {
  Calls calls;
  calls.node(1, 0, {});
  calls.node(1, 1, {});
  calls.node(1, 3, {2});
  const Model model = calls.model();
  const Ordering ordering(model);
  CHECK_FALSE(before(ordering, 1, 2));
  CHECK(before(ordering, 1, 3));
  CHECK(before(ordering, 2, 3));
}

TEST_CASE("a graph of very many branches is ordered more than it must be, and never less") {
  Calls calls;
  constexpr std::uint32_t kBranches = 200;
  for (std::uint32_t i = 0; i < kBranches; ++i)
    calls.node(1, i, {});
  for (std::uint32_t i = 0; i < kBranches; ++i)
    calls.node(1, kBranches + i, {i});
  const Model model = calls.model();
  const Ordering ordering(model);
  const auto acts = static_cast<std::uint32_t>(ordering.acts());
  std::size_t unordered = 0;
  for (std::uint32_t b = 1; b <= acts; ++b) {
    CHECK((b <= kBranches || before(ordering, b - kBranches, b)));
    for (std::uint32_t a = 1; a < b; ++a) {
      CHECK_FALSE(before(ordering, b, a));
      if (!before(ordering, a, b)) {
        ++unordered;
        continue;
      }
      for (std::uint32_t earlier = 1; earlier < a; earlier += 7)
        CHECK((!before(ordering, earlier, a) || before(ordering, earlier, b)));
    }
  }
  CHECK(unordered > acts);
}

TEST_CASE("random calls are ordered as paths in the graph of the rules") {
  const std::pair<std::uint64_t, trace::StreamKind> streams[] = {
      {1, Legacy}, {5, Blocking}, {6, Blocking}, {7, NonBlocking}, {8, NonBlocking}};
  for (unsigned seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Calls calls;
    allocateOneOfEach(calls.trace);
    std::uint64_t graphs = 0;
    for (int i = 0; i < 40; ++i) {
      const auto &[stream, kind] = streams[random() % 5];
      const unsigned act = random() % 12;
      if (act < 4)
        calls.launch(stream, kind);
      else if (act < 6) {
        ++graphs;
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t node = random() % 3; nodes.size() < 5; node += 1 + random() % 2) {
          std::vector<std::uint32_t> after;
          for (const std::uint32_t earlier : nodes)
            if (random() % 3 == 0)
              after.push_back(earlier);
          nodes.push_back(node);
          calls.node(graphs, node, after, stream, kind);
          if (random() % 4 == 0) // one with several acts
            calls.node(graphs, node, after, stream, kind);
        }
      } else if (act == 6) {
        calls.trace.stream(stream, kind);
        const std::uint64_t places[] = {kDevice, kPinned, kManaged, kPageable};
        const std::uint64_t to = places[random() % 4], from = places[random() % 4];
        if (random() % 3 == 0)
          calls.trace.set(to, 4, random() % 2 != 0);
        else
          calls.trace.copy(static_cast<trace::CopyKind>(random() % 4), to, from, 4, random() % 4 == 0);
      } else if (act == 7)
        calls.call(random() % 4 ? Sync::Event : Sync::Device, 0, Blocking, random() % 3);
      else
        calls.call(act < 10       ? Sync::EventRecord
                   : act == 10    ? Sync::StreamWaitEvent
                   : random() % 2 ? Sync::Stream
                                  : Sync::StreamWaitEvent,
                   stream, kind, random() % 3);
    }
    const Model model = calls.model();
    const Ordering ordering(model);
    const test::OrderReference reference(model);
    std::vector<std::uint64_t> orders = {0}; // by act
    for (const Event &event : model.events())
      if (const auto *launch = std::get_if<LaunchEvent>(&event))
        orders.push_back(model.launches()[launch->index].launch.order);
      else if (const auto *copy = std::get_if<CopyEvent>(&event))
        orders.push_back(model.copies()[copy->index].order);
      else if (const auto *set = std::get_if<SetEvent>(&event))
        orders.push_back(model.sets()[set->index].order);
    REQUIRE(orders.size() == ordering.acts() + 1);
    for (std::uint32_t later = 1; later <= ordering.acts(); ++later) {
      const Act b{later};
      std::uint32_t depth = 0;
      for (std::uint32_t earlier = 1; earlier < later; ++earlier) {
        const Act a{earlier};
        REQUIRE(ordering.before(a, b) == reference.before(orders[earlier], orders[later]));
        REQUIRE_FALSE(ordering.before(b, a));
        REQUIRE(ordering.hostMayActBetween(a, b) == reference.hostKnows(orders[earlier], orders[later]));
        if (ordering.launchOf(a) != kHost && ordering.before(a, b))
          depth = std::max(depth, 1 + ordering.superstepOf(ordering.launchOf(a)));
      }
      if (ordering.launchOf(b) != kHost)
        REQUIRE(ordering.superstepOf(ordering.launchOf(b)) == depth);
    }
  }
}

} // namespace ordering_test
