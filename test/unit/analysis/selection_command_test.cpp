/// The options of cupranalyze that choose kernels, launches, blocks and files, as users give them.
#include "command_run.h"
#include "unit/trace/small_trace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

namespace selection_command_test {

using namespace cupr;
using test::cupranalyze;
using test::lines;
using test::Run;

TEST_CASE("records are chosen by kernel, launch, block and file, and what is not there is said") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  for (const auto &[filter, records] : std::initializer_list<std::pair<const char *, std::size_t>>{
           {"", 16},
           {"--launch 2", 8},
           {"--block 1", 8},
           {"--cta 1,0,0 --launch 1", 4},
           {"--block 0,1", 0},
           {"--kernel 'k.*l'", 16},
           {"--kernel 'kernel.int'", 16},
           {"-k kernel", 16},
           {"-k 'kernel(int*)' --kernel-name-base demangled", 16},
           {"-k regex:^ker --launch-count 1", 8},
           {"-k regex:^ker --launch-skip 1", 8},
           {"-s 2 -c 1", 0}, // the library's, which is not traced
           {"--file a.cu --limit 3", 3}}) {
    INFO(filter);
    const std::string words = std::string(filter) + " " + file.path();
    const Run dumped = cupranalyze("dump " + words);
    CHECK(dumped.code == 0);
    CHECK(lines(dumped.out) == records);
    CHECK_THAT(cupranalyze("export --format=json " + words).out,
               Catch::Contains(",\"records\":" + std::to_string(records) + ",\"accesses\""));
  }
  for (const auto &[filter, said] : std::initializer_list<std::pair<const char *, const char *>>{
           {"-k kern", "no launch for kernel kern; its 3 launches are of: kernel(int*), library()"},
           {"--kernel other", "no launch for kernels that match other"},
           {"-s 3", "no launch for launches behind the first 3"},
           {"--file b.cu", "no access is in a file b.cu; there are: a.cu"},
           {"--file .cu", "no access is in a file .cu"},
           {"--block 1,", "give a number or x,y,z, not '1,'"},
           {"-k 'regex:('", "is not a regular expression"},
           {"-k kernel --kernel-name-base mangled", "is none of function|qualified|demangled"}}) {
    INFO(filter);
    const Run run = cupranalyze("dump " + std::string(filter) + " " + file.path());
    CHECK(run.code == 1);
    CHECK_THAT(run.out, Catch::Contains(said));
  }
  CHECK(lines(cupranalyze("dump --per-thread " + file.path()).out) == 384);
}

TEST_CASE("info and comm show the launches that are chosen") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  CHECK_THAT(cupranalyze("info --json -k kernel -c 1 " + file.path()).out,
             Catch::Contains(R"("records": 8)") && !Catch::Contains("library"));
  CHECK_THAT(cupranalyze("info -k library " + file.path()).out,
             Catch::Contains("1 launches (1 not traced, 0 incomplete), 0 warp records"));
  const auto pairs = [&](const std::string &words) {
    return lines(cupranalyze("comm --top 0 " + words + " " + file.path()).out);
  };
  const std::string both = cupranalyze("comm " + file.path()).out;
  REQUIRE_THAT(both, Catch::Contains("launch 1 (kernel)  launch 2 (kernel)"));
  CHECK_THAT(cupranalyze("comm --launch 2 " + file.path()).out,
             Catch::Contains("launch 1 (kernel)  launch 2 (kernel)") &&
                 Catch::Contains("those that have one of these launches: launch 2"));
  CHECK(pairs("-k library") < pairs("-k kernel"));
  CHECK(cupranalyze("comm -k kernel " + file.path() + " " + file.path()).code == 1);
  CHECK(cupranalyze("comm -k nothing " + file.path()).code == 1);
}

TEST_CASE("findings of selected launches are those of their accesses alone") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  CHECK_THAT(cupranalyze("findings --accesses " + file.path()).out,
             Catch::Contains("nothing found") && !Catch::Contains("never-read"));
  CHECK(cupranalyze("findings --kernel '^kernel' " + file.path()).code == 0);
  const Run none = cupranalyze("findings --kernel other " + file.path());
  CHECK(none.code == 1);
  CHECK_THAT(none.out,
             Catch::Contains(
                 "there is no launch for kernels that match other; its 3 launches are of: kernel(int*)"));
}

