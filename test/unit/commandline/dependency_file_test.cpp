#include "cuprewrite/commandline/dependency_file.h"

#include <catch2/catch.hpp>

using namespace cupr::commandline;
using Words = std::vector<std::string>;

TEST_CASE("prerequisites are what stands behind the first colon") {
  CHECK(prerequisitesOf("a.o: a.cu b.h \\\n  /usr/include/c.h \\\n d.h\n\nb.h:\n\nd.h:\n") ==
        Words{"a.cu", "b.h", "/usr/include/c.h", "d.h"});
  CHECK(prerequisitesOf("a.o: \\\n  a.cu\n") == Words{"a.cu"});
  CHECK(prerequisitesOf("a.o:\\\n  a.cu") == Words{"a.cu"});
  CHECK(prerequisitesOf("").empty());
  CHECK(prerequisitesOf("no rule").empty());
}

TEST_CASE("colons belong to names, too") { CHECK(prerequisitesOf("x:y.o: a:b.cu\n") == Words{"a:b.cu"}); }

TEST_CASE("what make reads otherwise is quoted, and comes back") {
  const Words files{"a b.cu", "c#.h", "d$e.h", "plain.h"};
  const std::string rule = dependencyRule({"a.o"}, files, false);
  CHECK(rule == "a.o: \\\n  a\\ b.cu \\\n  c\\#.h \\\n  d$$e.h \\\n  plain.h\n");
  CHECK(prerequisitesOf(rule) == files);
}

TEST_CASE("empty rules for headers, not for the source") {
  CHECK(dependencyRule({"a.o", "a.d"}, {"a.cu", "b.h"}, true) == "a.o a.d: \\\n  a.cu \\\n  b.h\nb.h:\n");
}
