/// `cupranalyze export` as users call it: its options, its files, their sizes, and the memory that it takes.
#include "command_run.h"
#include "unit/trace/small_trace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

namespace export_command_test {

using namespace cupr;
using test::cupranalyze;
using test::outputOf;
using test::Run;

TEST_CASE("export checks its options and writes files whole") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string out = file.path() + ".out";
  for (const char *wrong :
       {"", "--format=xml", "--format=sqlite", "--format=json --table=sites",
        "--format=json --memtrace-version=2", "--format=memtrace --memtrace-version=4",
        "--format=csv --table=nonsense", "--format=capnp --limit 1", "--format=json --kernel '('"}) {
    INFO(wrong);
    CHECK(cupranalyze("export " + file.path() + " " + wrong + " -o " +
                      (std::string(wrong) == "--format=sqlite" ? "'' " : out))
              .code == 1);
    CHECK_FALSE(std::filesystem::exists(out));
  }
  CHECK(cupranalyze("export --format=json").code == 1);
  CHECK(cupranalyze("export --format=json /nonexistent -o " + out).code == 2);
  CHECK(cupranalyze("export --format=capnp /nonexistent -o " + out).code == 2);
  CHECK(cupranalyze("import " + file.path() + " -o " + out).code == 2);
  CHECK_FALSE(std::filesystem::exists(out));
  for (const char *right : {"json", "csv", "protobuf", "sqlite", "arrow", "memtrace", "capnp"}) {
    const Run run = cupranalyze("export " + file.path() + " --format=" + right + " -o " + out);
    INFO(right << run.out);
    CHECK(run.code == 0);
    CHECK(std::filesystem::file_size(out) > 100);
    std::filesystem::remove(out);
    if (std::string(right) != "sqlite")
      CHECK(cupranalyze("export " + file.path() + " --format=" + right + " -o /dev/full").code == 1);
  }
}

namespace {

/// Each of so many thousand warps loads once.
void writeLargeTrace(const std::string &path, const std::string &kernel, unsigned thousands) {
  test::TraceBuilder trace(path);
  test::SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4, "a.cu", 1);
  trace.table(blob);
  const auto id = trace.launch(kernel, {1000 * thousands, 1, 1}, {32, 1, 1});
  for (std::uint64_t cta = 0; cta < 1000 * thousands; cta += 1000) {
    test::Words words;
    for (std::uint64_t i = cta; i < cta + 1000; ++i)
      words.strided(0, i, 0, 0x10000 + 128 * i, 4);
    trace.records(id, words);
  }
  trace.end(id);
  trace.writer->finish();
}

} // namespace

TEST_CASE("exports say their size, and large files are asked about") {
  test::TemporaryFile file;
  const std::string out = file.path() + ".out", to = " -o " + out + " < /dev/null";
  writeLargeTrace(file.path(), "kernel(" + std::string(400, 'x') + "*)", 100);
  const std::string csv = "export " + file.path() + " --format=csv";
  const Run refused = cupranalyze(csv + to);
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out,
             Catch::Contains("takes about 1.") && Catch::Contains(" GiB\n") && Catch::Contains("--yes"));
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(cupranalyze(csv + " > " + out + " < /dev/null").code == 1);
  // A pipe takes what comes, and so do a small part and whoever says that it is meant.
  CHECK(outputOf(std::string(CUPRANALYZE) + " " + csv + " < /dev/null | head -c 1").out.find("asked") ==
        std::string::npos);
  CHECK(cupranalyze(csv + " --limit 1000" + to).code == 0);
  std::filesystem::remove(out);
  CHECK(cupranalyze(csv + " --yes --limit 1000" + to).code == 0);
  std::filesystem::remove(out);
  // One block of a hundred thousand.
  CHECK(cupranalyze(csv + " --block 5" + to).code == 0);
  std::filesystem::remove(out);
  // On a terminal it is a question; no binary format goes there.
  const auto atTerminal = [](const std::string &command, const std::string &typed) {
    return outputOf("printf '" + typed + "' | script -qec '" + std::string(CUPRANALYZE) + " " + command +
                    "' /dev/null");
  };
  CHECK_THAT(atTerminal(csv + " -o " + out, "n\\n").out,
             Catch::Contains("go on? [y/N]") && Catch::Contains("nothing was exported"));
  CHECK_FALSE(std::filesystem::exists(out));
  for (const char *format : {"protobuf", "arrow", "memtrace", "capnp", "json --compress=zstd"}) {
    INFO(format);
    CHECK_THAT(atTerminal("export " + file.path() + " --format=" + format, "").out,
               Catch::Contains("this is no text for a terminal"));
  }
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST_CASE("exports need no more memory for more records") {
  test::TemporaryFile file;
  writeLargeTrace(file.path(), "kernel(int*)", 200);
  // 95 MB of text and 36 MB of messages in 60 MB of address space, most of which libraries take.
  for (const char *format : {"json", "protobuf", "arrow", "memtrace"}) {
    const Run run = outputOf("ulimit -v 60000; " + std::string(CUPRANALYZE) + " export " + file.path() +
                             " --format=" + format + " | wc -c");
    INFO(format << ": " << run.out);
    CHECK(run.code == 0);
    CHECK(std::stoull(run.out) > (std::string(format) == "memtrace" ? 1000000u : 30000000u));
  }
}
#endif

} // namespace export_command_test
