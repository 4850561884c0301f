/// The options of cupranalyze that choose kernels, launches, blocks and files, as users give them.
#include "command_run.h"
#include "unit/trace/small_trace.h"

#include <catch2/catch.hpp>
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
  CHECK(cupranalyze("comm --json -k kernel " + file.path()).code == 1);
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

} // namespace selection_command_test
