#include "cuprewrite/rewriter/copy.h"
#include "cuprewrite/rewriter/edit.h"

#include <catch2/catch.hpp>

using namespace cupr::rewrite;

static const FileId kFile{0};
static const Place kHere{kFile, 1, 1}, kThere{kFile, 2, 1};

static std::string text(const std::vector<Edit> &edits) {
  std::string out;
  for (const Edit &edit : edits)
    out += std::to_string(edit.offset) + edit.text;
  return out;
}

TEST_CASE("The same wish twice is one edit") {
  EditPlan plan;
  plan.want({kFile, 5}, "a", kHere);
  plan.want({kFile, 5}, "a", kThere);
  CHECK(plan.conflicts().empty());
  CHECK(text(plan.edits(kFile)) == "5a");
}

TEST_CASE("Different wishes for one spot are one conflict that names both places") {
  EditPlan plan;
  plan.want({kFile, 5}, "a", kHere);
  plan.want({kFile, 5}, "b", kThere);
  plan.want({kFile, 5}, "c", kThere);
  REQUIRE(plan.conflicts().size() == 1);
  CHECK(plan.conflicts()[0].first == kHere);
  CHECK(plan.conflicts()[0].second == kThere);
  CHECK(plan.conflicts()[0].firstText == "a");
  CHECK(plan.conflicts()[0].secondText == "b");
}

TEST_CASE("A spot that must stay as it is conflicts with an edit and is no edit itself") {
  EditPlan plan;
  plan.want({kFile, 5}, "", kHere);
  CHECK(plan.edits(kFile).empty());
  plan.want({kFile, 5}, "a", kThere);
  CHECK(plan.conflicts().size() == 1);
}

TEST_CASE("Edits come in order and only for their file") {
  EditPlan plan;
  plan.want({kFile, 9}, "b", kHere);
  plan.want({FileId{1}, 1}, "x", kHere);
  plan.want({kFile, 2}, "a", kHere);
  CHECK(text(plan.edits(kFile)) == "2a9b");
}

TEST_CASE("Edits are inserted in front of their offsets, at both ends too") {
  const std::vector<Edit> edits{{0, "<"}, {1, "-"}, {3, ">"}};
  CHECK(applyEdits("abc", edits) == "<a-bc>");
  CHECK(applyEdits("abc", {}) == "abc");
}

TEST_CASE("The edit table counts lines and columns of the original from 1") {
  const std::vector<Edit> edits{{0, "<<"}, {2, "x"}, {5, "abc"}, {6, "y"}};
  CHECK(editTable("ab\ncd\n", edits) == "1:1+2 1:3+1 2:3+3 3:1+1");
}

TEST_CASE("A byte order mark takes no column; a carriage return takes one") {
  const std::vector<Edit> edits{{4, "x"}, {6, "y"}};
  CHECK(editTable("\xef\xbb\xbf"
                  "a\r\nb",
                  edits) == "1:2+1 2:1+1");
}

static File fileOf(std::string text) {
  File file;
  file.path = "/p/a.cu";
  file.spelled = "a\"b.cu";
  file.text = std::move(text);
  return file;
}

TEST_CASE("A copy keeps each line's number, and its end of line") {
  const std::vector<Edit> edits{{1, "!"}};
  const std::string copy = copyText(fileOf("a\r\nb"), edits);
  CHECK(copy.find("#include <cupr/cupr.h> // augmented by cuprewrite\r\n#line 1 \"a\\\"b.cu\"\r\na!\r\nb\r\n"
                  "#ifndef CUPR_EDITS_") == 0);
  CHECK(copy.find("\"1:2+1\")\r\n#endif\r\n") != std::string::npos);
}

TEST_CASE("A copy without edits needs no header and no table") {
  CHECK(copyText(fileOf("a"), {}) == "// augmented by cuprewrite\n#line 1 \"a\\\"b.cu\"\na");
}

TEST_CASE("Copies are recognised, originals are not") {
  CHECK(isAugmented(copyText(fileOf("a"), {})));
  CHECK(isAugmented(copyText(fileOf("\xef\xbb\xbf"
                                    "a"),
                             std::vector<Edit>{{3, "x"}})));
  CHECK_FALSE(isAugmented("#include <cupr/cupr.h>\n// augmented by cuprewrite\n"));
  CHECK_FALSE(isAugmented(""));
}
