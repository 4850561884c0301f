#include "cuprewrite/commandline/nvcc_flags.h"

#include <catch2/catch.hpp>
#include <set>

using namespace cupr::commandline;
using Words = std::vector<std::string>;

static std::optional<FlagUse> find(const Words &words, std::size_t at = 0) {
  return findFlag(nvccFlags(), words, at);
}

TEST_CASE("A value stands behind an equals sign or is the next word") {
  for (const Words &words :
       {Words{"-c", "--maxrregcount", "32", "a.cu"}, Words{"-c", "-maxrregcount", "32"}}) {
    const std::optional<FlagUse> use = find(words, 1);
    REQUIRE(use);
    CHECK(use->flag->name == "--maxrregcount");
    CHECK(use->spelled == words[1]);
    CHECK(use->value == "32");
    CHECK(use->next == 3);
    CHECK_FALSE(use->lacksValue);
  }
  const std::optional<FlagUse> joined = find({"-maxrregcount=32", "a.cu"});
  REQUIRE(joined);
  CHECK(joined->value == "32");
  CHECK(joined->next == 1);
}

TEST_CASE("A command line may end where a value should stand") {
  const std::optional<FlagUse> use = find({"--keep-dir"});
  REQUIRE(use);
  CHECK(use->lacksValue);
  CHECK(use->next == 1);
}

TEST_CASE("A list that only an equals sign introduces leaves the next word alone") {
  const std::optional<FlagUse> alone = find({"-Werror", "a.cu"});
  REQUIRE(alone);
  CHECK(alone->value == "");
  CHECK(alone->next == 1);
  CHECK_FALSE(alone->lacksValue);
  CHECK(find({"-Werror=reorder"})->value == "reorder");
}

TEST_CASE("Names are whole words") {
  CHECK_FALSE(find({"-keeper"}));
  CHECK_FALSE(find({"--dryrun=yes"})); // takes no value
  CHECK_FALSE(find({"-DX"}));
  CHECK_FALSE(find({"a.cu"}));
}

TEST_CASE("No two flags share a name") {
  std::multiset<std::string_view> names;
  for (const Flag &flag : nvccFlags()) {
    CHECK(flag.name.starts_with("-"));
    names.insert(flag.name);
    if (!flag.brief.empty() && flag.brief != flag.name)
      names.insert(flag.brief);
  }
  for (const std::string_view name : names) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
}
