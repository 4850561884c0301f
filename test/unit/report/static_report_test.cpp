#include "cuprewrite/report/static_report.h"

#include <catch2/catch.hpp>

using namespace cupr::report;

namespace {

AccessEntry loadAt(const std::string &file, unsigned line) {
  AccessEntry entry;
  entry.place = {file, line, 3};
  entry.function = "f<\"quoted\">";
  entry.clone = "f{0}";
  entry.inlinedAt = {{{"b.cu", 7, 1}, "g"}};
  entry.operation = "load";
  entry.bytes = 1ull << 40;
  entry.type = "float";
  entry.space = kGlobal;
  entry.why = "kernel parameter `in`";
  entry.sources = {{"kernel parameter `in`", kGlobal}};
  entry.traced = true;
  return entry;
}

StaticReport reportOf(std::vector<AccessEntry> accesses) {
  StaticReport report;
  report.modules = {"a.cu"};
  report.accesses = std::move(accesses);
  return report;
}

std::string errorOf(const std::string &json) {
  std::string error;
  fromJson(json, error);
  return error;
}

} // namespace

TEST_CASE("a static report survives JSON") {
  StaticReport report = reportOf({loadAt("a.cu", 1), loadAt("a.cu", 2)});
  for (const auto kind :
       {FunctionEntry::Kind::Kernel, FunctionEntry::Kind::Clone, FunctionEntry::Kind::KeptSignature})
    report.functions.push_back(
        {kind, {"a.cu", 9, 0}, "f(int)", "f{}", kind != FunctionEntry::Kind::Kernel, "h"});
  std::string error;
  const StaticReport read = fromJson(toJson(report), error);
  CHECK(error == "");
  CHECK(read.modules == report.modules);
  CHECK(read.accesses == report.accesses);
  CHECK(read.functions == report.functions);
}

TEST_CASE("what two modules share counts once, what one has twice counts twice") {
  StaticReport sum = reportOf({loadAt("h.cuh", 5), loadAt("h.cuh", 5), loadAt("z.cu", 1)});
  sum.add(reportOf({loadAt("a.cu", 2), loadAt("h.cuh", 5)}));
  CHECK(sum.modules.size() == 2);
  REQUIRE(sum.accesses.size() == 4);
  CHECK(sum.accesses[0].place.file == "a.cu");
  CHECK(sum.accesses[1] == sum.accesses[2]);
  CHECK(sum.accesses[3].place.file == "z.cu");
  AccessEntry other = loadAt("z.cu", 1);
  other.clone = "f{}"; // another clone is another access
  sum.add(reportOf({other}));
  CHECK(sum.accesses.size() == 5);
}

TEST_CASE("totals add up") {
  AccessEntry decided = loadAt("a.cu", 1), shared = loadAt("a.cu", 2), unknown = loadAt("a.cu", 3);
  decided.space = kDecided;
  shared.space = kNotGlobal;
  shared.traced = false;
  unknown.space = kUnknownSpace;
  unknown.operation = "";
  unknown.traced = false;
  const Totals totals = totalsOf(reportOf({loadAt("a.cu", 4), decided, shared, unknown}));
  CHECK(totals.accesses == 4);
  CHECK(totals.provenGlobal == 1);
  CHECK(totals.decided == 1);
  CHECK(totals.otherSpace == 1);
  CHECK(totals.notUnderstood == 1);
  CHECK(totals.notTraced == 2);
}

TEST_CASE("what is no static report is refused") {
  CHECK(errorOf("") != "");
  CHECK(errorOf("[]") != "");
  CHECK(errorOf(R"({"format": "cupr-static-report", "version": 2})") ==
        "not a static report of this version");
  CHECK(errorOf(R"({"format": "cupr-static-report", "version": 1, "modules": [], "functions": []})") ==
        "'accesses' is missing or of the wrong type");
  CHECK(errorOf(R"({"format": "cupr-static-report", "version": 1, "modules": [], "accesses": [{"file": 1}],
                    "functions": []})") == "'file' is missing or of the wrong type");
}
