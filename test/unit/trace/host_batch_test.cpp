/// What the host's threads did comes back as it was written, in few bytes, and nothing else is taken for it.
/// Long, since there is a case for each rule that rows must keep.
#include "analysis/verify/verifier.h"
#include "host_trace.h"
#include "hostlib/trace/frame.h"
#include "hostlib/trace/host_numbers.h"
#include "hostlib/trace/message.h"
#include "hostlib/trace/packed_frame.h"
#include "hostlib/trace/reader.h"
#include "hostlib/trace/repair.h"
#include "random_batches.h"
#include "verdict.h"

#include <catch2/catch.hpp>
#include <random>

using namespace cupr;
using namespace cupr::trace;

namespace {

/// All batches of a file as one.
HostBatch hostOf(const std::string &path) {
  std::string error;
  const auto reader = Reader::open(path, error);
  REQUIRE(reader);
  HostBatch all;
  Message message;
  while (reader->next(message) == ReadStatus::Message)
    if (const auto *packed = std::get_if<PackedHostBatch>(&message)) {
      HostCounts before;
      before += all;
      CHECK(packed->first == before);
      HostBatch batch;
      REQUIRE(unpackHost(*packed, batch) == "");
      all += batch;
    }
  return all;
}

/// `rows` with their columns as `bytes`.
PackedHostBatch packedAs(PackedHostBatch rows, const std::vector<std::byte> &bytes) {
  PackedFrame frame;
  const std::span<const std::byte> part = bytes;
  const std::size_t size = frame.pack({&part, 1}, 0, 1);
  rows.packed.assign(reinterpret_cast<const char *>(frame.bytes()), size);
  rows.encodedBytes = static_cast<std::uint32_t>(bytes.size());
  rows.hash = hashOf(part);
  return rows;
}

std::string ruleOf(const PackedHostBatch &packed) {
  HostBatch batch;
  return unpackHost(packed, batch);
}

std::string decodeRuleOf(const PackedHostBatch &packed) {
  Message message;
  return decode(encode(packed), message);
}

/// What messages hold together.
HostBatch joined(const std::vector<PackedHostBatch> &messages) {
  HostBatch all;
  for (const PackedHostBatch &message : messages) {
    CHECK(decodeRuleOf(message) == "");
    HostBatch unpacked;
    REQUIRE(unpackHost(message, unpacked) == "");
    all += unpacked;
  }
  return all;
}

} // namespace

TEST_CASE("any batches come back as they were written") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    test::TemporaryFile file;
    HostBatch all;
    {
      const auto writer = Writer::create(file.path(), test::testProcess());
      RandomBatches batches(seed);
      for (unsigned i = 0; i < 4; ++i) {
        const HostBatch batch = batches.next();
        writer->host(batch);
        all += batch;
      }
      CHECK(writer->finish());
    }
    CHECK(hostOf(file.path()) == all);
    CHECK(test::verdictOf(file.path()).problems.empty());
  }
}

TEST_CASE("an empty batch is no message") { CHECK(packHost({}, 1).empty()); }

