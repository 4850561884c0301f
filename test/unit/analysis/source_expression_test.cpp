/// The words of the source that a line and column stand for, as clang places them.
#include "analysis/metrics/source_expression.h"

#include <catch2/catch.hpp>
#include <string>

namespace source_expression_test {

using namespace cupr::analysis;

namespace {

/// `line` has a '^' in front of the column.
std::string at(std::string line, bool isLoad = true) {
  const std::size_t column = line.find('^');
  REQUIRE(column != line.npos);
  line.erase(column, 1);
  const SourceExpression found =
      expressionAt("first\n" + line + "\nlast", 2, static_cast<std::uint32_t>(column) + 1, isLoad);
  // They stand where they are said to.
  CHECK((found.text.empty() ? found.column == 0 : line.substr(found.column - 1).starts_with(found.text)));
  return found.text;
}

} // namespace

TEST_CASE("what is loaded stands at its begin, or at the name of its member") {
  CHECK(at("  out[i] = ^in[y * width + x];") == "in[y * width + x]");
  CHECK(at("  float x = ^p->position[3].x + 1;") == "p->position[3].x");
  CHECK(at("  sum += particles[i].^mass;") == "particles[i].mass");
  CHECK(at("  int n = ^*count;") == "*count");
  CHECK(at("  f(^table[index[i]], 3);") == "table[index[i]]");
  CHECK(at("  (a + b)^[i] = 3;") == "(a + b)[i]");
}

TEST_CASE("of an assignment one side is meant") {
  CHECK(at("  out[x * n + y] ^= in[i];", false) == "out[x * n + y]");
  CHECK(at("  tile[threadIdx.x] ^= bodies[start + threadIdx.x];") == "bodies[start + threadIdx.x]");
  CHECK(at("  c[i] ^+= a[i];", false) == "c[i]");
  CHECK(at("  c[i] ^+= a[i];") == "c[i]");
  CHECK(at("  if (x) s.out[i] ^= 1;", false) == "s.out[i]");
}

TEST_CASE("what is not understood is not shown") {
  CHECK(at("  f(^x);") == "");
  CHECK(at("  in[^") == "");
  CHECK(at("  ^in[f(") == "");
  CHECK(at("  ]] ^= 3;", false) == "");
  CHECK(expressionAt("a[i]", 2, 1, true).text == "");
  CHECK(expressionAt("a[i]", 0, 1, true).text == "");
  CHECK(expressionAt("a[i]", 1, 0, true).text == "");
  CHECK(expressionAt("a[i]", 1, 99, true).text == "");
  CHECK(expressionAt("", 1, 1, false).text == "");
  CHECK(at("  ^a[" + std::string(200, 'i') + "];") == "");
}

TEST_CASE("an index that is looked up is named") {
  CHECK(lookedUpIn("x[columns[i]]") == "columns[i]");
  CHECK(lookedUpIn("x[base + cell[p.id] * 4]") == "cell[p.id]");
  CHECK(lookedUpIn("x[i]") == "");
  CHECK(lookedUpIn("*p") == "");
  CHECK(lookedUpIn("x[") == "");
  CHECK(lookedUpIn("") == "");
}

} // namespace source_expression_test
