/// Exports become traces again: what was exported is there, and what is damaged is refused with its place.
#include "analysis/import/import.h"
#include "analysis/verify/verifier.h"
#include "exported_text.h"
#include "unit/trace/places_trace.h"
#include "unit/trace/small_trace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace import_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace std::string_literals;
using test::exported, test::jsonLines;

namespace {

using MakeExporter = std::unique_ptr<Exporter> (*)(const Model &, ByteSink &);
std::unique_ptr<Exporter> indentedJson(const Model &model, ByteSink &sink) {
  return jsonExporter(model, sink, Json::Style::Indented);
}

/// The messages of a trace, one behind the other.
std::string messagesOf(const std::string &path) {
  std::string error, text;
  const auto reader = trace::Reader::open(path, error);
  trace::Message message;
  while (reader->next(message) == trace::ReadStatus::Message)
    text.append(reinterpret_cast<const char *>(reader->payload().data()), reader->payload().size() * 8);
  return text;
}

std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A trace of these bytes, in a file.
class ImportedFile {
public:
  explicit ImportedFile(const std::string &bytes) {
    from_.write(bytes);
    Import importing(from_.path(), to_.path());
    while (importing.step()) {
    }
    notes = importing.notes();
  }
  const std::string &path() const { return to_.path(); }
  std::vector<std::string> problems() const {
    std::string error;
    return trace::verify(*trace::Reader::open(path(), error)).problems;
  }
  std::vector<std::string> notes;

private:
  test::TemporaryFile from_, to_;
};

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

/// As rows and as messages, packed and not.
void comesBack(const std::string &path) {
  INFO(path);
  const std::string json = exported(path, jsonLines);
  for (const MakeExporter make : {jsonLines, indentedJson, protobufExporter})
    for (const Compression compression : {Compression::None, Compression::Gzip, Compression::Zstd}) {
      const ImportedFile again(exported(path, make, {}, compression));
      CHECK(exported(again.path(), jsonLines) == json);
      CHECK(again.problems() == std::vector<std::string>{});
      CHECK(again.notes.empty());
    }
  CHECK(contents(ImportedFile(messagesOf(path)).path()) == contents(path));
}

} // namespace

TEST_CASE("what is exported, imported and exported again is the same") {
  for (const auto &entry : std::filesystem::directory_iterator(CUPR_GOLDEN "/v4")) {
    if (entry.path().extension() != ".cuprtrace")
      continue;
    comesBack(entry.path());
  }
}

TEST_CASE("shared variables, coordinates and values of C++ types come back from exports") {
  test::TemporaryFile file;
  test::writePlacesTrace(file.path());
  const std::string json = exported(file.path(), jsonLines);
  for (const char *said :
       {R"x("name":"pairs")x", R"x("elementBytes":8)x", R"x("coordinates":["(0, -1)","(0.5, -1)")x",
        R"x("coordinates":["(0, 0.25)","(1, 0.25)")x", R"x("read":["{a: 4294967295, b: -1}")x",
        R"x("sourceType":"Pair")x", R"x("layout":"{0 unsigned int a;4 short b}")x", R"x("space":"texture")x"})
    CHECK_THAT(json, Catch::Contains(said));
  comesBack(file.path());
}

TEST_CASE("kinds of calls come back from exports") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    test::SiteTableBlob blob;
    for (unsigned kind = 0; kind < abi::kFrameKinds; ++kind)
      blob.frame("a.cu", kind, "f(int*)", kind + 1 < abi::kFrameKinds ? kind + 1 : abi::kNoFrame,
                 static_cast<abi::FrameKind>(kind));
    blob.site(abi::Operation::Load, 4, "a.cu", 3, "get(int*)", /*frame=*/0);
    trace.table(blob);
    test::Words words;
    words.strided(0, 0, 0, 0x10000, 4);
    trace.run("kernel(int*)", {1, 1, 1}, {32, 1, 1}, words);
    trace.writer->finish();
  }
  comesBack(file.path());
  const std::string json = exported(file.path(), jsonLines);
  REQUIRE(json.find("merged") != json.npos);
  CHECK_THROWS_WITH(ImportedFile(replaced(json, "\"merged\"", "\"torn\"")), Catch::Contains("kind"));
}

