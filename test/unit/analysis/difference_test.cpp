/// What has changed from one trace to another.
#include "analysis/metrics/difference.h"
#include "analysis/render/difference.h"
#include "unit/trace/small_trace.h"

#include <catch2/catch.hpp>

namespace difference_test {

using namespace cupr;
using namespace cupr::analysis;

namespace {

/// A load at the line that says "load", and a store one below; the load's threads are `stride` bytes apart.
void writeTrace(const std::string &path, const std::string &folder, std::uint32_t line,
                const std::string &text, std::uint32_t stride) {
  test::SiteTableBlob table;
  const std::string file = folder + "/step.cu";
  table.site(abi::Operation::Load, 4, file, line);
  table.site(abi::Operation::Store, 4, file, line + 1);
  table.source(file, text);
  test::TraceBuilder trace(path);
  trace.table(table);
  test::Words words;
  words.strided(0, 0, 0, 0x10000, stride);
  words.strided(1, 0, 0, 0x20000, 4);
  trace.run("step(int*)", {1, 1, 1}, {32, 1, 1}, words);
  trace.writer->finish();
}

std::vector<Difference> differencesOf(const std::string &before, const std::string &after) {
  const Model first(before), second(after);
  return differences(first, volumesOf(first, communication(first)), second,
                     volumesOf(second, communication(second)));
}

} // namespace

TEST_CASE("a line that has moved is the same, and what it costs is compared") {
  test::TemporaryFile before, after;
  writeTrace(before.path(), "old", 2, "// a\n  load\n  store\n", 128);
  writeTrace(after.path(), "new", 4, "// a\n// b\n// c\n\tload\n\tstore\n", 4);
  const std::vector<Difference> found = differencesOf(before.path(), after.path());
  // Sectors of the program come first, then its waste.
  REQUIRE(found.size() == 4);
  CHECK(
      (found[0].what == "sectors" && found[0].before == 36 && found[0].after == 8 && found[0].file.empty()));
  CHECK((found[1].what == "excess sectors" && found[1].before == 28 && found[1].after == 0));
  std::vector<Difference> lines;
  for (const Difference &difference : found)
    if (!difference.file.empty())
      lines.push_back(difference);
  // The store is the same in both, though it has moved.
  REQUIRE(lines.size() == 2);
  CHECK((lines[0].what == "sectors" && lines[0].before == 32 && lines[0].after == 4));
  CHECK((lines[0].file == "new/step.cu" && lines[0].line == 4 && lines[0].lineBefore == 2));
  CHECK((lines[1].what == "excess sectors" && lines[1].before == 28 && lines[1].after == 0));

  CHECK(differencesText(lines, 1) == "                               before  after   change\n"
                                     "new/step.cu:4, was 2  sectors      32      4  -87.5 %\n"
                                     "and 1 more\n");
  CHECK_THAT(differencesJson(found), Catch::Contains(R"("differences": [
    {
      "figure": "sectors",
      "before": 36,
      "after": 8
    })") && Catch::Contains(R"(
    {
      "figure": "sectors",
      "file": "new/step.cu",
      "line": 4,
      "lineBefore": 2,
      "before": 32,
      "after": 4
    })"));
}

TEST_CASE("without its text a line is its number, and another text is another line") {
  test::TemporaryFile before, after;
  writeTrace(before.path(), "a", 2, "", 4);
  writeTrace(after.path(), "a", 3, "", 4);
  for (const auto &difference : differencesOf(before.path(), after.path()))
    CHECK((difference.line == 0 || difference.lineBefore == 0 || difference.line == 3));
  writeTrace(after.path(), "a", 2, "", 4);
  CHECK(differencesOf(before.path(), after.path()).empty());
  writeTrace(before.path(), "a", 1, "load\nstore\n", 4);
  writeTrace(after.path(), "a", 1, "load x\nstore\n", 4);
  const std::vector<Difference> renamed = differencesOf(before.path(), after.path());
  REQUIRE(renamed.size() == 6); // sectors, requests and bytes of each
  for (const Difference &difference : renamed)
    CHECK((difference.line == 0) != (difference.lineBefore == 0));
}

} // namespace difference_test
