/// Exports and imports: what is chosen, what is left behind, cuda-memtrace's files to the byte. That other
/// programs can read the rest is test/readers.
#include "analysis/export/export_size.h"
#include "analysis/export/exporter.h"
#include "analysis/memtrace/exporter.h"
#include "analysis/memtrace/importer.h"
#include "analysis/output/progress.h"
#include "analysis/verify/verifier.h"
#include "exported_text.h"
#include "unit/trace/small_trace.h"
#include "unit/trace/spaces_trace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

namespace export_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace std::string_literals;
using test::exported, test::jsonLines;

namespace {

Progress quiet() { return {"test", stderr, false}; }

auto memtraceOf(unsigned version) {
  return [version](const Model &, ByteSink &sink) { return memtraceExporter(sink, version); };
}

auto csvOf(RowKindId table) {
  return [table](const Model &model, ByteSink &sink) { return csvExporter(model, sink, table); };
}

std::size_t lines(const std::string &text, const std::string &with = "") {
  std::istringstream in(text);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);)
    count += line.find(with) != line.npos;
  return count;
}

/// `bytes` imported and exported again.
std::string again(const std::string &bytes, unsigned version) {
  test::TemporaryFile from, to;
  from.write(bytes);
  importMemtrace(from.path(), to.path());
  std::string error;
  const trace::Verdict verdict = trace::verify(*trace::Reader::open(to.path(), error));
  CHECK(verdict.problems == std::vector<std::string>{});
  return exported(to.path(), memtraceOf(version));
}

std::string le(std::uint64_t value, unsigned bytes) {
  return std::string(reinterpret_cast<const char *>(&value), bytes);
}

/// Versions 2 and 3.
std::string access(std::uint32_t kind, std::uint32_t size, std::uint32_t sm, std::uint64_t address,
                   std::uint32_t x, std::uint32_t y = 0, std::uint32_t z = 0) {
  return le(size | kind << 28, 4) + le(sm, 4) + le(address, 8) + le(z, 2) + le(y, 2) + le(x, 4);
}

} // namespace

TEST_CASE("exports take what was selected, and say so") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const auto json = [&](const Selection &selection) { return exported(file.path(), jsonLines, selection); };
  CHECK(lines(json({}), R"("type":"record")") == 16);
  Selection second;
  second.launches.launch = 2;
  CHECK(lines(json(second), R"("type":"record","launch":2)") == 8);
  CHECK(lines(json(second), R"("type":"launch")") == 1);
  CHECK_THAT(
      json(second),
      Catch::Contains(R"({"type":"end","launches":1,"records":8,"accesses":192,"selection":"launch 2"})"));
  Selection few;
  few.limit = 3;
  CHECK(lines(json(few), R"("type":"record")") == 3);
  Selection library;
  library.launches.kernel = "^lib";
  CHECK(lines(json(library), R"("type":"launch")") == 1);
  CHECK(lines(json(library), R"("traced":false)") == 1);
}

TEST_CASE("how large an export will be is known before, about") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4, "a.cu", 1);
  blob.site(abi::Operation::Store, 4, "a.cu", 2);
  trace.table(blob);
  constexpr std::uint64_t kBlocks = 10000;
  const auto id = trace.launch("kernel(int*)", {kBlocks, 1, 1}, {32, 1, 1});
  test::Words words;
  for (std::uint64_t cta = 0; cta < kBlocks; ++cta)
    words.strided(cta % 2, cta, 0, 0x7f0000010000 + 128 * cta, 4, cta % 3 == 0 ? 0xffffffffu : 0xffffu);
  trace.records(id, words);
  trace.end(id);
  trace.writer->finish();
  const Model model(file.path());
  Selection half;
  half.limit = kBlocks / 2;
  const auto arrow = [](const Model &of, ByteSink &sink) {
    return arrowExporter(of, sink, RowKindId::Access, ArrowShape::Stream);
  };
  const auto check = [&](auto make) {
    for (const Selection &selection : {Selection{}, half}) {
      const auto real = static_cast<double>(exported(file.path(), make, selection).size());
      const std::uint64_t bytes =
          exportBytes(model, selection, [&](ByteSink &sink) { return make(model, sink); }, Compression::None);
      CHECK(static_cast<double>(bytes) == Approx(real).epsilon(0.05));
    }
  };
  check(jsonLines);
  check(csvOf(RowKindId::WideAccess));
  check(csvOf(RowKindId::Launch)); // has no records
  check(protobufExporter);
  check(arrow);
  test::TemporaryFile database;
  const PendingFile pending(database.path());
  Progress progress = quiet();
  exportTrace(model, {}, *sqliteExporter(model, pending), progress);
  CHECK(static_cast<double>(databaseBytes(model, {})) ==
        Approx(static_cast<double>(std::filesystem::file_size(pending.path()))).epsilon(0.2));
}

TEST_CASE("rows stand in the order of the host's calls") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  std::istringstream in(exported(file.path(), jsonLines));
  std::string kinds;
  for (std::string line; std::getline(in, line);)
    if (const std::string kind = line.substr(9, line.find('"', 9) - 9); kind != "record" && kind != "site")
      kinds += kind + " ";
  CHECK(kinds ==
        "header frame allocation copy set launch launchEnd count launch launchEnd count launch launchEnd "
        "synchronisation end ");
}

