/// Repair: what is whole stays, what is not is named, and the new file reads to its end.
#include "analysis/verify/verifier.h"
#include "counted_trace.h"
#include "hostlib/trace/frame.h"
#include "hostlib/trace/message_file.h"
#include "hostlib/trace/repair.h"
#include "said_problem.h"
#include "small_trace.h"
#include "spaces_trace.h"
#include "timed_trace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <random>

using namespace cupr;
using namespace cupr::trace;

namespace {

struct Result {
  Repaired repaired;
  std::string bytes;
  Verdict verdict;
  std::vector<Message> messages;
};

/// Repairs `bytes`, and requires of the new file what must hold of each.
Result repairOf(const std::string &bytes) {
  test::TemporaryFile in, out;
  in.write(bytes);
  std::string error;
  auto reader = Reader::open(in.path(), error);
  REQUIRE(reader);
  Result result;
  result.repaired = repair(*reader, out.path());
  if (!result.repaired.good())
    return result;
  result.bytes = out.read();
  auto again = Reader::open(out.path(), error);
  REQUIRE(again);
  Message message;
  ReadStatus status;
  while ((status = again->next(message)) == ReadStatus::Message)
    result.messages.push_back(message);
  REQUIRE(status == ReadStatus::End);
  result.verdict = verify(*Reader::open(out.path(), error));
  // Whatever is wrong is said by the repaired trace itself.
  for (const std::string &problem : result.verdict.problems) {
    INFO(problem);
    REQUIRE(test::isSaidByTrace(problem));
  }
  REQUIRE((result.repaired.missing.empty() || !result.verdict.problems.empty()));
  REQUIRE(result.verdict.records == result.repaired.records);
  return result;
}

std::string smallTrace() {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  return file.read();
}

struct Place {
  std::size_t offset, size;
  std::size_t kind;
};

std::vector<Place> placesOf(const std::string &bytes) {
  test::TemporaryFile file;
  file.write(bytes);
  std::string error;
  auto reader = Reader::open(file.path(), error);
  std::vector<Place> places;
  Message message;
  while (reader->next(message) == ReadStatus::Message)
    places.push_back({reader->offset(), reader->nextOffset() - reader->offset(), message.index()});
  return places;
}

/// The n-th message of kind T.
template <typename T> Place placeOf(const std::string &bytes, std::size_t n = 0) {
  const std::size_t kind = Message(T{}).index();
  for (const Place &place : placesOf(bytes))
    if (place.kind == kind && n-- == 0)
      return place;
  FAIL("no such message");
  return {};
}

std::string without(std::string bytes, const Place &place) { return bytes.erase(place.offset, place.size); }

template <typename T> std::vector<T> all(const Result &result) {
  std::vector<T> found;
  for (const Message &message : result.messages)
    if (const auto *value = std::get_if<T>(&message))
      found.push_back(*value);
  return found;
}

} // namespace

TEST_CASE("a whole file comes out as it is") {
  const std::string whole = smallTrace();
  const Result result = repairOf(whole);
  CHECK(result.bytes == whole);
  CHECK(result.repaired.missing.empty());
  CHECK(result.repaired.launches == 3);
  CHECK(result.repaired.records == 16);
}

TEST_CASE("a repaired file comes out as it is") {
  const std::string once = repairOf(without(smallTrace(), placeOf<Chunk>(smallTrace()))).bytes;
  CHECK(repairOf(once).bytes == once);
}

TEST_CASE("durations are kept, and a chunk without them is not whole") {
  test::TemporaryFile file;
  test::writeTimedTrace(file.path());
  const std::string whole = file.read();
  CHECK(repairOf(whole).bytes == whole);
  const Result cut = repairOf(without(whole, placeOf<End>(whole)));
  REQUIRE(all<Chunk>(cut).size() == 2);
  CHECK(all<Launch>(cut)[0].timed == abi::LatencyScheme::Dependency);
  CHECK(all<Chunk>(cut)[0].values.words == all<Chunk>(repairOf(whole))[0].values.words);
  // The same records, and their durations left out.
  test::TemporaryFile other;
  {
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4);
    test::timed(blob);
    test::TraceBuilder trace(other.path());
    trace.table(blob);
    trace.withValues();
    trace.timed(abi::LatencyScheme::Use);
    test::Words words;
    words.strided(0, 0, 0, 0x1000, 4);
    words.values(abi::kPieceBytesMax, ~0u, [](unsigned) { return 5u; });
    trace.run("k(int*)", {1, 1, 1}, {32, 1, 1}, words);
    trace.writer->finish();
  }
  std::string error;
  CHECK_FALSE(verify(*Reader::open(other.path(), error)).problems.empty());
}

