/// What a trace's texts become on a terminal and in a spreadsheet.
#include "analysis/export/csv_table.h"
#include "analysis/output/text.h"

#include <catch2/catch.hpp>

namespace shown_test {

using namespace cupr::analysis;

TEST_CASE("what a terminal obeys is shown as what it is") {
  CHECK(shown("kernel(int*)") == "kernel(int*)");
  CHECK(shown("\x1b[2J") == "\\x1b[2J");
  CHECK(shown("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(shownLines("a\nb\x07") == "a\nb\\x07");
  CHECK(shown("\x7f") == "\\x7f");
  CHECK(shown("\xc2\x9b"
              "31m") == "\\u009b31m"); // CSI as one character
  CHECK(shown("\x9b"
              "31m") == "\\x9b31m"); // and as one byte
  CHECK(shown("\xe2\x80\xae"
              "x\xe2\x81\xa9") == "\\u202ex\\u2069");
  CHECK(shown("\xd8\x9c\xe2\x80\x8f") == "\\u061c\\u200f");
  CHECK(shown("\xc0\xaf\xff") == "\\xc0\\xaf\\xff");
  CHECK(shown("\xed\xa0\x80") == "\\xed\\xa0\\x80"); // half of a surrogate pair
  CHECK(shown("gr\xc3\xb6\xc3\x9f"
              "e \xe6\x97\xa5 \xf0\x9f\x98\x80") == "gr\xc3\xb6\xc3\x9f"
                                                    "e \xe6\x97\xa5 \xf0\x9f\x98\x80");
}

TEST_CASE("a table keeps its rows, whatever its cells hold") {
  Table table({Table::Align::Left, Table::Align::Left});
  table.row({"a", "b"});
  table.row({"x\ny\x1b[1m", "z"});
  CHECK(table.text() == "a            b\nx\\ny\\x1b[1m  z\n");
}

TEST_CASE("a table fits the terminal: names lose their middles, figures nothing") {
  Table table({Table::Align::Right, Table::Align::Left, Table::Align::Left});
  table.row({"bytes", "kernel", "place"});
  table.row(
      {"1,234,567", "void ns::step<float, 16>(float const*, float*, int)", "some/long/folder/step.cu:120:7"});
  CHECK(table.text(60) == "    bytes  kernel                   place\n"
                          "1,234,567  void ns::s...oat*, int)  some/long/f...p.cu:120:7\n");
  CHECK(table.text(SIZE_MAX).find("void ns::step<float, 16>(float const*, float*, int)") !=
        std::string::npos);
  // Below what is left of names, lines are wider.
  const std::string narrow = table.text(10);
  CHECK(narrow.find("void ns..., int)") != std::string::npos);
  CHECK(narrow.find("1,234,567") != std::string::npos);
  CHECK(shortened("abcdefghij", 10) == "abcdefghij");
  CHECK(shortened("abcdefghij", 7) == "ab...ij");
  CHECK(shortened("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6", 8) ==
        "\xc3\xa4...\xc3\xb6"); // no half character
}

TEST_CASE("one endless name does not widen every row of a table") {
  Table table({Table::Align::Left, Table::Align::Left});
  table.row({std::string(1u << 20, 'n'), "z"});
  for (int i = 0; i < 100; ++i)
    table.row({"n", "z"});
  CHECK(table.text().size() < (1u << 20) + 100 * 500);
}

namespace {

struct TextSink final : ByteSink {
  void write(std::string_view bytes) override { text += bytes; }
  void finish() override {}
  std::string text;
};

std::string cellOf(std::string_view text) {
  static constexpr Column kColumns[] = {{"number", ColumnType::Real, ""}, {"text", ColumnType::Text, ""}};
  TextSink sink;
  CsvTable table(sink, RowKind{"kind", "kinds", "", kColumns});
  table.row(Values{-1.5, text});
  return sink.text.substr(sink.text.find("\n-1.5,") + 6);
}

} // namespace

TEST_CASE("texts that a spreadsheet takes for formulas begin with an apostrophe") {
  CHECK(cellOf("k(int*)") == "k(int*)\n");
  CHECK(cellOf("=1+1") == "\"'=1+1\"\n");
  CHECK(cellOf("+1") == "\"'+1\"\n");
  CHECK(cellOf("-1") == "\"'-1\"\n");
  CHECK(cellOf("@x") == "\"'@x\"\n");
  CHECK(cellOf("\t=1") == "\"'\t=1\"\n");
  CHECK(cellOf("\r=1") == "\"'\r=1\"\n");
  CHECK(cellOf("=\"a\"") == "\"'=\"\"a\"\"\"\n");
  CHECK(cellOf("'=1") == "\"''=1\"\n"); // so that one apostrophe can be taken away again
  CHECK(cellOf("a=1") == "a=1\n");
}

} // namespace shown_test
