/// Which place is that of the next call that allocates.
#include "hostlib/runtime/kernels/allocation_site.h"

#include "cupr/cupr.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>

using cupr::host::takeAllocationSite;

namespace {

/// A call that allocates, whose arguments may hold others.
std::string allocate(int = 0) { return takeAllocationSite().name; }

} // namespace

TEST_CASE("a call that carries no place has none") {
  CHECK(takeAllocationSite().line == 0);
  CHECK(allocate().empty());
}

TEST_CASE("a place is that of one call, within its expression") {
  CHECK(allocate((cupr_allocation("x", "float", 3, 4), 0)) == "x");
  CHECK(allocate().empty());
  (cupr_allocation("not allocated", "float", 3, 4), 0);
  CHECK(allocate().empty());
  const auto site = (cupr_allocation("y", "int", 5, 6), takeAllocationSite());
  CHECK(std::string(site.type) == "int");
  CHECK(std::string(site.file) == __FILE__);
  CHECK(site.line == 5);
  CHECK(site.column == 6);
}

TEST_CASE("calls among the arguments of others have places of their own") {
  std::string inner;
  CHECK(allocate((cupr_allocation("outer", "", 1, 1),
                  inner = allocate((cupr_allocation("inner", "", 1, 1), 0)), 0)) == "outer");
  CHECK(inner == "inner");
}

TEST_CASE("a place in front of a statement is that of its call") {
  cupr_next_allocation("x", "float", 3, 4);
  CHECK(allocate() == "x");
  CHECK(allocate().empty());
}

TEST_CASE("the place of a statement that has not made its call is not that of later ones") {
  cupr_next_allocation("not allocated", "float", 3, 4);
  CHECK(allocate((cupr_allocation("x", "float", 5, 6), 0)) == "x");
  CHECK(allocate().empty());
}

TEST_CASE("other threads have other places") {
  cupr_next_allocation("x", "float", 3, 4);
  std::thread([] { CHECK(allocate().empty()); }).join();
  CHECK(allocate() == "x");
}

namespace {

/// Calls whose first argument holds the next one, so many deep; how many of them have a place.
std::size_t nested(int depth) {
  std::size_t deeper = 0;
  const bool hasPlace =
      !allocate((cupr_allocation("nested", "", 1, 1), depth == 1 ? 0 : deeper = nested(depth - 1), 0))
           .empty();
  return deeper + (hasPlace ? 1 : 0);
}

} // namespace

TEST_CASE("what lies too deep has no place, and the rest keeps theirs") {
  CHECK(nested(4) == 4);
  CHECK(nested(16) == 16);
  CHECK(nested(40) == 16);
  CHECK(allocate().empty());
}
