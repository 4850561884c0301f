#include "devicelib/abi/unit_suffix.h"

#include <catch2/catch.hpp>

using cupr::abi::withoutUnit;

TEST_CASE("names of static kernels and variables lose what device linking added") {
  CHECK(withoutUnit("_ZL5scalePi__intern__f45f0f81b6f86d9e") == "_ZL5scalePi");
  CHECK(withoutUnit("_ZL3badPi__intern__103216014f9713d") == "_ZL3badPi"); // a hash that begins with 0
  CHECK(withoutUnit("_ZL6hidden__static__0123456789abcdef") == "_ZL6hidden");
}

TEST_CASE("other names stay") {
  for (const char *const name :
       {"", "_Z1kPi", "counter", "__intern__f45f0f81b6f86d9e", "a__intern__", "__intern__0",
        "a__intern__notahexadecimal", "a__extern__f45f0f81b6f86d9e", "a__static__f45f0f81b6f86d9e_more"})
    CHECK(withoutUnit(name) == name);
}