TEST_CASE("a CSV table has a heading and quoted cells") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string all = exported(file.path(), csvOf(RowKindId::WideAccess));
  CHECK(lines(all) == 1 + 384);
  CHECK(
      all.substr(0, all.find('\n')) ==
      "launch,kernel,operation,space,address,bytes,cta_x,cta_y,cta_z,warp,lane,sm,file,line,column,function,"
      "read,written,compared,thread_x,thread_y,thread_z,coordinates,clock,duration");
  CHECK_THAT(exported(file.path(), csvOf(RowKindId::Header)),
             Catch::Contains("\ncuprewrite export,1,/usr/bin/app,app --n 4,42,"));
  CHECK_THAT(exported(file.path(), csvOf(RowKindId::Record)), Catch::Contains("0 1 2 3"));

  test::TemporaryFile odd;
  {
    test::TraceBuilder trace(odd.path());
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4, "a, \"b\".cu", 1);
    trace.table(blob);
    test::Words words;
    words.strided(0, 0, 0, 0, 4, 1);
    trace.run("f(int, int)", {1, 1, 1}, {32, 1, 1}, words);
    trace.writer->finish();
  }
  CHECK_THAT(exported(odd.path(), csvOf(RowKindId::WideAccess)),
             Catch::Contains("\n1,\"f(int, int)\",load,global,0,4,0,0,0,0,0,0,\"a, \"\"b\"\".cu\",1,"));
}

TEST_CASE("a memory trace of version 3 joins what follows in memory") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Load, 4, "a.cu", 1);
    blob.site(abi::Operation::AtomicMax, 8, "a.cu", 2);
    trace.table(blob);
    test::Words words;
    words.strided(0, 5, 0, 0x1000, 4);
    words.strided(0, 5, 1, 0x1080, 4);
    words.strided(1, 5, 1, 0x2000, 0, 3);
    trace.run("k", {2, 2, 2}, {64, 1, 1}, words);
    trace.writer->finish();
  }
  const std::string kernel = "\0"s + le(3, 2) + "_Zk";
  CHECK(exported(file.path(), memtraceOf(3)) == "\x1a"
                                                "CUDATRACE"s +
                                                    kernel + "\xfe" + access(0, 4, 0, 0x1000, 1, 0, 1) +
                                                    le(64, 2) + "\xff" + access(2, 8, 0, 0x2000, 1, 0, 1) +
                                                    "\xff" + access(2, 8, 0, 0x2000, 1, 0, 1));
  const std::string second = exported(file.path(), memtraceOf(2));
  CHECK(second.size() == 10 + 6 + 66 * 25);
  CHECK(second.substr(0, 41) == "\x19"
                                "CUDATRACE"s +
                                    kernel + "\xff" + access(0, 4, 0, 0x1000, 1, 0, 1));
  // Rieber 2017, figures 5.2 and 5.3.
  const std::string first = exported(file.path(), memtraceOf(1));
  CHECK(first.size() == 1 + 5 + 66 * 24 + 24);
  CHECK(first.substr(0, 30) ==
        "\x18\n_Zk\n" + le(1, 2) + le(0, 2) + le(1, 4) + le(0x1000, 8) + le(1u << 28 | 4, 4) + le(0, 4));
  CHECK(first.substr(first.size() - 32) == le(7u << 28 | 8, 4) + le(0, 4) + std::string(24, '\0'));
}

TEST_CASE("runs of a memory trace never grow beyond their count") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    test::SiteTableBlob blob;
    blob.site(abi::Operation::Store, 1, "a.cu", 1);
    trace.table(blob);
    test::Words words;
    for (std::uint64_t i = 0; i < 2049; ++i)
      words.strided(0, 0, 0, 32 * i, 1);
    trace.run("k", {1, 1, 1}, {32, 1, 1}, words);
    trace.writer->finish();
  }
  CHECK(exported(file.path(), memtraceOf(3)).substr(16) ==
        "\xfe" + access(1, 1, 0, 0, 0) + le(65535, 2) + "\xfe" + access(1, 1, 0, 65535, 0) + le(33, 2));
}

TEST_CASE("what a memory trace has no place for is left out and counted") {
  test::TemporaryFile file;
  test::writeSpacesTrace(file.path());
  const Model model(file.path());
  test::Written written;
  test::StringSink sink(written);
  const auto exporter = memtraceExporter(sink, 3);
  Progress progress = quiet();
  exportTrace(model, {}, *exporter, progress);
  CHECK(exporter->leftOut() ==
        "192 accesses of other memory than global are left out: the format has no place for them");
}

