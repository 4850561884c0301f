// What a module's code needs of the processor.
#include "devicelib/cpu/runtime/processor.h"

#include <catch2/catch.hpp>

using namespace cupr::cpu;

namespace {

bool hasNoVectors(std::string_view feature) { return !feature.starts_with("avx") && feature != "fma"; }
bool hasAll(std::string_view) { return true; }

} // namespace

TEST_CASE("what is missing is listed in the order in which it was asked for") {
  CHECK(missingFeatures("sse4.2 avx bmi fma avx2", hasNoVectors) == "avx, fma, avx2");
  CHECK(missingFeatures("avx2", hasNoVectors) == "avx2");
}

TEST_CASE("nothing is missing where all is there, or nothing is needed") {
  CHECK(missingFeatures("sse4.2 avx bmi fma avx2", hasAll).empty());
  CHECK(missingFeatures("sse4.2  bmi ", hasNoVectors).empty());
  CHECK(missingFeatures("", hasNoVectors).empty());
}

TEST_CASE("the processor is asked") {
  CHECK(processorHas("sse3")); // every x86-64 processor of the last twenty years
  CHECK(processorHas("x87"));  // not looked for
  CHECK_FALSE((processorHas("xop") && processorHas("avx512fp16"))); // of two makers that never met
}
