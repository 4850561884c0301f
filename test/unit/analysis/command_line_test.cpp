/// cupranalyze as users call it: exit codes, and output that other programs read.
#include "command_run.h"
#include "unit/trace/host_trace.h"
#include "unit/trace/small_trace.h"
#include "unit/trace/timed_trace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

namespace command_line_test {

using namespace cupr;
using test::cupranalyze;
using test::lines;
using test::outputOf;
using test::Run;

TEST_CASE("exit codes tell good, usage and bad trace apart") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  for (const char *verb : {"info", "info --json", "dump", "dump --json", "dump --per-thread", "verify",
                           "verify --json", "comm", "comm --json", "comm --json --no-transfers",
                           "comm --json --advise", "advise", "advise --json --gpus 2,3"})
    CHECK(cupranalyze(std::string(verb) + " " + file.path()).code == 0);
  for (const char *help :
       {"--help", "info --help", "dump --help", "verify --help", "comm --help", "report --help",
        "repair --help", "export --help", "import --help", "findings --help", "banks --help", "diff --help",
        "advise --help", "results --help", "latency --help", "profile --help"})
    CHECK(cupranalyze(help).code == 0);
  for (const char *wrong : {"",
                            "nonsense",
                            "info",
                            "info --nonsense x",
                            "dump --cta 1,x x",
                            "dump --kernel '(' x",
                            "advise",
                            "advise --gpus 1 x",
                            "advise --gpus 2,x x",
                            "advise --link 0 x",
                            "comm --advise x",
                            "comm --json --gpus 2 x",
                            "diff --block 1 x x",
                            "caches --device=Abacus x",
                            "latency",
                            "latency --window 1:2 x",
                            "latency --otf2 y --json x",
                            "latency --perfetto y --window 2:1 x",
                            "latency --perfetto y --window 2 x",
                            "latency --warp 3 x",
                            "latency --warp 0:32 x",
                            "latency --warp 0,x:1 x",
                            "latency --json --csv y x",
                            "latency --warp 0:1 --perfetto y x",
                            "latency --schema=xml",
                            "profile",
                            "profile --flat --top-down x",
                            "profile --metric=nonsense x",
                            "profile --least=101 x",
                            "profile --json --speedscope y x",
                            "profile --schema=xml",
                            "dump --host --per-thread x",
                            "comm --no-transfers x",
                            "results x",
                            "results x --format=csv",
                            "results x --format=perfetto -o y --history a0",
                            "results x --format=csv -o y --communicated",
                            "results x --format=speedscope -o y --thread-strides"})
    CHECK(cupranalyze(wrong).code == 1);
  for (const char *verb :
       {"info", "dump", "verify", "comm", "findings", "banks", "caches", "latency", "profile", "advise"})
    CHECK(cupranalyze(std::string(verb) + " /nonexistent").code == 2);
  CHECK(cupranalyze("diff --accesses " + file.path() + " /nonexistent").code == 2);
  CHECK(cupranalyze("comm --memory=nonsense " + file.path()).code == 1);
  for (const char *addresses : {"nonsense", "a999", "a0+0xffffffffff", "a0+0:0", "a0:4"}) {
    const Run run = cupranalyze("results --format=sqlite -o " + file.path() + ".db --history " + addresses +
                                " " + file.path());
    CHECK(run.code == 1);
    CHECK_FALSE(run.out.empty());
    CHECK_FALSE(std::filesystem::exists(file.path() + ".db"));
  }
  // The trace may stand right behind its options.
  const std::string database = file.path() + ".db";
  for (const char *option : {"--history=all ", "--history a0 ", "--history a0 --history=a0+4 --communicated ",
                             "--thread-strides ", "--gpus 2,3 ", "--gpus=2 "}) {
    CHECK(cupranalyze("results --format=sqlite -o " + database + " " + option + file.path()).code == 0);
    CHECK(std::filesystem::remove(database));
  }
  CHECK(cupranalyze("comm --threads=0 " + file.path()).code == 1);
  file.write(file.read().substr(0, 2000));
  CHECK(cupranalyze("verify " + file.path()).code == 2);
  const Run cut = cupranalyze("info " + file.path());
  CHECK(cut.code == 0);
  CHECK_THAT(cut.out, Catch::Contains("results cover what is there"));
}

