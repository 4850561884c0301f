/// What cupranalyze says of frozen traces stays what it was.
///
/// Traces of one name in folders of several versions hold the same, so an expectation stands once, with the newest;
/// where an older trace says less, its own expectation stands beside it. JSON is compared to the byte but for where its
/// lines break: expectations have a line for each member, so that a change can be read.
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
#include <vector>

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

/// Whether what begins at `at` holds an object.
bool holdsObject(const std::string &json, std::size_t at) {
  bool isText = false;
  int depth = 0;
  for (std::size_t i = at; i < json.size(); ++i) {
    const char c = json[i];
    if (isText && c == '\\')
      ++i;
    else if (c == '"')
      isText = !isText;
    else if (!isText && (c == '}' || c == ']') && --depth == 0)
      return false;
    else if (!isText && c == '{' && i != at)
      return true;
    else if (!isText && (c == '{' || c == '['))
      ++depth;
  }
  return false;
}

/// JSON without white space in lines: what holds objects has one for each element, so that each row has its own.
std::string linesOf(const std::string &json) {
  std::string lines;
  std::size_t indent = 0, inLine = 0; // brackets that are open
  bool isText = false;
  const auto breakLine = [&] { lines += '\n' + std::string(2 * indent, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const bool opens = !isText && (c == '{' || c == '['), closes = !isText && (c == '}' || c == ']');
    if (closes && inLine == 0) {
      --indent;
      breakLine();
    }
    lines += c;
    if (isText && c == '\\')
      lines += json[++i];
    else if (c == '"')
      isText = !isText;
    else if (closes && inLine != 0)
      --inLine;
    else if (opens && (inLine != 0 || !holdsObject(json, i)))
      ++inLine;
    else if (opens) {
      ++indent;
      breakLine();
    } else if (!isText && c == ',' && inLine == 0)
      breakLine();
  }
  return lines;
}

/// Of the version's folder, or of the oldest newer one that has it.
std::filesystem::path expectationOf(const std::filesystem::path &trace, const std::string &suffix) {
  std::filesystem::path expected = trace;
  expected.replace_extension(suffix);
  const std::filesystem::path versions = trace.parent_path().parent_path();
  const std::string folder = trace.parent_path().filename().string();
  for (int version = folder[0] == 'v' ? std::atoi(folder.c_str() + 1) : 0;
       version != 0 && std::filesystem::exists(versions / ("v" + std::to_string(version))); ++version)
    if (const auto here = versions / ("v" + std::to_string(version)) / expected.filename();
        std::filesystem::exists(here))
      return here;
  return expected;
}

/// Updating goes from the newest version to the oldest.
std::vector<std::filesystem::path> frozenTraces() {
  std::vector<std::filesystem::path> traces;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(CUPR_GOLDEN))
    if (entry.path().extension() == ".cuprtrace")
      traces.push_back(entry.path());
  std::ranges::sort(traces, std::ranges::greater());
  return traces;
}

} // namespace

TEST_CASE("frozen traces read as they always did") {
  const std::vector<std::filesystem::path> traces = frozenTraces();
  for (const std::filesystem::path &trace : traces) {
    // The name of the file stands in verify's line: call it from its folder.
    const std::string program = "cd " + trace.parent_path().string() + " && " + std::string(CUPRANALYZE) + " ";
    for (const auto &[verb, suffix] :
         {std::pair{"info --json", ".info.json"}, std::pair{"info", ".info.txt"},
          std::pair{"comm --json", ".comm.json"}, std::pair{"comm", ".comm.txt"},
          std::pair{"dump --limit 40", ".dump.txt"}, std::pair{"dump --json", ".dump-hash.txt"},
          std::pair{"verify", ".verify.txt"}}) {
      std::string out = outputOf(program + verb + " " + trace.filename().string());
      if (std::string(suffix) == ".dump-hash.txt")
        out = summaryOf(out);
      else if (std::string(suffix) == ".comm.json")
        out = linesOf(out);
      std::filesystem::path expected = expectationOf(trace, suffix);
      if (std::getenv("CUPR_UPDATE_GOLDEN")) {
        std::filesystem::path own = trace;
        std::filesystem::remove(own.replace_extension(suffix));
        expected = expectationOf(trace, suffix);
        if (!std::filesystem::exists(expected) || out != contentOf(expected)) {
          expected = own;
          std::ofstream(own, std::ios::binary) << out;
        }
      }
      INFO(trace);
      INFO(expected);
      CHECK(out == contentOf(expected));
    }
  }
  CHECK(traces.size() >= 10);
}

TEST_CASE("the other verbs open frozen traces, too") {
  for (const std::filesystem::path &trace : frozenTraces()) {
    INFO(trace);
    const std::string program = std::string(CUPRANALYZE) + " ";
    const std::filesystem::path out =
        std::filesystem::temp_directory_path() / ("cupr_golden_" + std::to_string(::getpid()));
    outputOf(program + "repair " + trace.string() + " -o " + out.string());
    CHECK(contentOf(out) == contentOf(trace));
    outputOf(program + "report --advise " + trace.string() + " -o " + out.string());
    CHECK(contentOf(out).starts_with("<!DOCTYPE html>"));
    for (const char *format : {"json", "csv", "protobuf", "sqlite", "memtrace", "capnp"}) {
      outputOf(program + "export " + trace.string() + " --format=" + format + " -o " + out.string());
      CHECK(std::filesystem::file_size(out) > 50);
    }
    for (const char *format : {"sqlite", "perfetto", "speedscope"}) {
      outputOf(program + "results --advise " + trace.string() + " --format=" + format + " -o " + out.string());
      CHECK(std::filesystem::file_size(out) > 100);
    }
    std::filesystem::remove(out);
  }
}