TEST_CASE("what is said of a launch's end comes back from exports") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4, "a.cu", 3, "get(int*)");
    trace.table(blob);
    trace::LaunchEnd end;
    end.id = trace.launch("kernel(int*)", {1, 1, 1}, {32, 1, 1});
    test::Words words;
    words.strided(0, 0, 0, 0x10000, 4);
    trace.records(end.id, words);
    end.complete = true;
    end.waits = 5;
    end.evictedPages = 3;
    end.recordWords = trace.writer->recordWords(end.id);
    trace.writer->launchEnd(end);
    trace.writer->finish();
  }
  comesBack(file.path());
  CHECK_THAT(exported(file.path(), jsonLines),
             Catch::Contains("\"waits\":5") && Catch::Contains("\"evictedPages\":3"));
}

TEST_CASE("values that an export does not say to be there are left out, and that is told") {
  test::TemporaryFile file;
  test::writePlacesTrace(file.path());
  std::string json = exported(file.path(), jsonLines);
  for (std::size_t at; (at = json.find("\"hasValues\":true")) != json.npos;)
    json.replace(at, 16, "\"hasValues\":null");
  const ImportedFile without(json);
  REQUIRE(without.notes.size() == 1);
  CHECK_THAT(without.notes[0], Catch::Contains("Values are left out"));
  CHECK_THAT(exported(without.path(), jsonLines), !Catch::Contains("{a: 4294967295"));
}

TEST_CASE("what a small file unpacks to is bounded") {
  const std::string blanks(std::size_t{1} << 20, ' ');
  test::Written packed;
  const auto sink = compressed(std::make_unique<test::StringSink>(packed), Compression::Zstd);
  sink->write(R"({"type":"of a later version"})");
  for (unsigned megabytes = 0; megabytes < 400; ++megabytes)
    sink->write(blanks);
  sink->finish();
  CHECK_THROWS_AS(ImportedFile(packed.text), trace::TooMuch);
}

TEST_CASE("exports of earlier versions open") {
  for (const auto &entry : std::filesystem::directory_iterator(CUPR_GOLDEN "/exports")) {
    INFO(entry.path());
    const ImportedFile file(contents(entry.path()));
    CHECK(Model(file.path()).launches().size() ==
          (entry.path().filename().string().starts_with("small") ? 3 : 2));
  }
}

TEST_CASE("launches of many chunks are imported") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4, "a.cu", 1);
  trace.table(blob);
  const auto id = trace.launch("kernel(int*)", {40, 25, 30}, {64, 1, 1});
  test::Words words;
  for (std::uint64_t record = 0; record < 60000; ++record)
    words.strided(0, record / 2, record % 2, 0x10000 + 128 * record, 4);
  trace.records(id, words);
  trace.end(id);
  trace.writer->finish();
  const ImportedFile again(exported(file.path(), protobufExporter));
  CHECK(Model(again.path()).launches()[0].chunks.size() > 2);
  CHECK(exported(again.path(), jsonLines) == exported(file.path(), jsonLines));
}

TEST_CASE("an export of a selection is no whole trace") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  Selection few;
  few.limit = 3;
  const ImportedFile again(exported(file.path(), jsonLines, few));
  CHECK(again.notes == std::vector<std::string>{"The export holds a selection: at most 3 records"});
  const Model model(again.path());
  CHECK_FALSE(model.launches()[0].complete());
  CHECK(model.launches()[0].totals.end.reason == "the export has 3 of its 8 records");
  CHECK(again.problems() != std::vector<std::string>{});
}

