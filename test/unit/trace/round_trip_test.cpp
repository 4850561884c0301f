/// What is written comes back: every kind of message, with every field.
#include "analysis/verify/verifier.h"
#include "hostlib/trace/field_value.h"
#include "hostlib/trace/message.h"
#include "hostlib/trace/reader.h"
#include "small_trace.h"
#include "spaces_trace.h"

#include <catch2/catch.hpp>

using namespace cupr;
using namespace cupr::trace;

namespace {

template <typename T> T throughBytes(const T &value) {
  Message message;
  REQUIRE(decode(encode(value), message) == "");
  REQUIRE(std::holds_alternative<T>(message));
  return std::get<T>(message);
}

} // namespace

TEST_CASE("each message comes back from its bytes") {
  SECTION("header") {
    Header in;
    in.abiVersion = 7;
    in.process = test::testProcess();
    const Header out = throughBytes(in);
    CHECK(out.formatVersion == kFormatVersion);
    CHECK(out.abiVersion == 7);
    CHECK(out.process.program == "/usr/bin/app");
    CHECK(out.process.arguments == std::vector<std::string>{"app", "--n", "4"});
    CHECK(out.process.pid == 42);
    CHECK(out.process.deviceKind == "cpu");
    CHECK(out.process.deviceName == "test device");
    CHECK(out.process.startTime == 1000);
  }
  SECTION("module") {
    std::string error;
    std::optional<Module> in = parseSiteTable(test::smallTable().bytes(), error);
    REQUIRE(error == "");
    REQUIRE(in);
    in->id = ModuleId{5};
    CHECK(throughBytes(*in) == *in);
  }
  SECTION("launch") {
    Launch in;
    in.id = LaunchId{3};
    in.order = 4;
    in.kernel = "k(int)";
    in.mangled = "_Z1ki";
    in.grid = {2, 3, 4};
    in.block = {5, 6, 7};
    in.dynamicShared = 8;
    in.stream = 9;
    in.device = 10;
    in.module = ModuleId{11};
    in.traced = true;
    in.reason = "r";
    in.file = "f.cu";
    in.line = 12;
    in.time = 13;
    in.timed = abi::LatencyScheme::Fence;
    const Launch out = throughBytes(in);
    CHECK(out.id == in.id);
    CHECK(out.order == 4);
    CHECK(out.kernel == "k(int)");
    CHECK(out.mangled == "_Z1ki");
    CHECK(out.grid == Dim3{2, 3, 4});
    CHECK(out.block == Dim3{5, 6, 7});
    CHECK(out.dynamicShared == 8);
    CHECK(out.stream == 9);
    CHECK(out.device == 10);
    CHECK(out.module == ModuleId{11});
    CHECK(out.traced);
    CHECK(out.reason == "r");
    CHECK(out.file == "f.cu");
    CHECK(out.line == 12);
    CHECK(out.time == 13);
    CHECK(out.timed == abi::LatencyScheme::Fence);
  }
  SECTION("chunk") {
    Chunk in;
    in.launch = LaunchId{1};
    in.channel = 2;
    in.shares = {{2, 3}, {4, 2}};
    in.sequence = 6;
    in.records = 5;
    in.words = 10;
    in.encoding = Encoding::Columns;
    in.encodedBytes = 11;
    in.packed = std::string("p\0q", 3);
    in.hash = 12;
    const Chunk out = throughBytes(in);
    CHECK(out.launch == LaunchId{1});
    CHECK(out.channel == 2);
    CHECK(out.shares == in.shares);
    CHECK(out.sequence == 6);
    CHECK(out.records == 5);
    CHECK(out.words == 10);
    CHECK(out.encoding == Encoding::Columns);
    CHECK(out.encodedBytes == 11);
    CHECK(out.packed == in.packed);
    CHECK(out.hash == 12);
    in.records = 6;
    Message message;
    CHECK(decode(encode(in), message) == "the shares of a chunk's channels must add up to its records");
  }
  SECTION("contents and snapshot") {
    const std::vector<std::byte> bytes(1000, std::byte{7});
    Contents in = packContents(bytes);
    in.id = 3;
    const Contents out = throughBytes(in);
    CHECK(out.id == 3);
    CHECK(out.bytes == 1000);
    std::vector<std::byte> unpacked;
    CHECK(unpackContents(out, unpacked) == "");
    CHECK(unpacked == bytes);
    Contents bad = out;
    ++bad.hash;
    CHECK(unpackContents(bad, unpacked) == "the contents of memory do not have their hash");
    bad = out;
    bad.bytes = 999;
    CHECK(unpackContents(bad, unpacked) == "the contents of memory do not unpack to their length");
    bad.bytes = 0;
    Message message;
    CHECK(decode(encode(bad), message) == "contents of memory must not be empty or more than 65536 bytes");

    for (const std::size_t size : {1u, 4u, 7u, 4000u, 65535u, 65536u}) { // indices that grow, and an odd end
      std::vector<std::byte> indices(size);
      for (std::size_t i = 0; i + 4 <= size; i += 4) {
        const auto index = static_cast<std::uint32_t>(i * 7919 % 1000003);
        std::memcpy(&indices[i], &index, sizeof index);
      }
      const Contents packed = throughBytes(packContents(indices));
      CHECK(packed.isDifferences == (size >= 4000));
      CHECK((size < 4000 || packed.packed.size() < size / 4));
      CHECK(unpackContents(packed, unpacked) == "");
      CHECK(unpacked == indices);
    }

    const Snapshot snapshot = throughBytes(Snapshot{4, 0x1000, 65537, {5, 6}});
    CHECK(snapshot.id == 4);
    CHECK(snapshot.address == 0x1000);
    CHECK(snapshot.bytes == 65537);
    CHECK(snapshot.pieces == std::vector<std::uint32_t>{5, 6});
    const auto rule = [&](std::uint32_t first, std::uint32_t second) {
      return brokenSnapshotRule(snapshot, [&](std::uint32_t id) { return id == 5 ? first : second; });
    };
    CHECK(rule(65536, 1) == "");
    CHECK(rule(65536, 0) == "a snapshot names contents that are not there");
    CHECK(rule(65535, 2) == "a snapshot names contents of another size");
    CHECK(brokenSnapshotRule(Snapshot{4, 0x1000, 65537, {5}}, [](std::uint32_t) { return 65536; }) ==
          "a snapshot must have a piece for each 65536 bytes of its range");
  }
  SECTION("launch end") {
    LaunchTotals in;
    in.end = {LaunchId{1}, true, "why", 2, 3, 17, 4, 15, 16, 5, std::vector<SiteCount>{{1, 6}, {7, 8}},
              {9, 8}};
    in.records = 5;
    in.words = 6;
    in.chunks = 7;
    in.counts = {{8, 9, 10, 11, 12, 13}, {1, 2, 3, 4, 5, 6}, {7}, {0, 0, 0, 0, 0, 14}, {15}};
    const LaunchTotals out = throughBytes(in);
    CHECK(out.end.id == LaunchId{1});
    CHECK(out.end.complete);
    CHECK(out.end.reason == "why");
    CHECK(out.end.recordWords == 2);
    CHECK(out.end.waits == 3);
    CHECK(out.end.evictedPages == 17);
    CHECK(out.end.time == 4);
    CHECK(out.end.began == 15);
    CHECK(out.end.ended == 16);
    CHECK(out.end.dropped == 5);
    CHECK(out.end.siteCounts == in.end.siteCounts);
    CHECK(out.end.countedAccesses() == 14);
    CHECK(out.end.snapshots == std::vector<std::uint32_t>{9, 8});
    CHECK(out.records == 5);
    CHECK(out.words == 6);
    CHECK(out.chunks == 7);
    CHECK(out.counts == in.counts);
    in.end.siteCounts.emplace();
    CHECK(throughBytes(in).end.siteCounts == std::vector<SiteCount>{});
    in.end.siteCounts.reset();
    CHECK(!throughBytes(in).end.siteCounts);
  }
  SECTION("allocation and free") {
    const Allocation out = throughBytes(
        Allocation{1, 2, MemoryKind::Symbol, "__device__", "table", 3, 4, "float", "table.cu", 5, 6});
    CHECK(out.address == 1);
    CHECK(out.bytes == 2);
    CHECK(out.kind == MemoryKind::Symbol);
    CHECK(out.call == "__device__");
    CHECK(out.name == "table");
    CHECK(out.order == 3);
    CHECK(out.time == 4);
    CHECK(out.type == "float");
    CHECK(out.file == "table.cu");
    CHECK(out.line == 5);
    CHECK(out.column == 6);
    const Free free = throughBytes(Free{5, "cudaFree", 6, 7});
    CHECK(free.address == 5);
    CHECK(free.call == "cudaFree");
    CHECK(free.order == 6);
    CHECK(free.time == 7);
  }
  SECTION("texture and surface objects") {
    const ImageObject in{ImageKind::Surface,
                         1,
                         "cudaCreateSurfaceObject",
                         ImageResource::Pitched,
                         2,
                         3,
                         4,
                         "u8x4",
                         5,
                         6,
                         7,
                         8,
                         9,
                         true};
    const ImageObject out = throughBytes(in);
    CHECK(out.kind == ImageKind::Surface);
    CHECK(out.object == 1);
    CHECK(out.call == "cudaCreateSurfaceObject");
    CHECK(out.resource == ImageResource::Pitched);
    CHECK(out.memory == 2);
    CHECK(out.bytes == 3);
    CHECK(out.rowBytes == 4);
    CHECK(out.format == "u8x4");
    CHECK(out.width == 5);
    CHECK(out.height == 6);
    CHECK(out.depth == 7);
    CHECK(out.order == 8);
    CHECK(out.time == 9);
    CHECK(out.isDestroyed);
  }
  SECTION("copy, set, synchronisation") {
    const GraphPlace place{3, 7, {0, 2, 6}};
    const Copy copy = throughBytes(
        Copy{1, 2, 3, 4, 5, 6, CopyKind::DeviceToDevice, true, 7, 8, 9, StreamKind::Blocking, place});
    CHECK(copy.destination == 1);
    CHECK(copy.source == 2);
    CHECK(copy.rowBytes == 3);
    CHECK(copy.rows == 4);
    CHECK(copy.destinationPitch == 5);
    CHECK(copy.sourcePitch == 6);
    CHECK(copy.kind == CopyKind::DeviceToDevice);
    CHECK(copy.asynchronous);
    CHECK(copy.stream == 7);
    CHECK(copy.streamKind == StreamKind::Blocking);
    CHECK(copy.order == 8);
    CHECK(copy.time == 9);
    CHECK(copy.place == place);
    const Set set = throughBytes(Set{1, 2, 3, 4, true, 5, 6, 7, StreamKind::NonBlocking, place});
    CHECK(set.destination == 1);
    CHECK(set.rowBytes == 2);
    CHECK(set.rows == 3);
    CHECK(set.pitch == 4);
    CHECK(set.asynchronous);
    CHECK(set.stream == 5);
    CHECK(set.streamKind == StreamKind::NonBlocking);
    CHECK(set.order == 6);
    CHECK(set.time == 7);
    CHECK(set.place == place);
    Launch launch;
    launch.id = LaunchId{1};
    launch.place = place;
    CHECK(throughBytes(launch).place == place);
    launch.place = {};
    CHECK(throughBytes(launch).place == GraphPlace{});
    for (const std::vector<std::uint32_t> &wrong : {std::vector<std::uint32_t>{7}, {2, 2}, {3, 1}}) {
      launch.place = {3, 7, wrong};
      Message message;
      CHECK(decode(encode(launch), message) != "");
    }
    const auto wait =
        throughBytes(Synchronisation{Synchronisation::Kind::StreamWaitEvent, 1, 2, 3, 4, StreamKind::Legacy});
    CHECK(wait.kind == Synchronisation::Kind::StreamWaitEvent);
    CHECK(wait.stream == 1);
    CHECK(wait.streamKind == StreamKind::Legacy);
    CHECK(wait.event == 2);
    CHECK(wait.order == 3);
    CHECK(wait.time == 4);
  }
  SECTION("end") {
    End in;
    for (std::size_t i = 0; i < kMessageKinds; ++i)
      in.counts[i] = i + 1;
    in.launches = {{LaunchId{1}, 24, 99, {30, 60}}, {LaunchId{2}, 48, 0, {}}};
    in.lost = true;
    const End out = throughBytes(in);
    CHECK(out.counts == in.counts);
    REQUIRE(out.launches.size() == 2);
    CHECK(out.launches[0].id == LaunchId{1});
    CHECK(out.launches[0].launch == 24);
    CHECK(out.launches[0].launchEnd == 99);
    CHECK(out.launches[0].chunks == std::vector<std::uint64_t>{30, 60});
    CHECK(out.launches[1].launchEnd == 0);
    CHECK(out.lost);
  }
}