TEST_CASE("profile shows one tree of host and device") {
  test::TemporaryFile file, out;
  test::writeHostTrace(file.path());
  const Run tree = cupranalyze("profile " + file.path());
  CHECK(tree.code == 0);
  // 234 us in calls; 10 ms of samples; on the device 100 of 314 us.
  CHECK_THAT(tree.out, Catch::Contains("/usr/bin/app, 10.0 ms of execution"));
  CHECK_THAT(tree.out, Catch::Contains("234.0 us in 10 calls by 2 threads"));
  CHECK_THAT(tree.out, Catch::Contains("31.8 %") && Catch::Contains("15.6 %"));
  CHECK_THAT(tree.out, Catch::Contains("       cudaLaunchKernel app.cpp:24\n"));
  CHECK_THAT(tree.out, Catch::Contains("         kernel(int*)\n")); // though it takes no time of the host
  CHECK_THAT(tree.out, Catch::Contains("copyIn(void*)") && Catch::Contains("load a.cu:10"));
  CHECK_THAT(tree.out, Catch::Contains("perf_event_open; 1 lost"));
  const Run flat = cupranalyze("profile --flat " + file.path());
  CHECK_THAT(flat.out, Catch::Contains("smooth(double*)  (CPU importance 59.9 %)"));
  const Run few = cupranalyze("profile --flat --top 3 " + file.path());
  CHECK_THAT(few.out, Catch::Contains("more: --top "));
  const Run shallow = cupranalyze("profile --depth 1 " + file.path());
  CHECK_THAT(shallow.out,
             Catch::Contains("main") && !Catch::Contains("step(int)") && Catch::Contains("... 3 more"));
  const Run sorted = cupranalyze("profile --bottom-up --metric=copied " + file.path());
  CHECK_THAT(sorted.out,
             Catch::Contains("528 B") && Catch::Contains("97.0 %") && !Catch::Contains("cudaFree"));
  CHECK_THAT(cupranalyze("profile --host-only " + file.path()).out, !Catch::Contains("load a.cu"));
  const Run json = cupranalyze("profile --json " + file.path());
  CHECK_THAT(json.out, Catch::StartsWith("{\"version\":1,\"view\":\"top-down\",\"executionTime\":10000000,"));
  CHECK(cupranalyze("profile --speedscope " + out.path() + " " + file.path()).code == 0);
  CHECK_THAT(out.read(), Catch::Contains("\"cudaLaunchKernel app.cpp:24\"") &&
                             Catch::Contains("\"unit\":\"nanoseconds\""));
  test::writeSmallTrace(file.path());
  CHECK_THAT(cupranalyze("profile " + file.path()).out, Catch::Contains("says nothing of the host's calls"));
}

TEST_CASE("info shows who called for an allocation, where that is known") {
  test::TemporaryFile file;
  test::writeHostTrace(file.path());
  CHECK_THAT(cupranalyze("info " + file.path()).out,
             Catch::Matches("(.|\n)* place +called by\n +0 [^\n]*cudaMalloc +main\n(.|\n)*"));
  test::writeSmallTrace(file.path());
  CHECK_THAT(cupranalyze("info " + file.path()).out, !Catch::Contains("called by"));
}

TEST_CASE("dump shows the calls of the host and samples") {
  test::TemporaryFile file;
  test::writeHostTrace(file.path());
  const Run text = cupranalyze("dump --host " + file.path());
  CHECK(lines(text.out) == 20);
  CHECK_THAT(text.out,
             Catch::StartsWith(
                 "call 0 cudaMalloc thread 100 app from 1000000 to 1040000 ns in main (app.cpp:10)\n"));
  CHECK_THAT(text.out,
             Catch::Contains("sample 0 thread 100 app at 1000000 ns of 1000000 ns in main > step(int) > "
                             "smooth(double*) (app.cpp:41)\n"));
  const Run json = cupranalyze("dump --host --json --limit 1 " + file.path());
  CHECK(json.out ==
        "{\"row\":\"host_call\",\"id\":0,\"function\":\"cudaMalloc\",\"thread\":100,\"threadName\":\"app\","
        "\"began\":1000000,\"ended\":1040000,\"orders\":[1],\"path\":\"main\",\"file\":\"app.cpp\",\"line\":"
        "10,\"frame\":0}\n");
}