TEST_CASE("members may stand in any order, and unknown ones anywhere") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string json = exported(file.path(), jsonLines);
  std::string changed =
      replaced(json, R"({"type":"allocation","id":0,)", R"({"new":{"a":[1,{"b":-1.5}]},"id":0,)");
  changed = replaced(changed, R"("freedOrder")", R"("type":"allocation","more":[[]],"freedOrder")");
  changed = replaced(changed, R"({"type":"copy")", "\n{\"type\":\"newKind\",\"x\":[1]}\n{\"type\":\"copy\"");
  CHECK(exported(ImportedFile(changed).path(), jsonLines) == json);
}

TEST_CASE("what an export makes the reader keep is bounded by its size") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string json = exported(file.path(), jsonLines);
  const std::size_t begin = json.find("{\"type\":\"copy\""), end = json.find('\n', begin) + 1;
  std::string many;
  for (int i = 0; i < 500'000; ++i)
    many.append(json, begin, end - begin);
  test::Written packed;
  const auto sink = compressed(std::make_unique<test::StringSink>(packed), Compression::Zstd);
  sink->write(json.substr(0, end) + many + json.substr(end));
  sink->finish();
  CHECK_THROWS_WITH(ImportedFile(packed.text),
                    Catch::Contains("takes more memory than a file of its size may ask for"));
}

TEST_CASE("zeros that pad gzip's members are passed over") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string json = exported(file.path(), jsonLines),
                    gzip = exported(file.path(), jsonLines, {}, Compression::Gzip);
  test::Written first;
  const auto sink = compressed(std::make_unique<test::StringSink>(first), Compression::Gzip);
  sink->write("\n");
  sink->finish();
  const std::string zeros(300'000, '\0'); // more than is read at once
  CHECK(exported(ImportedFile(first.text + zeros + gzip + zeros).path(), jsonLines) == json);
}

