/// What a piece of code says on stderr.
#ifndef CUPR_TEST_STDERR_CAPTURE_H
#define CUPR_TEST_STDERR_CAPTURE_H

#include "devicelib/abi/standard_error.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

namespace cupr::test {

/// What `body` writes to stderr, line by line.
template <typename Body> std::vector<std::string> stderrOf(Body body) {
  std::FILE *capture = std::tmpfile();
  REQUIRE(capture);
  std::fflush(stderr);
  const int saved = ::dup(2);
  ::dup2(::fileno(capture), 2);
  abi::standardError.remember();
  body();
  std::fflush(stderr);
  ::dup2(saved, 2);
  abi::standardError.remember();
  ::close(saved);
  std::rewind(capture);
  std::vector<std::string> lines;
  char line[1024];
  while (std::fgets(line, sizeof line, capture))
    lines.emplace_back(line);
  std::fclose(capture);
  return lines;
}

} // namespace cupr::test

#endif