TEST_CASE("a written file has the counts that arithmetic gives, and verifies") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  std::string error;
  auto reader = Reader::open(file.path(), error);
  REQUIRE(reader);
  Message message;
  std::array<int, kMessageKinds> seen{};
  std::vector<LaunchTotals> ends;
  ReadStatus status;
  while ((status = reader->next(message)) == ReadStatus::Message) {
    ++seen[message.index()];
    if (const auto *end = std::get_if<LaunchTotals>(&message))
      ends.push_back(*end);
  }
  CHECK(status == ReadStatus::End);
  CHECK(reader->next(message) == ReadStatus::End);
  CHECK(seen == std::array<int, kMessageKinds>{1, 1, 3, 2, 2, 1, 1, 1, 1, 1, 1});
  REQUIRE(ends.size() == 2);
  // 4 warps load 4 bytes with 32 lanes and store 8 bytes with 16.
  CHECK(ends[0].counts.global == Counts{128, 64, 0, 512, 512, 0});
  CHECK(ends[0].records == 8);
  CHECK(ends[0].words == 16);
  CHECK(ends[0].end.complete);

  auto again = Reader::open(file.path(), error);
  const Verdict verdict = verify(*again);
  CHECK(verdict.problems == std::vector<std::string>{});
  CHECK(verdict.launches == 3);
  CHECK(verdict.untraced == 1);
  CHECK(verdict.records == 16);
  CHECK(verdict.counts.global == Counts{256, 128, 0, 1024, 1024, 0});
}

