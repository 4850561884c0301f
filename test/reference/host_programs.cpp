#include "host_programs.h"

#include "unit/trace/host_scene.h"

#include <random>
#include <vector>

namespace cupr::reference {

namespace {

using test::HostScene;

/// One of a few kinds of acts, in whose figures there are but a few numbers, so that they are the same now and then.
struct Act {
  unsigned kind, size, place;
};

constexpr unsigned kKinds = 8, kSizes = 4, kPlaces = 3;
/// Each byte of a copy is followed by the definitions.
constexpr unsigned kMostLarge = 8;

void make(HostScene &scene, const Act &act, unsigned turn, unsigned &large) {
  constexpr std::uint64_t kBytes[kSizes] = {8, 100, 5000, 65536};
  constexpr const char *kFunctions[kPlaces] = {"step()", "upload(Mesh&)", "fetch(Mesh&)"};
  scene.at(kFunctions[act.place], 10 + 10 * act.kind + act.place);
  large += act.size == 3;
  const std::uint64_t bytes = kBytes[act.size == 3 && large > kMostLarge ? 0 : act.size],
                      host = act.place == 0 ? HostScene::kPinned : HostScene::kPageable,
                      took = 5 + 8 * act.size;
  switch (act.kind) {
  case 0:
  case 1:
    scene.up(host, bytes, took, HostScene::kDevice + 0x10000 * act.place, act.kind == 1);
    break;
  case 2:
    scene.down(host, bytes, took, HostScene::kDevice + (act.place == 1 ? bytes * (turn % 8) : 0));
    break;
  case 3:
    scene.within(bytes, took, act.place == 1);
    break;
  case 4:
    scene.set(bytes, 3);
    break;
  case 5:
    scene.waits(20);
    break;
  default:
    scene.launch(act.place == 0 ? "a(int*)" : "b(int*)", act.kind == 6 ? 500 : 8, 4,
                 act.size == 3 ? 200 : 1 + 4 * act.size);
  }
}

} // namespace

void writeRandomHost(const std::string &path, unsigned seed) {
  std::mt19937 random(seed);
  HostScene scene(path, seed % 3 == 0 ? "cpu" : "gpu");
  unsigned large = 0;
  for (unsigned part = 0; part < 4; ++part) {
    std::vector<Act> acts(1 + random() % 5);
    for (Act &act : acts) {
      act.kind = random() % kKinds;
      act.size = random() % kSizes;
      act.place = random() % kPlaces;
    }
    if (part == 3) // launches alone, and perhaps waits
      for (Act &act : acts) {
        act.kind = random() % 6 == 0 ? 5 : 6;
        act.size %= 3;
      }
    const unsigned turns = part == 3 ? 60 : 1 + random() % 40, stays = random() % 3,
                   works = 40 * (random() % 2);
    scene.trace.stream(1 + random() % 2, trace::StreamKind::Blocking);
    for (unsigned turn = 0; turn < turns; ++turn) {
      for (const Act &act : acts)
        if (stays != 0 || random() % 8 != 0)
          make(scene, act, turn, large);
      scene.works(works);
    }
    if (seed % 5 == 4 && part == 1) // not complete
      scene.trace.end(scene.trace.launch("c(int*)", {1, 1, 1}, {32, 1, 1}));
  }
  scene.finish();
}

} // namespace cupr::reference