TEST_CASE("latency says how long accesses took, and how to record it") {
  test::TemporaryFile file, timed, out;
  test::writeSmallTrace(file.path());
  const Run untimed = cupranalyze("latency " + file.path());
  CHECK(untimed.code == 1);
  CHECK_THAT(untimed.out, Catch::Contains("cupr++ --latency") && Catch::Contains("CUPR_LATENCY=on"));
  test::writeTimedTrace(timed.path());
  const Run all = cupranalyze("latency --warps " + timed.path());
  CHECK(all.code == 0);
  CHECK_THAT(all.out, Catch::Contains("t.cu:3:7 load") && Catch::Contains("t.cu:4:7 store"));
  CHECK_THAT(all.out, Catch::Contains("measured by the scheme dependency") && Catch::Contains("Modelled:"));
  // 612 + 33 + 33 + 42, and the clock of lane 0 first.
  CHECK_THAT(cupranalyze("latency --file t.cu " + timed.path()).out, Catch::Contains("180.0 +- "));
  const Run series = cupranalyze("latency --warp 0:1 " + timed.path());
  CHECK(lines(series.out) == 3);
  CHECK_THAT(series.out, Catch::Contains("5000000000100") && Catch::Contains("4,294,967,295"));
  CHECK(cupranalyze("latency --warp 0:9 " + timed.path()).code == 1);
  CHECK(cupranalyze("latency --launch 2 " + timed.path()).code == 1);
  const Run csv = cupranalyze("latency --csv - " + timed.path());
  CHECK(csv.code == 0);
  CHECK(lines(csv.out) == 1 + 6);
  CHECK(cupranalyze("latency --perfetto " + out.path() + " --window 0:1000 " + timed.path()).code == 0);
  CHECK_THAT(out.read(), Catch::Contains("\"dur\":0.612") && !Catch::Contains("t.cu:4 store"));
  const Run json = cupranalyze("latency --json " + timed.path());
  CHECK_THAT(json.out, Catch::StartsWith("{\"version\":1,\"modelled\":true,\"launches\":1,") &&
                           Catch::Contains("\"latencyWarps\":[]"));
  CHECK_THAT(cupranalyze("latency --json --warps " + timed.path()).out,
             Catch::Contains("\"latencyWarps\":[{"));
  CHECK_THAT(cupranalyze("latency --schema=json").out, Catch::Contains("\"latencyHistogram\""));
}

TEST_CASE("comm of several traces shows each and all, or nothing") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const Run twice = cupranalyze("comm " + file.path() + " " + file.path());
  CHECK(twice.code == 0);
  CHECK_THAT(twice.out, Catch::Contains("\n" + file.path() + "         3       384"));
  CHECK_THAT(twice.out, Catch::Contains("         6       768"));
  const Run wrong = cupranalyze("comm --json " + file.path() + " /nonexistent");
  CHECK(wrong.code == 2);
  CHECK(wrong.out == "cupranalyze: can't open the trace file '/nonexistent': No such file or directory\n");
}

TEST_CASE("findings name the line and the cost, and diff what has changed") {
  test::TemporaryFile file, other;
  test::writeSmallTrace(file.path());
  const Run found = cupranalyze("findings " + file.path());
  CHECK(found.code == 0);
  CHECK_THAT(found.out,
             Catch::Contains("unseen-launches") && Catch::Contains("1 launches, 33.3 % of the program's"));
  const Run same = cupranalyze("diff " + file.path() + " " + file.path());
  CHECK(same.code == 0);
  CHECK(same.out == "the figures are the same\n");
  const Run sameAccesses = cupranalyze("diff --accesses " + file.path() + " " + file.path());
  CHECK(sameAccesses.code == 0);
  CHECK(sameAccesses.out == "the same 384 accesses of threads in 2 launches\n");
  {
    test::TraceBuilder trace(other.path());
    trace.table(test::smallTable());
    test::Words words;
    words.strided(0, 0, 0, 0x10000, 128); // a sector for each thread
    trace.run("kernel(int*)", {2, 1, 1}, {64, 1, 1}, words);
    trace.writer->finish();
  }
  const Run changed = cupranalyze("diff " + file.path() + " " + other.path());
  CHECK(changed.code == 0);
  CHECK_THAT(changed.out, Catch::Contains("a.cu:10 ") && Catch::Contains(" 28       new\n"));
  const Run accesses = cupranalyze("diff --accesses " + file.path() + " " + other.path());
  CHECK(accesses.code == 3);
  CHECK_THAT(accesses.out, Catch::StartsWith("2 of 2 launches differ\n"));
  const Run json = cupranalyze("diff --accesses --json " + file.path() + " " + other.path());
  CHECK(json.code == 3);
  CHECK_THAT(json.out, Catch::Contains("\"same\": false") && Catch::Contains("\"different\": 2"));
  CHECK_THAT(
      cupranalyze("findings " + other.path()).out,
      Catch::Contains(
          "structure-stride: Neighbouring threads are 128 bytes apart, and use 4 bytes of it: 32.0 sectors "
          "per request, where 4.0 would hold the data"));
}

