/// The report: the template with the results in it, whatever names they hold.
#include "analysis/render/check_json.h"
#include "analysis/render/checked_trace.h"
#include "analysis/render/report.h"
#include "analysis/render/results_json.h"
#include "unit/trace/trace_builder.h"

#include <catch2/catch.hpp>
#include <kj/encoding.h>
#include <zlib.h>

namespace report_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

struct TextSink final : ByteSink {
  std::string text;
  void write(std::string_view bytes) override { text += bytes; }
  void finish() override {}
};

constexpr std::string_view kBefore = "<script type=\"application/json\" id=\"results\">",
                           kAfter = "</script>";

/// What stands in the page's element for data of this id.
std::string contentOf(const std::string &page, const std::string &id) {
  const std::string before = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t begin = page.find(before) + before.size(), end = page.find(kAfter, begin);
  REQUIRE(end != std::string::npos);
  return page.substr(begin, end - begin);
}

struct Page {
  std::string before, content, after, json;
};

/// The page of the trace `path`, and what its results are as JSON.
Page pageOf(const std::string &path) {
  const Model model(path);
  const Results results = resultsOf(model);
  TextSink sink;
  writeReport(model, results, sink);
  const std::size_t begin = sink.text.find(kBefore) + kBefore.size(), end = sink.text.find(kAfter, begin);
  REQUIRE(end != std::string::npos);
  Page page{sink.text.substr(0, begin), sink.text.substr(begin, end - begin), sink.text.substr(end), {}};
  resultsJson(model, results, TransferList::LeftOut, [&](std::string_view text) { page.json += text; });
  return page;
}

/// With \uXXXX of ASCII and of U+2028 and U+2029 as the characters themselves.
std::string unescaped(std::string text) {
  for (const auto &[escape, character] :
       {std::pair{"\\u003c", "<"}, std::pair{"\\u003e", ">"}, std::pair{"\\u0026", "&"},
        std::pair{"\\u2028", "\xe2\x80\xa8"}, std::pair{"\\u2029", "\xe2\x80\xa9"}})
    for (std::size_t at; (at = text.find(escape)) != std::string::npos;)
      text.replace(at, 6, character);
  return text;
}

std::string unpacked(const std::string &base64) {
  const auto packed = kj::decodeBase64(kj::arrayPtr(base64.data(), base64.size()));
  REQUIRE_FALSE(packed.hadErrors);
  std::string text(1u << 26, '\0');
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  stream.next_in = const_cast<Bytef *>(packed.begin());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef *>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

/// One kernel that reads what it wrote before; `name` is the name of everything.
void writeNamedTrace(const std::string &path, const std::string &name, const std::string &text) {
  test::TraceBuilder trace(path);
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4, name, 1, name);
  blob.site(abi::Operation::Store, 4, name, 2, name);
  blob.source(name, text);
  trace.table(blob);
  for (int turn = 0; turn < 2; ++turn) {
    test::Words words;
    words.strided(0, 0, 0, 0x1000, 4);
    words.strided(1, 0, 0, 0x1000, 4);
    trace.run(name, {1, 1, 1}, {32, 1, 1}, words);
  }
  trace.writer->finish();
}

} // namespace

TEST_CASE("the page is the template with the results in the mark's place") {
  test::TemporaryFile file;
  writeNamedTrace(file.path(), "step", "__global__ void step();\n");
  const Page page = pageOf(file.path());
  CHECK(page.before.starts_with("<!DOCTYPE html>"));
  CHECK(page.after.ends_with("</html>\n"));
  CHECK((page.before + page.after).find("@RESULTS@") == std::string::npos);
  CHECK(page.content == page.json);
  CHECK_THAT(page.content, Catch::Contains("__global__ void step();"));
  CHECK_THAT(page.content, !Catch::Contains("\"sourceCta\""));
}

