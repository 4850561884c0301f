/// Checks how rows are handed over (hostlib/runtime/paths/row_ring.h), in every order in which a thread, a collector and the log's end can run,
/// and that deliberate faults in it are found.
#include "checker.h"
#include "hand_over_machine.h"

namespace {

using namespace cupr::model;
using HandOverChecker = Checker<HandOverMachine>;

std::vector<HandOverChecker::Case> cases() {
  std::vector<HandOverChecker::Case> all;
  for (const bool stale : {false, true})
    for (const auto &[room, rows, rounds] : {std::array{1u, 4u, 3u}, {2u, 6u, 3u}, {4u, 9u, 3u}})
      all.push_back({Depth::Short,
                     {.name = fmt::format("{} rows through {}{}", rows, room, stale ? ", stale loads" : ""),
                      .room = room,
                      .rows = rows,
                      .rounds = rounds,
                      .staleLoads = stale}});
  return all;
}

std::vector<HandOverChecker::Fault> faults() {
  return {
#define CUPR_MUTANT(name, what) {HandOverMachine::Mutant::name, #name, what},
#include "hand_over_mutants.def"
#undef CUPR_MUTANT
  };
}

} // namespace

int main(int argumentCount, char **arguments) {
  return HandOverChecker(cases(), faults())
      .run("Checks the hand-over of rows in every order in which its threads can run.", argumentCount,
           arguments);
}