TEST_CASE("findings decide the exit code, as far as they are asked to and are not known") {
  test::TemporaryFile file, known;
  {
    test::TraceBuilder trace(file.path());
    trace.table(test::smallTable());
    test::Words words;
    words.strided(0, 0, 0, 0x10000, 128); // a sector for each thread
    trace.run("kernel(int*)", {2, 1, 1}, {64, 1, 1}, words);
    trace.writer->finish();
  }
  const auto codeOf = [&](const std::string &options) {
    return cupranalyze("findings " + options + " " + file.path()).code;
  };
  CHECK(codeOf("") == 0);
  CHECK(codeOf("--fail-on any") == 4);
  CHECK(codeOf("--fail-on correctness") == 0);
  CHECK(codeOf("--fail-on correctness --fail-on cost=80") == 4);
  CHECK(codeOf("--fail-on cost=90") == 0);
  CHECK(codeOf("--fail-on structure-stride=87.5") == 4);
  CHECK(codeOf("--fail-on nonsense") == 1);
  CHECK(codeOf("--fail-on cost=much") == 1);
  const Run json = cupranalyze("findings --json " + file.path());
  CHECK_THAT(json.out, Catch::StartsWith(
                           "{\"version\":1,\"modelled\":true,\"findings\":[{\"id\":\"structure-stride\",") &&
                           Catch::Contains("\"severity\":\"cost\""));
  known.write(json.out);
  CHECK(codeOf("--fail-on any --baseline " + known.path()) == 0);
  CHECK_THAT(cupranalyze("findings --baseline " + known.path() + " " + file.path()).out,
             Catch::StartsWith("nothing found; looked for: swapped-axes, ") &&
                 Catch::Contains("1 known from "));
  std::string less = json.out; // what has grown is not known
  less.replace(less.find("\"amount\":28"), 11, "\"amount\":26");
  known.write(less);
  CHECK(codeOf("--fail-on any --baseline " + known.path()) == 4);
  known.write("{}");
  CHECK(codeOf("--baseline " + known.path()) == 1);
}

TEST_CASE("words that are none are answered with those that may have been meant") {
  CHECK(cupranalyze("--version").out == "cupranalyze 0.1.0\n");
  CHECK(cupranalyze("help findings").out == cupranalyze("findings --help").out);
  CHECK(cupranalyze("help").out == cupranalyze("--help").out);
  const Run verb = cupranalyze("findigns x");
  CHECK(verb.code == 1);
  CHECK(verb.out == "cupranalyze: 'findigns' is no verb; did you mean findings?\n");
  CHECK(cupranalyze("zzzzzzz x").out == "cupranalyze: 'zzzzzzz' is no verb; --help lists them\n");
  const Run option = cupranalyze("comm --theads 2 x");
  CHECK(option.code == 1);
  CHECK_THAT(option.out, Catch::Contains("did you mean --threads?"));
  CHECK_THAT(cupranalyze("--manual").out,
             Catch::StartsWith(".TH cupranalyze 1\n") && Catch::Contains(".SS findings\n"));
  CHECK_THAT(cupranalyze("--completion bash").out,
             Catch::Contains("complete -o filenames -F _cupranalyze cupranalyze"));
}