TEST_CASE("the page of several traces has the data of each apart, and a line for each behind them") {
  test::TemporaryFile first, second;
  writeNamedTrace(first.path(), "one", "__global__ void one();\n");
  writeNamedTrace(second.path(), "</script>", "__global__ void two();\n");
  TextSink sink;
  SeveralTracesPage page(sink);
  std::vector<std::string> json(2);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Model model(i == 0 ? first.path() : second.path());
    Results results = resultsOf(model);
    addProfileTo(model, results);
    page.add(model, results);
    resultsJson(model, results, TransferList::LeftOut, [&](std::string_view text) { json[i] += text; });
  }
  page.finish();
  CHECK(unescaped(contentOf(sink.text, "results-0")) == json[0]);
  CHECK(unescaped(contentOf(sink.text, "results-1")) == json[1]);
  for (const char *of : {"results", "earlier", "profile", "roofline", "check"})
    CHECK(contentOf(sink.text, of).empty());
  CHECK_FALSE(contentOf(sink.text, "profile-1").empty());
  CHECK(sink.text.find("@TRACES@") == std::string::npos);
  CHECK_THAT(contentOf(sink.text, "traces"),
             Catch::StartsWith(R"({"version":1,"traces":[{"trace":")" + first.path()) &&
                 Catch::Contains(R"("launches":2,"incompleteLaunches":0)") &&
                 Catch::Contains(R"("sectors":16,"leastSectors":16)"));
}

TEST_CASE("a trace's name may say its rank") {
  for (const auto &[path, rank] :
       std::initializer_list<std::pair<const char *, std::optional<std::uint64_t>>>{
           {"out/app.rank3.cuprtrace", 3},
           {"app.rank12.4711.cuprtrace", 12},
           {"app.rank0", 0},
           {"x.rank1/app.cuprtrace", {}},
           {"app.rankx.cuprtrace", {}},
           {"app.rank3x.cuprtrace", {}},
           {"app.rank99999999999999999999.cuprtrace", {}},
           {"", {}}})
    CHECK(rankOf(path) == rank);
}

TEST_CASE("what is compared stands in a place of its own, which is empty otherwise") {
  test::TemporaryFile before, after;
  writeNamedTrace(before.path(), "old", "__global__ void old();\n");
  writeNamedTrace(after.path(), "step", "__global__ void step();\n");
  const Model model(after.path()), earlier(before.path());
  const Results results = resultsOf(model), old = resultsOf(earlier);
  const EarlierTrace compared{earlier, old};
  for (const EarlierTrace *of : {static_cast<const EarlierTrace *>(nullptr), &compared}) {
    TextSink sink;
    writeReport(model, results, sink, {.earlier = of});
    std::string json;
    if (of)
      comparedJson(earlier, old, [&](std::string_view text) { json += text; });
    CHECK(contentOf(sink.text, "earlier") == json);
    CHECK((json.find("__global__ void old();") != std::string::npos) == (of != nullptr));
  }
}

TEST_CASE("the profile stands in a place of its own, which is empty without one") {
  test::TemporaryFile file;
  writeNamedTrace(file.path(), "</script><b>", "__global__ void step();\n");
  const Model model(file.path());
  Results results = resultsOf(model);
  std::string json;
  for (const bool with : {false, true}) {
    if (with) {
      addProfileTo(model, results);
      profileJson(model, results, "top-down", [&](std::string_view text) { json += text; });
    }
    TextSink sink;
    writeReport(model, results, sink);
    const std::string content = contentOf(sink.text, "profile");
    CHECK_THAT(content, !Catch::Contains("<"));
    CHECK(unescaped(content) == json);
    CHECK((json.find("</script><b>") != std::string::npos) == with);
  }
}