TEST_CASE("cuda-memtrace's sample is read as it is, and written again to the byte") {
  std::ifstream in(CUPR_GOLDEN "/memtrace/sample-v3.trc", std::ios::binary);
  const std::string sample{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(sample.size() == 75);
  test::TemporaryFile from, to;
  from.write(sample);
  const Imported imported = importMemtrace(from.path(), to.path());
  CHECK(imported.version == 3);
  CHECK(imported.kernels == 1);
  CHECK(imported.accesses == 32);
  const Model model(to.path());
  const LaunchInfo &launch = model.launches().at(0);
  CHECK(launch.launch.mangled == "_Z13matrixMulCUDAILi32EEvPfS0_S0_ii");
  CHECK(launch.launch.grid == trace::Dim3{3, 1, 1});
  CHECK(launch.totals.counts.global == trace::Counts{32, 0, 0, 128, 0, 0});
  RecordStream records(model, launch);
  const Record *record = records.next();
  REQUIRE(record);
  CHECK(record->access.sm == 2);
  CHECK(record->access.cta == 2);
  CHECK(record->access.address[0] == 0x7f3996e08c00);
  CHECK(record->access.address[31] == 0x7f3996e08c00 + 31 * 4);
  CHECK(record->site->operation == abi::Operation::Load);
  CHECK_FALSE(records.next());
  CHECK(again(sample, 3) == sample);
}

TEST_CASE("frozen memory traces of all versions hold the sample's accesses") {
  std::string accesses;
  for (const char *name : {"sample-v1.trc", "sample-v2.trc", "sample-v3.trc"}) {
    test::TemporaryFile to;
    CHECK(importMemtrace(std::string(CUPR_GOLDEN "/memtrace/") + name, to.path()).accesses == 32);
    const std::string now = exported(to.path(), csvOf(RowKindId::WideAccess));
    INFO(name);
    CHECK(lines(now) == 33);
    CHECK((accesses.empty() || now == accesses));
    accesses = now;
  }
}

TEST_CASE("memory traces of all versions come back from an import") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  for (const unsigned version : {1u, 2u, 3u}) {
    const std::string once = exported(file.path(), memtraceOf(version));
    INFO("version " << version);
    CHECK(again(once, version) == once);
  }
}

TEST_CASE("an import takes accesses that no warp would make") {
  const std::string kernel = "\0"s + le(1, 2) + "k", head = "\x1a"
                                                            "CUDATRACE"s;
  const std::string odd = head + kernel + "\xff" + access(0, 4, 3, 16, 7, 65535, 65535) + "\xff" +
                          access(1, 4, 3, 16, 7) + "\xff" + access(1, 3, 3, UINT64_MAX, 7) + "\xfe" +
                          access(2, 4, 0, 64, 0) + le(65535, 2) + kernel + kernel + "\xff" +
                          access(0, 1, 0, 0, 0);
  CHECK(again(odd, 3) == odd);
}

TEST_CASE("an import says what is wrong and where") {
  const std::string kernel = "\0"s + le(1, 2) + "k",
                    head = "\x1a"
                           "CUDATRACE"s,
                    first = "\x18\nk\n"s;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "offset 0: the file is empty"},
      {"hello, world", "not a memory trace of version 1, 2 or 3"},
      {"\x1b"
       "CUDATRACE"s,
       "not a memory trace"},
      {head + "\xff" + access(0, 4, 0, 0, 0), "offset 11: an access without a kernel"},
      {head + kernel + "\x01", "an entry of an unknown kind"},
      {"\x19"
       "CUDATRACE"s +
           kernel + "\xfe" + access(0, 4, 0, 0, 0) + le(2, 2),
       "an entry of an unknown kind"},
      {head + kernel + "\xff" + access(0, 4, 0, 0, 0).substr(1), "the file is cut off"},
      {head + "\0"s + le(9, 2) + "k", "the file is cut off"},
      {head + kernel + "\xff" + access(3, 4, 0, 0, 0), "an access of kind 3 and 4 bytes"},
      {head + kernel + "\xff" + access(0, 0, 0, 0, 0), "an access of kind 0 and 0 bytes"},
      {head + kernel + "\xff" + access(0, 4, 2048, 0, 0), "an SM beyond what a record can hold"},
      {head + kernel + "\xff" + access(0, 4, 0, 0, UINT32_MAX), "a CTA index beyond what a grid can have"},
      {first, "the file is cut off"},
      {first + std::string(24, '\0') + "x", "a kernel must start with a line feed"},
  };
  test::TemporaryFile from, to;
  for (const auto &[bytes, message] : cases) {
    from.write(bytes);
    INFO(message);
    CHECK_THROWS_WITH(importMemtrace(from.path(), to.path()), Catch::Contains(message));
  }
}

TEST_CASE("progress is said now and then, and never for what is quick") {
  static Progress::Clock::time_point now;
  now = {};
  char *text = nullptr;
  std::size_t size = 0;
  std::FILE *out = ::open_memstream(&text, &size);
  Progress progress("export", out, false, [] { return now; });
  progress.start(4096 * 4);
  progress.done(4096);
  std::fflush(out);
  CHECK(size == 0);
  now += std::chrono::seconds(20);
  progress.done(4096 + 1);
  progress.done(2 * 4096);
  progress.done(3 * 4096);
  progress.finish();
  std::fclose(out);
  CHECK(std::string(text) == "cupranalyze: export: 50 %, 8192 of 16384 records, about 20 s left\n");
  std::free(text);
}

} // namespace export_test
