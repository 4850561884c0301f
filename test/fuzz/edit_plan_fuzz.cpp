/// Any bytes as facts about a program: the plan's edits lose nothing, and can be undone.
#include "random_facts.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (const std::string rule = cupr::test::brokenPlanRule(data, std::min<std::size_t>(size, 4096));
      !rule.empty()) {
    std::fprintf(stderr, "%s\n", rule.c_str());
    std::abort();
  }
  return 0;
}