TEST_CASE("every message that is whole survives a cut at any byte") {
  const std::string whole = smallTrace();
  const std::vector<Place> places = placesOf(whole);
  for (std::size_t length = 0; length < whole.size(); length += 3) {
    INFO("cut at " << length);
    const Result result = repairOf(whole.substr(0, length));
    const auto kept =
        static_cast<std::size_t>(std::count_if(places.begin(), places.end(), [&](const Place &place) {
          return place.offset + place.size <= length;
        }));
    if (kept == 0) {
      CHECK_THAT(result.repaired.badTrace, Catch::Contains("no whole message"));
      continue;
    }
    REQUIRE(result.messages.size() >= kept + 1);
    CHECK(result.bytes.substr(0, places[kept].offset) == whole.substr(0, places[kept].offset));
    CHECK_FALSE(result.repaired.missing.empty());
  }
}

TEST_CASE("one damaged message costs that message alone") {
  const std::string whole = smallTrace();
  const std::vector<Place> places = placesOf(whole);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (int turn = 0; turn < 8; ++turn) {
      std::string bytes = whole;
      const std::size_t at = places[i].offset + random() % places[i].size;
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
      INFO("message " << i << ", byte " << at);
      const Result result = repairOf(bytes);
      CHECK_FALSE(result.repaired.missing.empty());
      std::array<std::size_t, kMessageKinds> had{}, has{};
      for (const Place &place : places)
        ++had[place.kind];
      for (const Message &message : result.messages)
        ++has[message.index()];
      for (const Message &kind : {Message(Allocation{}), Message(Free{}), Message(Copy{}), Message(Set{}),
                                  Message(Synchronisation{}), Message(ImageObject{})})
        CHECK(has[kind.index()] == had[kind.index()] - (places[i].kind == kind.index()));
      // Records depend on the module, their launch and their chunk.
      const bool costs =
          places[i].kind == Message(Module{}).index() || places[i].kind == Message(Chunk{}).index() ||
          (places[i].kind == Message(Launch{}).index() && i < placeOf<Launch>(whole, 2).offset &&
           places[i].offset != placeOf<Launch>(whole, 2).offset);
      const std::uint64_t left = places[i].kind == Message(Module{}).index() ? 0u : costs ? 8u : 16u;
      CHECK(result.verdict.records == left);
    }
}

TEST_CASE("a chunk that is missing makes its launch incomplete, and the others not") {
  const std::string whole = smallTrace();
  const Result result = repairOf(without(whole, placeOf<Chunk>(whole, 1)));
  const auto ends = all<LaunchTotals>(result);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].end.complete);
  CHECK_FALSE(ends[1].end.complete);
  CHECK(ends[1].end.reason == "1 of 1 chunks are missing, with 8 of 8 records");
  CHECK(ends[1].records == 0);
  CHECK(result.repaired.incomplete == 1);
  CHECK_THAT(result.verdict.problems.front(), Catch::Contains("launch 2"));
}

namespace {

std::string countedTrace(std::vector<SiteCount> counts, std::uint64_t dropped = 0,
                         const std::string &reason = "") {
  test::TemporaryFile file;
  test::writeCountedTrace(file.path(), std::move(counts), dropped, reason);
  return file.read();
}

/// As written by a device whose counts are wrong: the writer itself would call the launch incomplete.
std::string miscountedTrace(std::vector<SiteCount> counts, std::uint64_t dropped = 0) {
  test::TemporaryFile in, out;
  in.write(countedTrace({{0, 32}, {1, 16}}));
  std::string error;
  const auto reader = Reader::open(in.path(), error);
  MessageFile file(out.path());
  Message message;
  while (reader->next(message) == ReadStatus::Message) {
    if (auto *totals = std::get_if<LaunchTotals>(&message)) {
      totals->end.siteCounts = counts;
      totals->end.dropped = dropped;
    }
    if (!std::holds_alternative<End>(message))
      file.append(message);
  }
  file.finish(End{});
  return out.read();
}

} // namespace

