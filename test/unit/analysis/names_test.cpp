/// Names as users know them.
#include "analysis/model/names.h"

#include <catch2/catch.hpp>

namespace names_test {

using namespace cupr::analysis;

TEST_CASE("the trace argument does not show") {
  CHECK(userName("vectorAdd(cupr::argument::Trace, float const*, float*, int)") ==
        "vectorAdd(float const*, float*, int)");
  CHECK(userName("k(cupr::argument::Trace)") == "k()");
  CHECK(userName("f(cupr::argument::Trace const&)") == "f()");
  CHECK(userName("void f<int>(cupr::argument::Trace const&, int*)") == "void f<int>(int*)");
  CHECK(userName("g(void (*)(cupr::argument::Trace const&, int))") == "g(void (*)(int))");
  CHECK(userName("plain(int)") == "plain(int)");
  CHECK(userName("") == "");
  CHECK(userName("_Z1kN4cupr8argument5TraceEPi") == "k(int*)");
  CHECK(userName("_Znonsense") == "_Znonsense");
  // Not ours: not the first parameter, or another type.
  CHECK(userName("f(int, cupr::argument::Trace)") == "f(int, cupr::argument::Trace)");
  CHECK(userName("f(cupr::argument::TraceX, int)") == "f(cupr::argument::TraceX, int)");
}

TEST_CASE("short names have no types") {
  CHECK(shortName("vectorAdd(float*, int)") == "vectorAdd");
  CHECK(shortName("void ns::f<int, (ns::E)1>(int*)") == "ns::f");
  CHECK(shortName("(anonymous namespace)::k(int)") == "(anonymous namespace)::k");
  CHECK(shortName("kernel") == "kernel");
  CHECK(shortName("A::operator()(int) const") == "A::operator()");
  CHECK(shortName("") == "");
}

} // namespace names_test
