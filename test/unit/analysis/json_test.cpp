/// JSON stays JSON, whatever the strings hold.
#include "analysis/output/json.h"
#include "analysis/output/text.h"
#include "analysis/output/utf8.h"

#include <catch2/catch.hpp>

namespace json_test {

using namespace cupr::analysis;

TEST_CASE("strings are escaped") {
  CHECK(jsonString("a\"b\\c\n\t\x01") == "\"a\\\"b\\\\c\\n\\t\\u0001\"");
  CHECK(jsonString("\xc3\xa9\xf0\x9f\x99\x82") == "\"\xc3\xa9\xf0\x9f\x99\x82\"");
  CHECK(validUtf8("a\xff"
                  "b") == "a\xef\xbf\xbd"
                          "b");
  CHECK(validUtf8("\xc3") == "\xef\xbf\xbd");
  CHECK(validUtf8("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); // a surrogate
  CHECK(validUtf8("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");                 // overlong
}

TEST_CASE("commas stand between, never in front or behind") {
  Json json;
  json.beginObject().field("a", 1).key("b").beginArray().value("x").value(true).null().endArray();
  json.key("c").beginObject().endObject().field("d", 0.5).endObject();
  CHECK(json.text() == R"({"a":1,"b":["x",true,null],"c":{},"d":0.5})");
  Json indented(Json::Style::Indented);
  indented.beginObject().field("a", 18446744073709551615u).key("b").beginArray().endArray().endObject();
  CHECK(indented.text() == "{\n  \"a\": 18446744073709551615,\n  \"b\": []\n}");
}

TEST_CASE("figures for people") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(durationText(999) == "999 ns");
  CHECK(durationText(1000) == "1.0 us");
  CHECK(durationText(12'340) == "12.3 us");
  CHECK(durationText(999'950) == "1.0 ms");
  CHECK(durationText(90'000'000'000) == "90.0 s");
  CHECK(bytesText(1023) == "1023 B");
  CHECK(bytesText(1536) == "1.5 KiB");
  CHECK(bytesText(1048575) == "1.0 MiB");
  CHECK(percent(1, 0) == "-");
  CHECK(percent(1, 8) == "12.5 %");
  CHECK(percent(0, 8) == "0.0 %");
  CHECK(percent(8, 8) == "100.0 %");
  CHECK(percent(99999, 100000) == ">99.9 %");
  CHECK(percent(1, 100000) == "<0.1 %");
  CHECK(dimText({4, 1, 1}) == "4");
  CHECK(dimText({4, 1, 2}) == "4x1x2");
}

} // namespace json_test