TEST_CASE("damaged exports are refused with the place and the rule") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string json = exported(file.path(), jsonLines),
                    protobuf = exported(file.path(), protobufExporter), capnp = messagesOf(file.path());
  const auto changed = [&](const std::string &from, const std::string &to) {
    return replaced(json, from, to);
  };
  const std::string zstd = exported(file.path(), jsonLines, {}, Compression::Zstd),
                    gzip = exported(file.path(), jsonLines, {}, Compression::Gzip);
  std::string flipped = gzip;
  flipped[flipped.size() / 2] ^= 1;
  const std::string record = R"({"type":"record","launch":1,"site":0,"ctaX":0,"ctaY":0,"ctaZ":0,"warp":0,)";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ".cuprtrace: the file is empty"},
      {changed("\"type\":\"end\"", "\"type\":\"count\",\"launch\":7"), "it must be of the launch before it"},
      {"hello", "neither a trace nor an export"},
      {"SQLite format 3\0"s, "neither a trace nor an export"},
      {"{}", "damaged at row 1 (byte 2): an object must have a `type`"},
      {"{\"type\":3}", "must have a `type`, which is a text"},
      {"{", "damaged at row 1 (byte 1): not JSON"},
      {json.substr(0, json.size() / 2), "not JSON"},
      {json.substr(0, json.find("{\"type\":\"end\"")), "its last row, `end`, is missing"},
      {json.substr(json.find('\n') + 1), "damaged at row 1 (byte"},
      {json.substr(json.find('\n') + 1), "the first row must be a `header`"},
      {json + json, "nothing must follow `end`"},
      {json + "[1]", "a row must be an object"},
      {json + "1 ", "a row must be an object"},
      {std::string(1000, '{'), "not JSON"},
      {"{\"a\":" + std::string(100000, '['), "not JSON"},
      {"{\"type\":\"" + std::string(17u << 20, 'x') + "\"}", "an object must not be longer than"},
      {changed("\"version\":1", "\"version\":2"), "the export's version is 2"},
      {changed("cuprewrite export", "other export"), "`format` must be"},
      {changed("\"pid\":", "\"pid\":-"), "`pid` must be a number from 0 to 2^64 - 1"},
      {changed("\"line\":10", "\"line\":4294967296"), "`line` is too large"},
      {changed("\"line\":10", "\"line\":\"10\""), "`line` must be a number"},
      {changed("\"operation\":\"load\"", "\"operation\":\"lode\""), "`operation` is none of the names"},
      {changed("\"space\":\"global\"", "\"space\":\"tensor\""), "`space` is none of the names"},
      {changed("\"kind\":\"device\"", "\"kind\":\"vice\""), "`kind` is none of the names"},
      {changed("\"frame\":0", "\"frame\":7"), "names the frame 7, which is not there"},
      {changed("{\"type\":\"site\",\"id\":1", "{\"type\":\"site\",\"id\":0"), "there is a site 0 already"},
      {changed("{\"type\":\"launch\",\"id\":2", "{\"type\":\"launch\",\"id\":1"),
       "there is a launch 1 already"},
      {changed(record, replaced(record, "\"site\":0", "\"site\":99")), "there is no site 99"},
      {changed(record, replaced(record, "\"launch\":1", "\"launch\":2")), "must be of the launch before it"},
      {changed(record, replaced(record, "\"ctaX\":0", "\"ctaX\":2")), "its block is not in the grid"},
      {changed(record, replaced(record, "\"warp\":0", "\"warp\":2")), "its warp is not in the block"},
      {changed(record, replaced(record, "\"warp\":0", "\"warp\":32")), "`warp` is larger than"},
      {changed("\"lanes\":[0,1,", "\"lanes\":[1,1,"), "`lanes` must be numbers below 32 that ascend"},
      {changed("\"lanes\":[0,1,", "\"lanes\":[0,"), "`addresses` must have as many as `lanes`"},
      {changed("\"lanes\":[0,1,", "\"lanes\":[[0],1,"), "`lanes` must be a list of numbers"},
      {changed("\"bytes\":[]", "\"bytes\":[1]"), "`bytes` must have as many as `lanes`"},
      {changed("\"blockX\":64", "\"blockX\":32"), "its warp is not in the block"},
      {changed("\"loads\":128", "\"loads\":127"), "the counts are not those of the launch's records"},
      {changed("\"launches\":3", "\"launches\":4"), "rows are missing: of 4 launches"},
      {json.substr(0, json.find("{\"type\":\"launchEnd\"")) + json.substr(json.find("{\"type\":\"count\"")),
       "the launch before it has no end"},
      {zstd.substr(0, zstd.size() - 1), "what zstd has packed is cut off"},
      {gzip.substr(0, gzip.size() - 1), "what gzip has packed is cut off"},
      {flipped, "damaged at"},
      {zstd.substr(0, 4) + std::string(100, '\xff'), "zstd can't unpack it"},
      {gzip.substr(0, 2) + std::string(100, '\xff'), "gzip can't unpack it"},
      {contents(file.path()), "this is a trace already"},
      {protobuf.substr(0, protobuf.size() - 1), "the file stops in the middle of a row"},
      {protobuf + "x", "a row must begin with the byte 0x0a"},
      {"\x0a\xff\xff\xff\xff\x7f", "a row must not be longer than"},
      {"\x0a\x02\x0a\x7f", "the row is damaged"},
      {"\x0a\x02\x08\x01", "what a row holds must be a message"},
      {"\x0a\x04\x0a\x02\x08\x01", "`format` has the wrong type"},
      {capnp.substr(0, capnp.size() - 8), "the file stops in the middle of a message"},
      {capnp.substr(0, 16) + "\xff" + capnp.substr(17), "damaged at message 0"},
      {"\0\0\0\0\xff\xff\xff\x7f"s, "a message must not be longer than"},
  };
  for (const auto &[bytes, message] : cases) {
    INFO(message);
    CHECK_THROWS_WITH(ImportedFile(bytes), Catch::Contains(message));
  }
}

} // namespace import_test