TEST_CASE("what the device counted stays where it can be true") {
  const auto endOf = [](const Result &result) { return all<LaunchTotals>(result).front().end; };
  const std::string right = countedTrace({{0, 34}, {1, 17}}, 3, "accesses were dropped");
  CHECK(repairOf(right).bytes == right);
  // Fewer than are recorded: nothing explains that.
  const Result excess = repairOf(miscountedTrace({{0, 32}, {1, 15}}));
  CHECK(excess.repaired.missing ==
        std::vector<std::string>{
            "what the device counted in launch 1, which is less than what is recorded of it"});
  CHECK_FALSE(endOf(excess).siteCounts);
  CHECK(endOf(excess).complete);
  // More, and not as many as were dropped: records are missing.
  const Result lacking = repairOf(miscountedTrace({{0, 32}, {1, 20}}, 3));
  CHECK(endOf(lacking).siteCounts == std::vector<SiteCount>{{0, 32}, {1, 20}});
  CHECK(endOf(lacking).reason == "the device counted 4 more accesses than are recorded, and 3 were dropped");
  // A chunk that is lost is what the counts miss.
  const std::string whole = countedTrace({{0, 32}, {1, 16}});
  CHECK(endOf(repairOf(without(whole, placeOf<Chunk>(whole)))).reason ==
        "1 of 1 chunks are missing, with 2 of 2 records");
}

TEST_CASE(
    "contents of memory that are lost take the accesses that follow from them along, and nothing else") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace.table(test::smallTable());
    for (const char letter : {'a', 'b'}) {
      const std::vector<std::byte> bytes(1000, static_cast<std::byte>(letter));
      const std::uint32_t contents = *trace.writer->contents(bytes);
      LaunchEnd end;
      end.id = trace.launch("kernel", {1, 1, 1}, {32, 1, 1});
      end.complete = true;
      end.snapshots = {*trace.writer->snapshot(0x1000, 1000, {contents})};
      trace.writer->launchEnd(end);
    }
    trace.writer->finish();
  }
  const std::string whole = file.read();
  CHECK(repairOf(whole).bytes == whole);
  const Result result = repairOf(without(whole, placeOf<Contents>(whole, 0)));
  const auto ends = all<LaunchTotals>(result);
  REQUIRE(ends.size() == 2);
  CHECK_FALSE(ends[0].end.complete);
  CHECK(ends[0].end.snapshots.empty());
  CHECK(ends[0].end.reason == "its accesses can't be derived: contents of memory are missing");
  CHECK(ends[1].end.complete);
  CHECK(ends[1].end.snapshots == std::vector<std::uint32_t>{0});
  REQUIRE(all<Snapshot>(result).size() == 1);
  CHECK(all<Snapshot>(result)[0].pieces == std::vector<std::uint32_t>{0});
  const Result noSnapshot = repairOf(without(whole, placeOf<Snapshot>(whole, 1)));
  CHECK(all<LaunchTotals>(noSnapshot)[0].end.complete);
  CHECK_FALSE(all<LaunchTotals>(noSnapshot)[1].end.complete);
}

TEST_CASE("chunks are numbered anew") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace.table(test::smallTable());
    const auto id = trace.launch("kernel", {70000, 1, 1}, {32, 1, 1});
    test::Words words;
    for (std::uint64_t cta = 0; cta < 3 * kChunkWords / 2; ++cta)
      words.strided(0, cta, 0, 0x1000 + 64 * (cta * cta % 1021), 4);
    trace.records(id, words);
    trace.end(id);
    trace.writer->finish();
  }
  const std::string whole = file.read();
  REQUIRE(placeOf<Chunk>(whole, 2).size > 0);
  const Result result = repairOf(without(whole, placeOf<Chunk>(whole, 1)));
  const auto chunks = all<Chunk>(result);
  REQUIRE(chunks.size() == 2);
  CHECK(chunks[1].sequence == 1);
  CHECK(result.verdict.records == kChunkWords);
  CHECK(all<LaunchTotals>(result).front().end.reason ==
        "1 of 3 chunks are missing, with 8192 of 24576 records");
}

TEST_CASE("a launch whose message is missing is there without a name") {
  const std::string whole = smallTrace();
  const Result result = repairOf(without(whole, placeOf<Launch>(whole, 0)));
  const auto launches = all<Launch>(result);
  REQUIRE(launches.size() == 3);
  CHECK(launches[0].kernel == "unknown kernel");
  CHECK(
      all<LaunchTotals>(result)[0].end.reason ==
      "1 of 1 chunks are missing, with 8 of 8 records; the launch's own message is missing; 1 chunks with 8 "
      "records can't be used: the launch's own message is missing");
  CHECK(result.verdict.records == 8);
}

