#include "test/fuzz/random_facts.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

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

static File fileOf(std::string text) {
  File file;
  file.path = "/p/a.cu";
  file.spelled = "a\"b.cu";
  file.text = std::move(text);
  return file;
}

/// The table of a file without `#line`.
static std::string editTable(std::string text, std::span<const Edit> edits) {
  const std::vector<EditTable> tables = editTables(fileOf(std::move(text)), edits);
  REQUIRE(tables.size() <= 1);
  return tables.empty() ? "" : tables.front().entries;
}

TEST_CASE("The edit tables speak of the lines that #line gives") {
  File file = fileOf("a\n#line 100 \"g\"\nb\nc\n#line 7\nd");
  file.lineMarks = {{3, {"g", 100}}, {6, {"g", 7}}};
  const std::vector<Edit> edits{{0, "x"}, {16, "yy"}, {18, "y"}, {28, "z"}};
  const std::vector<EditTable> tables = editTables(file, edits);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].file == "a\"b.cu");
  CHECK(tables[0].entries == "1:1+1");
  CHECK(tables[1].file == "g");
  CHECK(tables[1].entries == "100:1+2 101:1+1 7:1+1");
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

TEST_CASE("Random edits lose no text, keep each line, and can be undone from the table") {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (int round = 0; round < 500; ++round) {
    std::string original;
    for (std::size_t i = below(120); i > 0; --i)
      original += "ab(),\n\t\r{"[below(9)];
    EditPlan plan;
    std::map<std::uint32_t, std::string> wanted;
    for (std::size_t i = below(12); i > 0; --i) {
      const auto offset = static_cast<std::uint32_t>(below(original.size() + 1));
      const std::string inserted(1 + below(40), static_cast<char>('A' + below(26)));
      plan.want({kFile, offset}, inserted, kHere);
      wanted.emplace(offset, inserted); // the first stays
    }
    const std::vector<Edit> edits = plan.edits(kFile);
    REQUIRE(edits.size() == wanted.size());
    for (const Edit &edit : edits)
      CHECK(wanted.at(edit.offset) == edit.text);
    CHECK(cupr::test::brokenEditRule(fileOf(original), edits) == "");
  }
}

TEST_CASE("The plans of random facts lose no text, keep each line, and can be undone") {
  std::mt19937 random(2);
  unsigned edits = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint8_t> bytes(random() % 700);
    for (std::uint8_t &byte : bytes)
      byte = static_cast<std::uint8_t>(random());
    REQUIRE(cupr::test::brokenPlanRule(bytes.data(), bytes.size()) == "");
    Facts facts = cupr::test::RandomFacts(bytes.data(), bytes.size()).facts();
    Diagnostics diagnostics;
    const Augmentation result = augment(facts, diagnostics);
    edits += static_cast<unsigned>(result.plan.edits(kFile).size());
  }
  CHECK(edits > 1000); // or there is nothing to see
}

TEST_CASE("The oracle notices what is wrong") {
  using cupr::test::brokenEditRule;
  const File file = fileOf("ab\ncd");
  CHECK(brokenEditRule(file, {{1, "x"}, {4, "y"}}) == "");
  CHECK(brokenEditRule(file, {{4, "x"}, {1, "y"}}) != "");
  CHECK(brokenEditRule(file, {{1, "x"}, {1, "y"}}) != "");
  CHECK(brokenEditRule(file, {{6, "x"}}) != "");
  CHECK(brokenEditRule(file, {{1, "x\ny"}}) != "");
  CHECK(brokenEditRule(file, {{1, ""}}) != "");
  CHECK(cupr::test::undone("axb", "1:2+1") == "ab");
  CHECK(cupr::test::undone("axb", "1:3+1") != "ab");
  CHECK(cupr::test::undone("axb", "2:1+1") == "?");
  CHECK(cupr::test::patched("a\n", "--- a\n+++ b\n@@ -1 +1,2 @@\n+x\n a\n") == "x\na\n");
  CHECK(cupr::test::patched("a\n", "--- a\n+++ b\n@@ -1 +1,2 @@\n+x\n b\n") == "?");
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

TEST_CASE("A backslash at the end of a file does not continue into the table") {
  const std::vector<Edit> edits{{0, "x"}};
  CHECK(copyText(fileOf("a \\"), edits).find("xa \\\n\n#ifndef CUPR_EDITS_") != std::string::npos);
  CHECK(copyText(fileOf("a \\\n"), edits).find("xa \\\n\n#ifndef CUPR_EDITS_") != std::string::npos);
}

TEST_CASE("An input includes the header even when nothing in it changes") {
  File file = fileOf("a");
  file.input = true;
  CHECK(copyText(file, {}) == "#include <cupr/cupr.h> // augmented by cuprewrite\n#line 1 \"a\\\"b.cu\"\na");
}

TEST_CASE("A nested file leaves header and table to the file that includes it") {
  File nested = fileOf("n");
  nested.nested = true;
  const std::vector<Edit> edits{{0, "x"}};
  CHECK(copyText(nested, edits) == "// augmented by cuprewrite\n#line 1 \"a\\\"b.cu\"\nxn");
  const std::vector<Hosted> hosted{{&nested, edits}};
  const std::string host = copyText(fileOf("h"), {}, hosted);
  CHECK(host.find("#include <cupr/cupr.h> ") == 0);
  CHECK(host.find("\"1:1+1\")") != std::string::npos);
}
