#include "hostlib/trace/trace_path.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace cupr::trace;

namespace {

/// Sets a variable for as long as it lives.
class Variable {
public:
  Variable(const char *name, const char *value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *name_;
};

NamedProcess process(const char *rank = "", bool isOneOfMany = false) {
  return {"app", 42, rank, isOneOfMany};
}

std::string pathOf(const std::string &pattern, const NamedProcess &of = process()) {
  return tracePath(pattern, of).path;
}

} // namespace

TEST_CASE("a pattern takes process, rank, host and variables") {
  char host[256];
  REQUIRE(::gethostname(host, sizeof host) == 0);
  const Variable variable("CUPR_TEST_WORD", "blue");
  CHECK(pathOf("t.%p.x") == "t.42.x");
  CHECK(pathOf("%r/%p") == "0/42");
  CHECK(pathOf("%r/%p", process("3")) == "3/42");
  CHECK(pathOf("%h") == host);
  CHECK(pathOf("a%q{CUPR_TEST_WORD}b%q{CUPR_TEST_NONE}c") == "abluebc");
  CHECK(pathOf("100%%") == "100%");
  CHECK_FALSE(tracePath("t", process()).isOurName);
}

TEST_CASE("what is no sequence stays, and can be asked for") {
  for (const char *wrong : {"%x", "%", "%q", "%q{", "%q{}", "%q{A"}) {
    CHECK(pathOf(std::string("a") + wrong) == std::string("a") + wrong);
    CHECK(unknownSequence(std::string("%p%%") + wrong) == std::string(wrong).substr(0, 2));
  }
  CHECK(unknownSequence("%p.%h.%r.%q{A}.%%.cuprtrace").empty());
}

TEST_CASE("without a name, and in a folder, it is the program's") {
  const std::string folder = std::filesystem::temp_directory_path().string();
  CHECK(pathOf("") == "app.42.cuprtrace");
  CHECK(pathOf("new/") == "new/app.42.cuprtrace");
  CHECK(pathOf(folder) == folder + "/app.42.cuprtrace");
  CHECK(pathOf("", process("3", true)) == "app.rank3.42.cuprtrace");
  CHECK(tracePath("new/", process()).isOurName);
}

TEST_CASE("ranks have a file each, and a job of one is no job") {
  CHECK(pathOf("out.d/t.cuprtrace", process("3", true)) == "out.d/t.rank3.cuprtrace");
  CHECK(pathOf("t", process("3", true)) == "t.rank3");
  CHECK(pathOf("t.%r", process("3", true)) == "t.3");
  CHECK(pathOf("t.%p", process("3", true)) == "t.42");
  CHECK(pathOf("t.%h", process("3", true)).find(".rank3") != std::string::npos);
  CHECK(pathOf("t", process("0", false)) == "t");
}

TEST_CASE("the rank is what the job's starter says") {
  CHECK(NamedProcess::of("app", 1).rank.empty());
  CHECK_FALSE(NamedProcess::of("app", 1).isOneOfMany);
  {
    const Variable rank("PMI_RANK", "2");
    CHECK(NamedProcess::of("app", 1).rank == "2");
    CHECK(NamedProcess::of("app", 1).isOneOfMany); // how many there are is not known
    const Variable openMpi("OMPI_COMM_WORLD_RANK", "5"), size("OMPI_COMM_WORLD_SIZE", "8");
    CHECK(NamedProcess::of("app", 1).rank == "5");
  }
  const Variable rank("SLURM_PROCID", "0"), size("SLURM_NTASKS", "1");
  CHECK(NamedProcess::of("app", 1).rank == "0");
  CHECK_FALSE(NamedProcess::of("app", 1).isOneOfMany);
}