TEST_CASE("a launch of which nothing is left is known from the index") {
  const std::string whole = smallTrace();
  std::string bytes = whole;
  const std::size_t from = placeOf<Launch>(whole, 1).offset, to = placeOf<Launch>(whole, 2).offset;
  const Result result = repairOf(bytes.erase(from, to - from));
  const auto launches = all<Launch>(result);
  REQUIRE(launches.size() == 3);
  CHECK(launches[2].id == LaunchId{2});
  CHECK(result.repaired.incomplete == 1);
}

TEST_CASE("launches without their module keep what else is known of them") {
  const std::string whole = smallTrace();
  const Result result = repairOf(without(whole, placeOf<Module>(whole)));
  const auto launches = all<Launch>(result);
  REQUIRE(launches.size() == 3);
  CHECK(launches[0].kernel == "kernel(cupr::argument::Trace, int*)");
  CHECK(result.verdict.records == 0);
  CHECK(result.repaired.incomplete == 2);
}

TEST_CASE("a header that is missing is made up") {
  const std::string whole = smallTrace();
  const Result result = repairOf(without(whole, placeOf<Header>(whole)));
  CHECK(all<Header>(result).front().process.program == "unknown program");
  CHECK(result.verdict.records == 16);
  CHECK(result.repaired.missing[0] == "message 0 (offset 0 to 0): the message has the number 1: messages are "
                                      "missing or in the wrong order");
}

TEST_CASE("bytes that are lost or put in shift what follows, and cost no more than their messages") {
  const std::string whole = smallTrace();
  const std::size_t at = placeOf<Chunk>(whole, 0).offset + 31;
  CHECK(repairOf(std::string(whole).erase(at, 5)).verdict.records == 8);
  CHECK(repairOf(std::string(whole).insert(at, "CUPRCUPRCUPR junk")).verdict.records == 8);
  const Result between = repairOf(std::string(whole).insert(placeOf<Chunk>(whole, 0).offset, "CUPRxx"));
  CHECK(between.verdict.records == 16);
  CHECK_THAT(between.repaired.missing.front(), Catch::Contains("no message, but what stood in front"));
}

TEST_CASE("what stands behind the end is left out and said") {
  const std::string whole = smallTrace();
  const Result result = repairOf(whole + "more");
  CHECK(all<End>(result).front().missing ==
        std::vector<std::string>{"what stands behind the end (offset " + std::to_string(whole.size()) +
                                 ") was left out"});
}

TEST_CASE("formats that are newer than this program are left alone") {
  std::string whole = smallTrace();
  Header header;
  header.formatVersion = kFormatVersion + 1;
  header.process = test::testProcess();
  const Payload payload = encode(header);
  FrameHead head;
  head.words = static_cast<std::uint32_t>(payload.size());
  head.check = frameCheck(head, hashOf(std::as_bytes(std::span(payload))));
  const Place old = placeOf<Header>(whole);
  whole.replace(old.offset, old.size,
                std::string(reinterpret_cast<const char *>(&head), sizeof head) +
                    std::string(reinterpret_cast<const char *>(payload.data()), payload.size() * 8));
  CHECK_THAT(repairOf(whole).repaired.badTrace, Catch::Contains("use a newer one"));
}

TEST_CASE("any damage gives a valid trace or says that nothing is there") {
  test::TemporaryFile file;
  test::writeSpacesTrace(file.path());
  const std::string whole = file.read();
  std::mt19937 random(7);
  for (int turn = 0; turn < 400; ++turn) {
    std::string bytes = whole;
    for (unsigned changes = 1 + random() % 6; changes > 0; --changes) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, random() % 300);
        break;
      case 2:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 300));
        break;
      default:
        bytes.resize(std::max<std::size_t>(1, bytes.size() - random() % 200));
      }
    }
    INFO("turn " << turn);
    repairOf(bytes);
  }
}

TEST_CASE("a disk that is full is an error") {
  test::TemporaryFile in;
  test::writeSmallTrace(in.path());
  std::string error;
  auto reader = Reader::open(in.path(), error);
  CHECK(repair(*reader, "/dev/full").writeError == "can't write '/dev/full': No space left on device");
}
