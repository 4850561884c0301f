/// Numbers of shapes: the same for the same shape, by whichever way.
#include "analysis/engine/access_shapes.h"

#include <catch2/catch.hpp>

namespace access_shapes_test {

using namespace cupr::analysis;

TEST_CASE("each shape has a number of its own, the same in every cache") {
  AccessShapes shapes;
  ShapeCache first(shapes), second(shapes);
  std::vector<AccessShape> all;
  for (const std::uint32_t site : {0u, 1u, 0xffffffffu})
    for (const std::uint32_t bytes : {0u, 1u, 2u, 3u, 16u, 64u, 65u, 128u, 0xffffffffu})
      for (const std::uint32_t elements : {1u, 2u, 31u, 32u})
        for (const std::uint32_t threads : {1u, 32u}) {
          for (const std::uint64_t jump : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{17}, kExactJump,
                                           2 * kExactJump, std::uint64_t{1} << 63, AccessRun::kNoJump})
            all.push_back({site, bytes, elements, threads, jump});
        }
  for (const AccessShape &shape : all) {
    const std::uint32_t number = first.numberOf(shape);
    REQUIRE(shapes[number] == shape);
    REQUIRE(shapes.siteOf(number) == shape.site);
  }
  CHECK(shapes.size() == all.size());
  for (const AccessShape &shape : all) {
    REQUIRE(shapes[first.numberOf(shape)] == shape);
    REQUIRE(shapes[second.numberOf(shape)] == shape);
  }
  CHECK(shapes.size() == all.size());
}

} // namespace access_shapes_test
