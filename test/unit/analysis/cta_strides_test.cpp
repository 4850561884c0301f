/// How far what one CTA communicates lies apart.
#include "communication_scene.h"

#include <catch2/catch.hpp>

namespace cta_strides_test {

using namespace cupr;
using namespace cupr::analysis;
using namespace cupr::test;

namespace {

using CtaStrideSums =
    std::map<std::tuple<LaunchIndex, std::uint32_t, CtaStride::Kind, std::uint64_t>, std::uint64_t>;

CtaStrideSums ctaStridesOf(const Communication &result) {
  CtaStrideSums sums;
  result.ctaStrides->forEach([&](const CtaStride &stride) {
    CHECK(sums.insert({{stride.launch, stride.cta, stride.kind, stride.stride}, stride.bytes}).second);
  });
  return sums;
}

} // namespace

TEST_CASE(
    "strides of a CTA are those of what it read of earlier launches, and of what later ones read of it") {
  using enum CtaStride::Kind;
  CommunicationScene scene;
  scene.access(kStore, 0, kA, 0);
  scene.access(kStore, 1, kA, 1); // nobody reads it
  scene.words.strided(kStore, 2, 0, kA + 1024, 8);
  scene.launch();
  scene.access(kLoad, 0, kA, 0); // its own data
  scene.words.strided(kLoad, 3, 0, kA, 0);
  scene.words.strided(kLoad, 3, 0, kA + 1024, 16, 0xffff);
  scene.launch();
  scene.trace.writer->finish();
  const Model model(scene.file.path());
  CHECK_FALSE(communication(model).ctaStrides);
  const Communication result = communication(model, {.ctaStrides = true});
  // Of a warp, the thread with the lowest address has no stride.
  CHECK(ctaStridesOf(result) == CtaStrideSums{{{0, 0, Stores, 4}, 31 * 4},
                                              {{0, 2, Stores, 8}, 15 * 4},
                                              {{0, 2, HandedOnStores, 8}, 15 * 4},
                                              {{1, 0, Loads, 4}, 31 * 4},
                                              {{1, 3, Loads, 0}, 31 * 4},
                                              {{1, 3, HandedOnLoads, 0}, 31 * 4},
                                              {{1, 3, Loads, 16}, 15 * 4},
                                              {{1, 3, HandedOnLoads, 16}, 15 * 4}});
}

TEST_CASE("what several CTAs made together has the stride of the one that was last") {
  using enum CtaStride::Kind;
  CommunicationScene scene;
  for (const std::uint64_t cta : {2, 0, 1})
    scene.access(kAtomic, cta, kA, 0);
  scene.launch();
  scene.access(kLoad, 1, kA, 0);
  scene.launch();
  scene.trace.writer->finish();
  CHECK(ctaStridesOf(communication(Model(scene.file.path()), {.ctaStrides = true})) ==
        CtaStrideSums{{{0, 1, Stores, 4}, 31 * 4},
                      {{0, 1, HandedOnStores, 4}, 31 * 4},
                      {{1, 1, Loads, 4}, 31 * 4},
                      {{1, 1, HandedOnLoads, 4}, 31 * 4}});
}

TEST_CASE("strides of CTAs add up to those of the program, for any number of threads and any memory",
          "[random]") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    CommunicationScene scene;
    writeRandomTrace(scene, seed);
    scene.trace.writer->finish();
    const Model model(scene.file.path());
    const Communication result = communication(model, {.threads = 1, .ctaStrides = true});
    const CtaStrideSums sums = ctaStridesOf(result);
    std::array<StrideVolume, 4> all;
    for (const auto &[key, bytes] : sums)
      all[static_cast<unsigned>(std::get<2>(key))][std::get<3>(key)] += bytes;
    CHECK(all == std::array{result.loadStrides, result.storeStrides, result.handedOnLoadStrides,
                            result.handedOnStoreStrides});
    for (const AnalysisOptions &options :
         {AnalysisOptions{.threads = 8, .ctaStrides = true}, {.threads = 4, .memory = 1, .ctaStrides = true}})
      CHECK(ctaStridesOf(communication(model, options)) == sums);
  }
}

} // namespace cta_strides_test