TEST_CASE(
    "what was checked stands in a place of its own, and texts of files that only faults are in are added") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4, "dir/load.cu", 1, "k");
  blob.site(abi::Operation::Store, 4, "dir/store.cuh", 1, "k");
  blob.source("dir/load.cu", "x = d[0];\n");
  blob.source("dir/store.cuh", "d[0] = 1;\n");
  blob.source("dir/other.cuh", "// none\n");
  trace.table(blob);
  trace.allocate(0x1000, 0x100);
  trace.set(0x1000, 0x100);
  test::Words words;
  words.strided(1, 0, 0, 0x1000, 4, 1);
  words.strided(0, 1, 0, 0x1000, 4, 1);
  trace.run("k", {2, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
  const Model model(file.path());
  CheckedTrace check(model, {}, {.threads = 1});
  check.leaveOut([](const ShownFault &fault) { return fault.fault->rule == FaultRule::Leak; });
  REQUIRE(check.faults().size() == 1);
  CHECK(check.files() == std::set<std::string>{"dir/load.cu", "dir/store.cuh"});

  Results results = resultsOf(model);
  std::erase_if(results.sources, [](const SourceFile &source) { return source.path != "dir/load.cu"; });
  addTexts(model, {"load.cu", "dir/store.cuh", "er.cuh", "nowhere.cu"}, results.sources);
  REQUIRE(results.sources.size() == 2);
  CHECK(results.sources[1].path == "dir/store.cuh");
  CHECK(results.sources[1].text == "d[0] = 1;\n");
  CHECK(results.sources[1].lines.empty());

  for (const CheckedTrace *of : {static_cast<const CheckedTrace *>(nullptr), &std::as_const(check)}) {
    TextSink sink, several;
    writeReport(model, results, sink, {.check = of});
    const std::string json = of ? checkJson(model, of->checked(), of->faults()) : "";
    CHECK(unescaped(contentOf(sink.text, "check")) == json);
    SeveralTracesPage page(several);
    page.add(model, results, of);
    page.finish();
    CHECK(contentOf(several.text, "check").empty());
    CHECK((several.text.find("id=\"check-0\"") != std::string::npos) == (of != nullptr));
    CHECK_THAT(contentOf(several.text, "traces"), Catch::Contains(of ? "\"faults\":1}" : "\"faults\":null}"));
  }
}

TEST_CASE("of a part of a trace those faults stay that are of it") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  for (const char *name : {"one.cu", "two.cu"})
    blob.site(abi::Operation::Store, 4, name, 1, name);
  trace.table(blob);
  trace.allocate(0x1000, 0x100);
  trace.set(0x1000, 0x100);
  for (std::uint32_t site = 0; site < 2; ++site) {
    test::Words words;
    for (std::uint32_t block = 0; block < 2; ++block)
      words.strided(site, block, 0, 0x1000, 4, 1);
    trace.run(site == 0 ? "one" : "two", {2, 1, 1}, {32, 1, 1}, words);
  }
  trace.writer->finish();
  const Model model(file.path());
  const auto rules = [&](const std::string &kernel, const std::string &source) {
    PartSelection part;
    part.launches.kernel = kernel;
    part.records.file = source;
    const CheckedTrace check(model, part, {.threads = 1});
    std::vector<std::string> rules;
    for (const ShownFault &fault : check.faults())
      rules.push_back(idOf(fault.fault->rule) + (" " + fault.places.back().kernel));
    return rules;
  };
  CHECK(rules("", "") == std::vector<std::string>{"race-blocks one", "race-blocks two", "leak "});
  CHECK(rules("two", "") == std::vector<std::string>{"race-blocks two"});
  CHECK(rules("", "one.cu") == std::vector<std::string>{"race-blocks one"});
  CHECK_THROWS_AS(rules("three", ""), std::runtime_error);
}

TEST_CASE("no name and no source text is markup") {
  test::TemporaryFile file;
  const std::string evil = "</script><!--<script>&amp;'\"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\x94";
  writeNamedTrace(file.path(), evil, evil + "\n" + evil);
  const Page page = pageOf(file.path());
  for (const char *character : {"<", ">", "&", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    CHECK_THAT(page.content, !Catch::Contains(character));
  CHECK_THAT(page.content, Catch::Contains("\xe2\x80\x94")); // a dash is no danger
  CHECK(unescaped(page.content) == page.json);
}

TEST_CASE("many results are packed") {
  // Lengths of every remainder by 3, which base64 cares for.
  for (std::size_t more = 0; more < 3; ++more) {
    test::TemporaryFile file;
    std::string text;
    for (std::size_t line = 0; line < 20000; ++line)
      text += "int line" + std::to_string(line * line) + " = 1 < 2;\n";
    writeNamedTrace(file.path(), "step", text + std::string(more, 'x'));
    const Page page = pageOf(file.path());
    CHECK(page.content.size() < page.json.size() / 3);
    CHECK(unpacked(page.content) == page.json);
  }
}

TEST_CASE("a trace without records still gives a page") {
  test::TemporaryFile file;
  test::TraceBuilder(file.path()).writer->finish();
  const Page page = pageOf(file.path());
  CHECK(page.content == page.json);
}

} // namespace report_test