TEST_CASE(
    "results, report, diff and comm --json show what is chosen, of memory that is followed as a whole") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string whole = cupranalyze("comm --json " + file.path()).out;
  CHECK_THAT(whole, Catch::Contains(R"("shown":{"what":null,"launches":3,"of":3})"));
  const std::string second = cupranalyze("comm --json --launch 2 " + file.path()).out;
  CHECK_THAT(second, Catch::Contains(R"("shown":{"what":"launch 2","launches":1,"of":3})") &&
                         Catch::Contains(R"("launches":[{"id":2,)") && !Catch::Contains("library"));
  const auto member = [](const std::string &json, const std::string &name) {
    const std::size_t at = json.find('"' + name + '"');
    REQUIRE(at != json.npos);
    return json.substr(at, json.find('}', at) - at);
  };
  // What the program did in all is said whatever is chosen, and what the launch read is known although its writer is not chosen.
  CHECK(member(second, "volume") == member(whole, "volume"));
  CHECK(member(second, "communicated") == member(whole, "communicated"));
  CHECK_THAT(second, Catch::Contains(R"("pairs":[{"source":1,"destination":2,)"));
  const std::string block = cupranalyze("comm --json --launch 2 --block 1 " + file.path()).out;
  CHECK_THAT(block, Catch::Contains(R"("what":"launch 2, block 1")"));
  CHECK(block.size() < second.size());
  const auto table = [&](const std::string &words, const std::string &name) {
    const test::TemporaryFile folder;
    REQUIRE(cupranalyze("results --format=csv -o " + folder.path() + " " + words + " " + file.path()).code ==
            0);
    const std::string text = test::outputOf("cat " + folder.path() + "/" + name + ".csv").out;
    std::filesystem::remove_all(folder.path());
    return text.substr(text.find('\n') + 1); // without the heading
  };
  CHECK(lines(table("", "cta_volumes")) == 4);
  CHECK(lines(table("--launch 2", "cta_volumes")) == 2);
  CHECK_THAT(table("--launch 2 --block 1,0,0", "cta_volumes"), Catch::StartsWith("2,1,1,0,0,"));
  CHECK_THAT(table("--launch 2 --history all", "address_history"),
             Catch::Contains(",2,") && !Catch::Contains(",1,1,"));
  CHECK_THAT(table("--launch 2", "programs"), Catch::EndsWith(",launch 2,1,3\n"));
  CHECK_THAT(table("", "programs"), Catch::EndsWith(",,3,3\n"));
  CHECK(lines(table("-k kernel", "kernel_volumes")) == 2);
  CHECK(lines(table("", "accesses")) == 2); // one is in no file
  CHECK_THAT(table("--file a.cu", "accesses"), Catch::Contains("a.cu") && !Catch::Contains("\n\n"));
  CHECK(lines(table("--file a.cu", "accesses")) == 1);
  CHECK_THAT(cupranalyze("diff --launch 2 " + file.path() + " " + file.path()).out,
             Catch::Contains("Of launch 2; memory was followed for all launches.\nthe figures are the same"));
  CHECK_THAT(cupranalyze("diff --accesses --launch 2 --block 1 " + file.path() + " " + file.path()).out,
             Catch::Contains("the same 96 accesses of threads in 1 launches"));
}

TEST_CASE("a page with an earlier trace shows the same part of both") {
  test::TemporaryFile file, page;
  test::writeSmallTrace(file.path());
  const std::string words = "report -o " + page.path() + " --before " + file.path();
  REQUIRE(cupranalyze(words + " --launch 2 " + file.path()).code == 0);
  const std::string html = page.read();
  const std::string shown = R"("shown":{"what":"launch 2","launches":1,"of":3})";
  for (const char *element : {R"(id="results">)", R"(id="earlier">)"}) {
    const std::size_t at = html.find(element), end = html.find("</script>", at);
    REQUIRE(end != html.npos);
    CHECK_THAT(html.substr(at, end - at), Catch::Contains(shown));
  }
  CHECK_THAT(cupranalyze("report -o " + page.path() +
                         " --before " CUPR_GOLDEN "/v4/stencil.cuprtrace -k kernel " + file.path())
                 .out,
             Catch::Contains("stencil.cuprtrace: there is no launch for kernel kernel"));
}

TEST_CASE("a filter that a verb can't take, or that chooses nothing, is refused with the reason") {
  test::TemporaryFile file, output;
  test::writeSmallTrace(file.path());
  for (const auto &[verb, said] : std::initializer_list<std::pair<const char *, const char *>>{
           {"advise -k kernel", "--kernel-name: what would cross is known of the whole program only"},
           {"verify --launch 1", "--launch: a trace is checked as a whole"},
           {"sql --launch 1", "--launch: choose rows in the query"},
           {"caches --block 1", "--block: blocks and files share the caches"},
           {"profile --file a.cu", "--file: the tree has all that a launch did"},
           {"comm --file a.cu", "--file requires --json"},
           {"report -o {} --cta 1", "--block: the page has sums over blocks"},
           {"results --format=speedscope -o {} -k kernel",
            "--kernel-name: speedscope has the bytes of all launches"},
           {"results --format=sqlite -o {} --block 2",
            "no launch that is shown has a block 2; the largest grid has 2 blocks"},
           {"results --format=sqlite -o {} --file b.cu", "no access is in a file b.cu; there are: a.cu"},
           {"report -o {} -k nothing",
            "there is no launch for kernel nothing; its 3 launches are of: kernel(int*)"},
           {"diff -k nothing {0}", "there is no launch for kernel nothing"}}) {
    INFO(verb);
    std::string words = verb;
    for (const auto &[mark, path] : {std::pair("{}", output.path()), std::pair("{0}", file.path())})
      if (const std::size_t at = words.find(mark); at != words.npos)
        words.replace(at, std::string(mark).size(), path);
    const Run run = cupranalyze(words + " " + file.path());
    CHECK(run.code == 1);
    CHECK_THAT(run.out, Catch::Contains(said));
  }
  CHECK_THAT(cupranalyze("verify --help").out, !Catch::Contains("--launch"));
}

} // namespace selection_command_test