TEST_CASE("accesses are counted by the memory that they are to, ranges with their own sizes") {
  test::TemporaryFile file;
  test::writeSpacesTrace(file.path());
  std::string error;
  auto reader = Reader::open(file.path(), error);
  REQUIRE(reader);
  Message message;
  std::vector<LaunchTotals> ends;
  while (reader->next(message) == ReadStatus::Message)
    if (const auto *end = std::get_if<LaunchTotals>(&message))
      ends.push_back(*end);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].counts.global == Counts{0, 4, 0, 0, 256, 0});
  CHECK(ends[0].counts.shared == Counts{0, 64, 0, 0, 256, 0});
  CHECK(ends[0].counts.constant == Counts{64, 0, 0, 256, 0, 0});
  CHECK(ends[0].counts.local == Counts{0, 64, 0, 0, 256, 0});
  CHECK(ends[1].counts == SpaceCounts{{64, 0, 0, 256, 0, 0}, {}, {}, {}, {}});
  auto again = Reader::open(file.path(), error);
  const Verdict verdict = verify(*again);
  CHECK(verdict.problems == std::vector<std::string>{});
  CHECK(verdict.counts.accesses() == 4 + 3 * 64 + 64);
}

TEST_CASE("a range at a site that has a size is noticed") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Store, 4);
    trace.table(blob);
    test::Words words;
    words.ranges(0, 0, 0x10000, {8});
    trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, words);
    trace.writer->finish();
  }
  std::string error;
  auto reader = Reader::open(file.path(), error);
  const Verdict verdict = verify(*reader);
  REQUIRE(!verdict.problems.empty());
  CHECK(verdict.problems[0].find("a range at a site of another kind") != std::string::npos);
}