TEST_CASE("a terminal has tables that fit and colours, and a pipe has neither") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  // script(1) is a terminal, of no known width.
  const auto onTerminal = [&](const std::string &environment, const std::string &arguments) {
    return outputOf(environment + " script -qec '" + CUPRANALYZE + " " + arguments + " " + file.path() +
                    "' /dev/null")
        .out;
  };
  const auto widest = [](const std::string &text) {
    std::size_t most = 0;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      most = std::max(most, line.size());
    return most;
  };
  const std::string piped = cupranalyze("info " + file.path()).out;
  const std::size_t whole = widest(piped.substr(piped.find("launch ")));
  const auto tableOf = [&](const std::string &environment, const std::string &words) {
    const std::string text = onTerminal(environment, "info " + words);
    return widest(text.substr(text.find("launch ")));
  };
  const std::string narrow = "COLUMNS=" + std::to_string(whole - 12);
  CHECK(tableOf(narrow, "") <= whole - 11); // and a carriage return
  CHECK(tableOf(narrow, "--full-names") >= whole);
  CHECK_THAT(onTerminal("TERM=xterm", "findings"), Catch::Contains("\x1b["));
  CHECK_THAT(onTerminal("NO_COLOR=1 TERM=xterm", "findings"), !Catch::Contains("\x1b["));
  CHECK_THAT(onTerminal("TERM=dumb", "findings"), !Catch::Contains("\x1b["));
  CHECK_THAT(onTerminal("NO_COLOR=1 TERM=xterm", "findings --color always"), Catch::Contains("\x1b["));
  CHECK_THAT(cupranalyze("findings " + file.path()).out, !Catch::Contains("\x1b["));
}

TEST_CASE("repair makes a file that all verbs open, and verify names what it lacks") {
  test::TemporaryFile file, repaired;
  test::writeSmallTrace(file.path());
  const std::string whole = file.read();
  file.write(whole.substr(0, whole.size() / 2) + whole.substr(whole.size() / 2 + 40));
  for (const char *verb : {"info", "dump", "comm"})
    CHECK(cupranalyze(std::string(verb) + " " + file.path()).code == 2);
  const Run repair = cupranalyze("repair " + file.path() + " -o " + repaired.path());
  CHECK(repair.code == 0);
  CHECK_THAT(repair.out, Catch::Contains("missing: message"));
  for (const char *verb : {"info", "dump", "comm"}) {
    const Run run = cupranalyze(std::string(verb) + " " + repaired.path());
    CHECK(run.code == 0);
    CHECK_THAT(run.out, Catch::Contains("a repaired trace, without message"));
  }
  const Run verify = cupranalyze("verify " + repaired.path());
  CHECK(verify.code == 2);
  CHECK_THAT(verify.out, Catch::Contains("the trace was repaired; missing: message"));
  const Run json = cupranalyze("verify --json " + repaired.path());
  CHECK(json.code == 2);
  CHECK_THAT(json.out, Catch::Contains("\"whole\": false") &&
                           Catch::Contains("the trace was repaired; missing: message"));
}

TEST_CASE("a repair that fails leaves what was there") {
  test::TemporaryFile file, kept;
  file.write("no trace at all");
  kept.write("precious");
  CHECK(cupranalyze("repair " + file.path() + " -o " + kept.path()).code == 2);
  CHECK(kept.read() == "precious");
  CHECK(cupranalyze("repair " + file.path() + " -o /nonexistent/x").code == 1);
  CHECK(std::distance(std::filesystem::directory_iterator(std::filesystem::path(kept.path()).parent_path()),
                      std::filesystem::directory_iterator{}) == 1);
}

TEST_CASE("all verbs open what import makes") {
  test::TemporaryFile trace;
  const std::string sample = CUPR_GOLDEN "/memtrace/sample-v3.trc";
  CHECK(cupranalyze("import " + sample + " -o " + trace.path()).out ==
        trace.path() + ": 1 kernels with 32 accesses, from a memory trace of version 3\n");
  for (const char *verb :
       {"info", "dump", "verify", "comm", "report -o /dev/null", "export --format=json -o /dev/null"})
    CHECK(cupranalyze(std::string(verb) + " " + trace.path()).code == 0);
  const Run piped = outputOf("cat " + sample + " | " + CUPRANALYZE + " import /dev/stdin -o " + trace.path());
  CHECK(piped.code == 2);
  CHECK_THAT(piped.out, Catch::Contains("copy it to a file first"));
}

