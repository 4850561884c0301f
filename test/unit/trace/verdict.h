/// What the verifier says of a trace's file.
#ifndef CUPR_TEST_VERDICT_H
#define CUPR_TEST_VERDICT_H

#include "analysis/verify/verifier.h"
#include "hostlib/trace/reader.h"

#include <catch2/catch.hpp>

#include <string>

namespace cupr::test {

inline trace::Verdict verdictOf(const std::string &path) {
  std::string error;
  const auto reader = trace::Reader::open(path, error);
  REQUIRE(reader);
  return verify(*reader);
}

} // namespace cupr::test

#endif