TEST_CASE("kinds that nobody knows are refused") {
  const auto ruleOf = [](const auto &act) {
    Message message;
    return decode(encode(act), message);
  };
  CHECK(ruleOf(Allocation{.kind = MemoryKind{7}}) == "the kind of an allocation is unknown");
  CHECK(ruleOf(Copy{.kind = CopyKind{4}}) == "the kind of a copy is unknown");
  CHECK(ruleOf(Copy{.streamKind = StreamKind{4}}) == "the kind of a stream is unknown");
  CHECK(ruleOf(Set{.streamKind = StreamKind{200}}) == "the kind of a stream is unknown");
  CHECK(ruleOf(Synchronisation{.kind = SynchronisationKind{5}}) ==
        "the kind of a synchronisation is unknown");
  CHECK(ruleOf(ImageObject{.kind = ImageKind{2}}) == "the kind of an object is unknown");
  CHECK(ruleOf(ImageObject{.resource = ImageResource{4}}) == "the resource of an object is unknown");
  CHECK(ruleOf(ImageObject{.memory = UINT64_MAX, .bytes = 1}) ==
        "what an object reads must not reach beyond the address space");
  Launch launch;
  launch.id = LaunchId{1};
  launch.streamKind = StreamKind{4};
  CHECK(ruleOf(launch) == "the kind of a stream is unknown");
  launch = Launch{};
  launch.id = LaunchId{1};
  launch.timed = abi::LatencyScheme::Naive;
  CHECK(ruleOf(launch) == "a timed launch must be traced, and have no slice");
  launch.traced = true;
  launch.module = ModuleId{0};
  CHECK(ruleOf(launch).empty());
  launch.slice = 0;
  CHECK(ruleOf(launch) == "a timed launch must be traced, and have no slice");
  launch.timed = abi::LatencyScheme{abi::kLatencySchemes};
  CHECK(ruleOf(launch) == "the way in which a launch was timed is unknown");
}

TEST_CASE("a number beyond an enumeration is none of its values") {
  for (const std::uint16_t number : {256, 258, 65535}) {
    const MemoryKind kind = FieldValue<std::uint16_t>{number};
    CHECK(kind == MemoryKind{255});
  }
  const std::uint16_t known = 6;
  CHECK(MemoryKind(FieldValue<std::uint16_t>{known}) == MemoryKind::Symbol);
}