TEST_CASE("a batch of more rows than a message holds becomes several, each naming what is there") {
  HostBatch batch;
  batch.names = {"cudaLaunchKernel"};
  batch.objects = {{"/a", ""}};
  batch.threads = {{1, "t"}};
  for (std::uint32_t i = 0; i < 150'000; ++i) {
    batch.nodes.push_back({i == 0 ? kNoHostIndex : i - 1, 0, 16 * i, HostNodeKind::Frame});
    batch.calls.push_back({0, 0, 149'999 - i, i, i + 1});
    batch.acts.push_back({i, 149'999 - i});
    batch.samples.push_back({i, 0, i, 1});
    batch.places.push_back({0, 16 * i, {{"f" + std::to_string(i % 7), "a.cpp", i, 1}}});
  }
  test::TemporaryFile file;
  const auto writer = Writer::create(file.path(), test::testProcess());
  writer->host(batch);
  CHECK(writer->finish());
  CHECK(hostOf(file.path()) == batch);
  CHECK(test::verdictOf(file.path()).problems.empty());
}

TEST_CASE("texts of places are dealt to messages, and those that none can hold are left out") {
  HostBatch batch;
  batch.objects = {{"/a", ""}};
  const std::string half(kMaxHostText / 2, 'f');
  for (std::uint64_t i = 0; i < 5; ++i)
    batch.places.push_back({0, i, {{half, "", 1, 0}}});
  batch.places.push_back({0, 5, {{half, half + "g", 1, 0}}});
  batch.places.push_back({0, 6, std::vector<HostFrame>(kMaxHostRows + 1)});
  const std::vector<PackedHostBatch> packed = packHost(batch, 1);
  CHECK(packed.size() == 3);
  batch.places[5].frames.clear();
  batch.places[6].frames.clear();
  CHECK(joined(packed) == batch);
}

TEST_CASE("failures are dealt to messages, and one that none can hold is left out") {
  HostBatch batch;
  const std::string half(kMaxHostText / 2, 'e');
  batch.failures.assign(3, {half, half, "", kNoHostIndex, 1});
  batch.failures.push_back({half, half, "x", kNoHostIndex, 1});
  const std::vector<PackedHostBatch> packed = packHost(batch, 1);
  CHECK(packed.size() == 3);
  batch.failures.pop_back();
  CHECK(joined(packed) == batch);
}

TEST_CASE("a call takes at most 12 bytes in the file") {
  HostBatch batch;
  batch.names = {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize"};
  batch.objects = {{"/a", ""}};
  for (std::uint64_t thread = 0; thread < 4; ++thread)
    batch.threads.push_back({thread, "worker"});
  // 60 frames each, of which the innermost eight differ.
  for (std::uint32_t i = 0; i < 3000; ++i)
    batch.nodes.push_back({i == 0       ? kNoHostIndex
                           : i < 52     ? i - 1
                           : i % 8 == 4 ? 51
                                        : i - 1,
                           0, 0x1000 + 37 * i, HostNodeKind::Frame});
  std::mt19937_64 random(1);
  std::uint64_t now = 1'000'000'000;
  constexpr std::size_t kCalls = 400'000;
  for (std::uint32_t i = 0; i < kCalls; ++i) {
    const std::uint64_t began = now + random() % 20'000, took = 2000 + random() % 30'000;
    batch.calls.push_back(
        {i % 3, static_cast<std::uint32_t>(random() % 4), 52 + i % 2948, began, began + took});
    batch.acts.push_back({i + 1, i});
    now = began + took / 4;
  }
  std::size_t bytes = 0;
  for (const PackedHostBatch &packed : packHost(batch, 1))
    bytes += sizeof(std::uint64_t) * encode(packed).size();
  CHECK(bytes <= 12 * kCalls);
  CHECK(bytes >= 3 * kCalls); // the times are random
}

TEST_CASE("a call that ends before it begins ends there") {
  HostBatch batch;
  batch.names = {"cudaMalloc"};
  batch.threads = {{1, ""}};
  batch.calls = {{0, 0, kNoHostIndex, 500, 0}, {0, 0, kNoHostIndex, 600, 700}};
  HostBatch out;
  REQUIRE(unpackHost(packHost(batch, 1).at(0), out) == "");
  CHECK(out.calls == std::vector<HostCall>{{0, 0, kNoHostIndex, 500, 500}, {0, 0, kNoHostIndex, 600, 700}});
}

TEST_CASE("rows that name what is not there are noticed") {
  const HostCounts first{1, 1, 1, 2, 3};
  const auto ruleOf = [&](const HostBatch &batch) { return brokenHostRule(batch, first); };
  const auto node = [](std::uint32_t parent, std::uint32_t object, HostNodeKind kind = HostNodeKind::Frame) {
    HostBatch batch;
    batch.nodes = {{parent, object, 0, kind}};
    return batch;
  };
  CHECK(ruleOf(node(1, 0)) == "");
  CHECK(ruleOf(node(kNoHostIndex, kNoHostIndex, HostNodeKind::Cut)) == "");
  constexpr const char *kParent =
      "the parent of a node of the host must be an earlier one, and none where the path is cut";
  CHECK(ruleOf(node(2, 0)) == kParent);
  CHECK(ruleOf(node(0, 0, HostNodeKind::Cut)) == kParent);
  CHECK(ruleOf(node(0, 1)) == "a node of the host names an object that is not there");
  const auto call = [](std::uint32_t name, std::uint32_t thread, std::uint32_t node) {
    HostBatch batch;
    batch.calls = {{name, thread, node, 0, 0}};
    return batch;
  };
  CHECK(ruleOf(call(0, 0, 1)) == "");
  CHECK(ruleOf(call(0, 0, kNoHostIndex)) == "");
  for (const HostBatch &wrong : {call(1, 0, 1), call(0, 1, 1), call(0, 0, 2)})
    CHECK(ruleOf(wrong) == "a call of the host names a function, thread or node that is not there");
  HostBatch batch;
  batch.acts = {{1, 2}};
  CHECK(ruleOf(batch) == "");
  batch.acts = {{1, 3}};
  CHECK(ruleOf(batch) == "an act of the host names a call that is not there");
  batch = {};
  batch.samples = {{0, 0, 1, 0}, {0, 0, kNoHostIndex, 0}};
  CHECK(ruleOf(batch) == "");
  for (const HostSample &wrong : {HostSample{0, 1, 0, 0}, HostSample{0, 0, 2, 0}}) {
    batch.samples = {wrong};
    CHECK(ruleOf(batch) == "a sample of the host names a thread or node that is not there");
  }
  batch = {};
  batch.places = {{0, 0, {}}};
  CHECK(ruleOf(batch) == "");
  batch.places = {{1, 0, {}}};
  CHECK(ruleOf(batch) == "a place of the host names an object that is not there");
  batch = {};
  batch.failures = {{"cudaMemset", "", "", 1, 1}, {"", "", "", kNoHostIndex, 1}};
  CHECK(ruleOf(batch) == "");
  for (const HostFailure &wrong : {HostFailure{"", "", "", 2, 1}, HostFailure{"", "", "", 1, 0}}) {
    batch.failures = {wrong};
    CHECK(ruleOf(batch) == "a failure of the host must have happened, and name a node that is there");
  }
  batch = {};
  HostAccess access;
  access.bytes = 4;
  access.node = 1;
  batch.accesses = {access};
  CHECK(ruleOf(batch) == "");
  for (const auto &[thread, node] : {std::pair(1u, 0u), std::pair(0u, 2u)}) {
    batch.accesses[0].thread = thread;
    batch.accesses[0].node = node;
    CHECK(ruleOf(batch) == "an access of the host names a thread or node that is not there");
  }
  CHECK(brokenHostRule({}, {0, 0, 0, std::uint64_t{1} << 32, 0}) ==
        "there must not be more than 2^32 - 1 names, objects, threads or nodes of the host");
}

TEST_CASE("accesses of the host that can't have been are refused") {
  HostAccess good;
  good.address = UINT64_MAX - 11;
  good.bytes = 4;
  good.stride = 4;
  good.elements = 2;
  good.times = 3;
  good.after = good.since = 5;
  const auto ruleWith = [&](auto change) {
    PackedHostBatch packed;
    packed.accesses = {good};
    change(packed.accesses[0]);
    return decodeRuleOf(packed);
  };
  CHECK(ruleWith([](HostAccess &) {}) == "");
  for (void (*change)(HostAccess &) :
       {+[](HostAccess &a) { a.bytes = 0; }, +[](HostAccess &a) { a.elements = 0; },
        +[](HostAccess &a) { a.times = 1; }, +[](HostAccess &a) { a.since = 6; },
        +[](HostAccess &a) { a.stride = 0; }, +[](HostAccess &a) { a.elements = 1; },
        +[](HostAccess &a) { a.address += 4; }, +[](HostAccess &a) { a.stride = UINT64_MAX / 2 + 1; },
        +[](HostAccess &a) { a.bytes = UINT64_MAX; }})
    CHECK(ruleWith(change) != "");
}

TEST_CASE("what no writer packs is refused, before memory is taken for it") {
  HostBatch batch;
  batch.names = {"cudaMalloc"};
  batch.objects = {{"/a", ""}};
  batch.threads = {{1, ""}};
  batch.nodes = {{kNoHostIndex, 0, 5, HostNodeKind::Frame}};
  batch.calls = {{0, 0, 0, 1, 2}};
  batch.acts = {{7, 0}};
  batch.samples = {{8, 0, 0, 9}};
  batch.places = {{0, 5, {{"f", "a.cpp", 3, 4}}}};
  const PackedHostBatch good = packHost(batch, 1).at(0);
  REQUIRE(ruleOf(good) == "");
  REQUIRE(decodeRuleOf(good) == "");
  constexpr const char *kRows = "a host batch must not hold more than 65536 rows of a kind";
  for (std::uint32_t PackedHostBatch::*count :
       {&PackedHostBatch::nodes, &PackedHostBatch::calls, &PackedHostBatch::acts, &PackedHostBatch::samples,
        &PackedHostBatch::places, &PackedHostBatch::frames}) {
    PackedHostBatch packed = good;
    packed.*count = kMaxHostRows + 1;
    CHECK(decodeRuleOf(packed) == kRows);
    packed.*count = good.*count + 1;
    CHECK(decodeRuleOf(packed) == "");
    CHECK(ruleOf(packed) == "the columns of a host batch are not as long as its rows need");
  }
  PackedHostBatch packed = good;
  packed.names.resize(kMaxHostRows + 1);
  CHECK(decodeRuleOf(packed) == kRows);
  packed = good;
  packed.texts = 3;
  CHECK(decodeRuleOf(packed) == "a host batch must not hold more than two texts for each frame");
  packed = good;
  packed.textBytes = kMaxHostText + 1;
  CHECK(decodeRuleOf(packed) == "the texts of a host batch must not be longer than 1048576 bytes");
  packed = good;
  packed.first.calls = std::numeric_limits<std::uint64_t>::max();
  CHECK(decodeRuleOf(packed) == "the numbers of a host batch are too large");
  packed = good;
  packed.encodedBytes = 0xffffffff;
  CHECK(ruleOf(packed) == "the columns of a host batch are longer than they can need");
  packed = good;
  ++packed.encodedBytes;
  CHECK(ruleOf(packed) == "the rows of a host batch do not unpack to their length");
  packed = good;
  ++packed.hash;
  CHECK(ruleOf(packed) == "the rows of a host batch do not have their hash");
}

TEST_CASE("columns that no writer makes are refused") {
  constexpr unsigned kColumns = 23;
  PackedHostBatch none;
  std::vector<std::byte> bytes(kColumns);
  REQUIRE(ruleOf(packedAs(none, bytes)) == "");
  constexpr const char *kLength = "the columns of a host batch are not as long as its rows need";
  bytes[4] = std::byte{9};
  CHECK(ruleOf(packedAs(none, bytes)) == kLength);
  bytes[4] = std::byte{0};
  bytes.pop_back();
  CHECK(ruleOf(packedAs(none, bytes)) == kLength);

  // One node: its kind is the fourth column.
  PackedHostBatch node;
  node.nodes = 1;
  bytes.assign(kColumns + 1, std::byte{0});
  bytes[3] = std::byte{1};
  bytes[4] = std::byte{kHostNodeKinds - 1};
  CHECK(ruleOf(packedAs(node, bytes)) == "");
  bytes[4] = std::byte{kHostNodeKinds};
  CHECK(ruleOf(packedAs(node, bytes)) == "the kind of a node of the host is unknown");

  // One call, which begins at 2^64 - 2 and takes 1 or 2: the fourth and fifth of the columns behind those of nodes.
  PackedHostBatch call;
  call.calls = 1;
  bytes.assign(kColumns + 2, std::byte{0});
  bytes[7] = std::byte{1};
  bytes[8] = std::byte{3}; // -2 in zigzag
  bytes[9] = std::byte{1};
  bytes[10] = std::byte{1};
  CHECK(ruleOf(packedAs(call, bytes)) == "");
  bytes[10] = std::byte{2};
  CHECK(ruleOf(packedAs(call, bytes)) == "a call of the host must not end before it begins");

  // A place that has fewer or more frames than there are, behind those of nodes, calls, acts and samples.
  constexpr unsigned kFramesOfPlace = 17;
  PackedHostBatch place;
  place.places = 1;
  bytes.assign(kColumns + 1, std::byte{0});
  bytes[kFramesOfPlace] = std::byte{1};
  bytes[kFramesOfPlace + 1] = std::byte{1};
  constexpr const char *kFrames = "the places of a host batch must have as many frames as it holds";
  CHECK(ruleOf(packedAs(place, bytes)) == kFrames);
  place.frames = 1;
  CHECK(ruleOf(packedAs(place, bytes)) == "a frame of a host batch names a text that is not in it");
  place.texts = 1;
  CHECK(ruleOf(packedAs(place, bytes)) == "");
  place.frames = 2;
  CHECK(ruleOf(packedAs(place, bytes)) == kFrames);
}

TEST_CASE("texts may not be long by being named often") {
  HostBatch batch;
  batch.objects = {{"/a", ""}};
  batch.places = {{0, 0, std::vector<HostFrame>(2, {std::string(kMaxHostText / 2, 'x'), "", 0, 0})}};
  PackedHostBatch packed = packHost(batch, 1).at(0);
  CHECK(ruleOf(packed) == "");
  batch.places[0].frames.resize(1);
  batch.places[0].frames[0].function += "x";
  const PackedHostBatch one = packHost(batch, 1).at(0);
  REQUIRE(ruleOf(one) == "");
  // The same columns with a frame more, which names the same text.
  std::vector<std::byte> bytes(one.encodedBytes);
  REQUIRE(unpackFrame(one.packed, bytes) == "");
  constexpr unsigned kFramesOfPlace = 17;
  REQUIRE(bytes[kFramesOfPlace + 1] == std::byte{1});
  bytes[kFramesOfPlace + 1] = std::byte{2};
  packed = one;
  packed.frames = 2; // whose four columns: function 0; file 1 in a byte, so one more; line and column 0
  REQUIRE(bytes[kFramesOfPlace + 3] == std::byte{1});
  bytes.insert(bytes.begin() + kFramesOfPlace + 4, std::byte{0});
  CHECK(ruleOf(packedAs(packed, bytes)) ==
        "the texts of a host batch must not be longer than 1048576 bytes when they are written out");
}

TEST_CASE("a batch that is missing is noticed, and those that name nothing of it are kept") {
  test::TemporaryFile file;
  HostBatch first, second, third;
  first.names = {"cudaMalloc"};
  first.threads = {{1, "t"}};
  first.nodes = {{kNoHostIndex, kNoHostIndex, 1, HostNodeKind::UnknownCode}};
  first.calls = {{0, 0, 0, 1, 2}};
  second.nodes = {{0, kNoHostIndex, 2, HostNodeKind::UnknownCode}};
  second.calls = {{0, 0, 1, 3, 4}};
  third.nodes = {{0, kNoHostIndex, 3, HostNodeKind::UnknownCode}};
  third.calls = {{0, 0, 2, 5, 6}};
  third.acts = {{9, 2}};
  std::vector<std::uint64_t> offsets;
  {
    const auto writer = Writer::create(file.path(), test::testProcess());
    for (const HostBatch &batch : {first, second, third})
      writer->host(batch);
    HostBatch fourth; // names what is missing
    fourth.acts = {{10, 1}};
    writer->host(fourth);
    writer->finish();
    std::string error;
    const auto reader = Reader::open(file.path(), error);
    Message message;
    while (reader->next(message) == ReadStatus::Message)
      offsets.push_back(reader->offset());
  }
  std::string bytes = file.read();
  bytes.erase(offsets[2], offsets[3] - offsets[2]);
  file.write(bytes);
  test::TemporaryFile out;
  std::string error;
  const Repaired repaired = repair(*Reader::open(file.path(), error), out.path());
  REQUIRE(repaired.missing.size() >= 2);
  CHECK(repaired.missing[1].find("calls of the host that name what is missing") != std::string::npos);
  HostBatch expected = first;
  third.calls[0].node = 1;
  third.acts[0].call = 1;
  expected += third;
  CHECK(hostOf(out.path()) == expected);
  for (const std::string &problem : test::verdictOf(out.path()).problems)
    CHECK(problem.find("the trace was repaired") != std::string::npos);
}

TEST_CASE("numbers that were given before are not given again") {
  HostNumbers numbers;
  HostBatch batch;
  batch.names = {"a", "b"};
  batch.threads = {{1, ""}};
  CHECK(numbers.keep(batch, {5, 0, 7, 0, 0}) == "");
  CHECK(numbers.counts() == HostCounts{2, 0, 1, 0, 0});
  HostBatch again = batch;
  CHECK(numbers.keep(again, {9, 0, 7, 0, 0}) == "calls of the host must not have one number twice");
  CHECK(numbers.counts() == HostCounts{2, 0, 1, 0, 0});
  HostBatch call;
  call.calls = {{6, 7, kNoHostIndex, 0, 0}};
  CHECK(numbers.keep(call, {9, 0, 8, 0, 4}) == "");
  CHECK(call.calls[0] == HostCall{1, 0, kNoHostIndex, 0, 0});
  HostBatch nodes;
  nodes.nodes = {{kNoHostIndex, kNoHostIndex, 1, HostNodeKind::UnknownCode}};
  nodes.failures = {{"cudaMemset", "", "", 5, 1}};
  CHECK(numbers.keep(nodes, {9, 0, 8, 5, 5}) == "");
  CHECK(nodes.failures[0].node == 0);
  nodes.failures[0].node = 4;
  CHECK(numbers.keep(nodes, {9, 0, 8, 6, 5}) == "calls of the host that name what is missing");
  CHECK(numbers.counts() == HostCounts{2, 0, 1, 1, 1});
  nodes.failures.clear();
  HostAccess access;
  access.node = 4; // missing
  nodes.accesses = {access};
  CHECK(numbers.keep(nodes, {9, 0, 8, 6, 5}) == "calls of the host that name what is missing");
  CHECK(numbers.counts() == HostCounts{2, 0, 1, 1, 1});
  call.calls = {{4, 7, kNoHostIndex, 0, 0}};
  CHECK(numbers.keep(call, {9, 0, 8, 6, 5}) == "calls of the host that name what is missing");
  CHECK(numbers.counts() == HostCounts{2, 0, 1, 1, 1});
}

TEST_CASE("loops that can't be are noticed") {
  PackedHostBatch packed;
  packed.loops = {{"a.cu", true, {abi::LoopKind::For, {3, 4}, {3, 4}}}};
  CHECK(decodeRuleOf(packed) == "");
  for (const abi::SourceLoop &wrong : {abi::SourceLoop{abi::LoopKind::For, {0, 4}, {3, 4}},
                                       abi::SourceLoop{abi::LoopKind::For, {3, 4}, {3, 3}},
                                       abi::SourceLoop{static_cast<abi::LoopKind>(6), {3, 4}, {3, 4}}}) {
    packed.loops[0].extent = wrong;
    CHECK(decodeRuleOf(packed).find("the kind of a loop must be known") == 0);
  }
  // A file's name is written out with each loop.
  packed.loops.assign(1024, {std::string(1024, 'a'), false, {abi::LoopKind::Do, {1, 1}, {2, 1}}});
  CHECK(decodeRuleOf(packed) == "");
  packed.loops.push_back(packed.loops.front());
  CHECK(decodeRuleOf(packed).find("the loops of a host batch must not have more than") == 0);
  packed.loops.assign(kMaxHostRows + 1, {"", false, {abi::LoopKind::Do, {1, 1}, {2, 1}}});
  CHECK(decodeRuleOf(packed) == "a host batch must not hold more than 65536 rows of a kind");
}

TEST_CASE("more loops than a message holds are dealt to several, and those whose file no message holds are "
          "left out") {
  HostBatch batch;
  const abi::SourceLoop extent{abi::LoopKind::For, {1, 1}, {2, 1}};
  batch.loops.assign(3000, {std::string(1000, 'a'), false, extent});
  batch.loops.push_back({std::string(kMaxHostText + 1, 'a'), false, extent});
  batch.loops.push_back({"b.cu", true, extent});
  const std::vector<PackedHostBatch> packed = packHost(batch, 1);
  CHECK(packed.size() == 3);
  HostBatch all;
  for (const PackedHostBatch &each : packed) {
    CHECK(decodeRuleOf(each) == "");
    HostBatch part;
    CHECK(unpackHost(each, part) == "");
    all += part;
  }
  CHECK(all.loops.size() == 3001);
  CHECK(all.loops.back() == HostLoop{"b.cu", true, extent});
}

TEST_CASE("batches that do not go on where the last one ended are noticed") {
  test::TemporaryFile file;
  test::writeHostTrace(file.path());
  CHECK(test::verdictOf(file.path()).problems.empty());
  std::string error;
  const auto reader = Reader::open(file.path(), error);
  Message message;
  while (reader->next(message) == ReadStatus::Message)
    if (auto *packed = std::get_if<PackedHostBatch>(&message)) {
      ++packed->first.nodes;
      const Payload payload = encode(*packed);
      std::string bytes = file.read();
      FrameHead head;
      std::memcpy(&head, bytes.data() + reader->offset(), sizeof head);
      REQUIRE(head.words == payload.size());
      head.check = frameCheck(head, hashOf(std::as_bytes(std::span(payload))));
      std::memcpy(bytes.data() + reader->offset(), &head, sizeof head);
      std::memcpy(bytes.data() + reader->offset() + sizeof head, payload.data(), 8 * payload.size());
      file.write(bytes);
      break;
    }
  const std::vector<std::string> problems = test::verdictOf(file.path()).problems;
  REQUIRE(!problems.empty());
  CHECK(problems[0].find("the calls of the host must be counted from where those before end") !=
        std::string::npos);
}

TEST_CASE("sinks that keep no file take what the host did") {
  HostBatch batch;
  batch.names = {"cudaMalloc"};
  const auto memory = Writer::createMemory(test::testProcess());
  memory->host(batch);
  CHECK(memory->finish());
  CHECK(hostOf(memory->path()) == batch);
}
