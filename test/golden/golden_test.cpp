/// What cupranalyze says of frozen traces stays what it was, to the byte.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace {

std::string outputOf(const std::string &command) {
  std::FILE *pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  std::string out;
  char buffer[4096];
  std::size_t got;
  while ((got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0)
    out.append(buffer, got);
  CHECK(::pclose(pipe) == 0);
  return out;
}

std::string contentOf(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Long outputs are compared by their lines and hash.
std::string summaryOf(const std::string &text) {
  char summary[80];
  std::snprintf(summary, sizeof summary, "%td lines, XXH3-64 %016llx\n",
                std::count(text.begin(), text.end(), '\n'),
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return summary;
}

} // namespace

TEST_CASE("frozen traces read as they always did") {
  int traces = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(CUPR_GOLDEN)) {
    if (entry.path().extension() != ".cuprtrace")
      continue;
    ++traces;
    // The name of the file stands in verify's line: call it from its folder.
    const std::string program =
        "cd " + entry.path().parent_path().string() + " && " + std::string(CUPRANALYZE) + " ";
    for (const auto &[verb, suffix] :
         {std::pair{"info --json", ".info.json"}, std::pair{"info", ".info.txt"},
          std::pair{"comm --json", ".comm.json"}, std::pair{"comm", ".comm.txt"},
          std::pair{"dump --limit 40", ".dump.txt"}, std::pair{"dump --json", ".dump-hash.txt"},
          std::pair{"verify", ".verify.txt"}}) {
      std::string out = outputOf(program + verb + " " + entry.path().filename().string());
      if (std::string(suffix) == ".dump-hash.txt")
        out = summaryOf(out);
      std::filesystem::path expected = entry.path();
      expected.replace_extension(suffix);
      if (std::getenv("CUPR_UPDATE_GOLDEN"))
        std::ofstream(expected, std::ios::binary) << out;
      INFO(expected);
      CHECK(out == contentOf(expected));
    }
  }
  CHECK(traces >= 10);
}

TEST_CASE("the other verbs open frozen traces, too") {
  for (const auto &entry : std::filesystem::recursive_directory_iterator(CUPR_GOLDEN)) {
    if (entry.path().extension() != ".cuprtrace")
      continue;
    INFO(entry.path());
    const std::string program = std::string(CUPRANALYZE) + " ";
    const std::filesystem::path out =
        std::filesystem::temp_directory_path() / ("cupr_golden_" + std::to_string(::getpid()));
    outputOf(program + "repair " + entry.path().string() + " -o " + out.string());
    CHECK(contentOf(out) == contentOf(entry.path()));
    outputOf(program + "report " + entry.path().string() + " -o " + out.string());
    CHECK(contentOf(out).starts_with("<!DOCTYPE html>"));
    for (const char *format : {"json", "csv", "protobuf", "sqlite", "memtrace", "capnp"}) {
      outputOf(program + "export " + entry.path().string() + " --format=" + format + " -o " + out.string());
      CHECK(std::filesystem::file_size(out) > 50);
    }
    for (const char *format : {"sqlite", "perfetto", "speedscope"}) {
      outputOf(program + "results " + entry.path().string() + " --format=" + format + " -o " + out.string());
      CHECK(std::filesystem::file_size(out) > 100);
    }
    std::filesystem::remove(out);
  }
}
