#include "devicelib/abi/source_name.h"

#include <catch2/catch.hpp>

using cupr::abi::sourceName;
using cupr::abi::withoutTrace;

TEST_CASE("names as the source has them") {
  CHECK(sourceName("_Z1kN4cupr8argument5TraceEPfi") == "k(float*, int)");
  CHECK(sourceName("__cupr_traced__Z1kN4cupr8argument5TraceEPf") == "k(float*)");
  CHECK(sourceName("__cupr_derived__Z1kIfEvN4cupr8argument5TraceE") == "void k<float>()");
  CHECK(sourceName("__cupr_traced__Z1kPf__intern__0123456789abcdef") == "k(float*)");
  CHECK(sourceName("main") == "main");
  CHECK(sourceName("c") == "c");
  CHECK(sourceName("__cupr_traced_i") == "i");
  CHECK(sourceName("__cupr_traced_plain") == "plain");
}

TEST_CASE("only a first parameter is ours") {
  CHECK(withoutTrace("g(void (*)(cupr::argument::Trace const&, int), cupr::argument::Trace)") ==
        "g(void (*)(int), cupr::argument::Trace)");
  CHECK(withoutTrace("f(cupr::argument::Trace*)") == "f(cupr::argument::Trace*)");
  CHECK(withoutTrace("f(cupr::argument::TraceOfMine, int)") == "f(cupr::argument::TraceOfMine, int)");
}
