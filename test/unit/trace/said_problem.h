/// Problems of a repaired trace that the trace itself speaks of.
#ifndef CUPR_TEST_SAID_PROBLEM_H
#define CUPR_TEST_SAID_PROBLEM_H

#include <cstdio>
#include <string>

namespace cupr::test {

/// Whether `problem` (a line of Verdict::problems) is one that a repaired trace may have: what is missing, a
/// launch that says that it is incomplete, and fewer accesses than the device counted.
inline bool isSaidByTrace(const std::string &problem) {
  const std::size_t counted = problem.find(": the device counted ");
  if (counted != problem.npos && problem.find(" accesses of threads by ") != problem.npos)
    return std::stoull(problem.substr(problem.rfind(' '))) < std::stoull(problem.substr(counted + 21));
  for (const char *said : {"missing: ", " is incomplete: ", "could not write all of the trace", " lacks "})
    if (problem.find(said) != problem.npos)
      return true;
  return problem.ends_with(" more");
}

} // namespace cupr::test

#endif