TEST_CASE("advice for several GPUs is given where it is asked for") {
  test::TemporaryFile file, page;
  test::writeSmallTrace(file.path());
  const auto advises = [&](const std::string &words) {
    CHECK(cupranalyze("results --format=csv " + words + " -o " + page.path() + ".d " + file.path()).code ==
          0);
    const bool given = lines(outputOf("cat " + page.path() + ".d/advisor_cuts.csv").out) > 1;
    std::filesystem::remove_all(page.path() + ".d");
    return given;
  };
  CHECK_FALSE(advises(""));
  CHECK(advises("--advise"));
  CHECK(advises("--gpus=2"));
}

TEST_CASE("a line of a dump names place, operation, CTA, warp and addresses") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  CHECK(cupranalyze("dump --limit 1 " + file.path()).out ==
        "launch 1 kernel a.cu:10:7 kernel(int*) load 4 B cta (0,0,0) warp 0 lanes 0-31 a0+0x0 stride 4\n");
  CHECK_THAT(cupranalyze("dump --per-thread --cta 1 --launch 2 " + file.path()).out,
             Catch::Contains("2 kernel store 8 1,0,0 33 0 776\n"));
  CHECK_THAT(
      cupranalyze("dump --json --limit 2 " + file.path()).out,
      Catch::Contains(
          R"x("inlinedAt":[{"file":"a.cu","line":20,"column":3,"function":"kernel(int*)","kind":"inlined"}])x"));
}

TEST_CASE("banks shows conflicts, and who meets whom") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    test::SiteTableBlob blob;
    const std::uint32_t store = blob.site(abi::Operation::Store, 4, "tile.cu", 5);
    blob.column(7);
    blob.space(abi::SpaceVerdict::Shared);
    blob.site(abi::Operation::Load, 4, "other.cu", 6);
    trace.table(blob);
    // A block 16 threads wide, and rows of 32 words.
    abi::WarpAccess access{};
    access.site = store;
    access.laneMask = ~0u;
    for (unsigned lane = 0; lane < 32; ++lane)
      access.address[lane] = 0x400 + 128 * (lane / 16) + 4 * (lane % 16);
    test::Words words;
    words.add(access);
    trace.run("k(float*)", {1, 1, 1}, {16, 2, 1}, words);
    trace.writer->finish();
  }
  CHECK(cupranalyze("banks " + file.path()).out ==
        "kernel, its accesses  bytes  requests  wavefronts  ideal  excess  worst\n"
        "k(float*)                           1           2      1  50.0 %  2-way\n"
        "  tile.cu:5:7 store       4         1           2      1  50.0 %  2-way\n");
  const std::string table = cupranalyze("banks --table " + file.path()).out;
  CHECK(table.starts_with("launch 1, block 0,0,0, warp 0: store of 4 bytes at tile.cu:5:7\n"
                          "2 wavefronts for 1 request, where 1 would do\n"
                          "bank  conflict  threads\n"
                          "   0  2-way     0 | 16\n"
                          "   1  2-way     1 | 17\n"
                          "   2  2-way     2 | 18\n"
                          "   3  2-way     3 | 19\n"));
  CHECK(lines(table) == 3 + 16);
  const Run json =
      cupranalyze("banks --table --json --warp 0 --line 5 --block 0 --file tile.cu " + file.path());
  CHECK(json.code == 0);
  CHECK(json.out.find("{\"bank\":3,\"turns\":2,\"words\":[{\"word\":259,\"threads\":[3]},{\"word\":291,"
                      "\"threads\":[19]}]}") != std::string::npos);
  CHECK(cupranalyze("banks --table --line 6 " + file.path()).out ==
        "no access of shared memory is selected\n");
  CHECK(cupranalyze("banks --file other.cu " + file.path()).out ==
        "no access of shared memory is selected\n");
  CHECK(cupranalyze("banks --bank-width 8 --json " + file.path()).out.find("\"bankWidth\":8") !=
        std::string::npos);
  CHECK(cupranalyze("banks --bank-width 5 " + file.path()).code == 1);
  CHECK(cupranalyze("banks --warp 1 " + file.path()).code == 1);
  test::writeSmallTrace(file.path());
  const Run none = cupranalyze("banks " + file.path());
  CHECK(none.code == 0);
  CHECK(none.out.find("cupr++ --spaces=global,shared") != std::string::npos);
}

} // namespace command_line_test
