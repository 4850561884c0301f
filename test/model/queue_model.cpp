/// Checks the queue's protocol (abi/queue.h) in small configurations, in every order in which its threads can
/// run, and that deliberate faults in it are found.
///
/// Each configuration is covered completely, or the check fails: there is no bound on the changes from thread
/// to thread. What stands for the real queue is the small size: one to three warps, up to six records, two
/// launches, four or eight words in a page, and each page a few times anew.
#include "checker.h"
#include "queue_machine.h"

namespace {

using namespace cupr::model;

using QueueChecker = Checker<QueueMachine>;

std::vector<QueueChecker::Case> cases() {
  using enum Depth;
  return {
      {Short, {.name = "one warp", .warps = {{1, 0, {2, 1, 3, 2, 2, 1}}}}},
      {Short, {.name = "two warps", .warps = {{1, 0, {2, 2}}, {1, 0, {2, 2}}}, .comparesIdentities = true}},
      {Short,
       {.name = "two launches", .warps = {{1, 0, {2, 1}}, {2, 0, {1, 2}}}, .comparesIdentities = true}},
      {Short, {.name = "sealed, recycled", .warps = {{1, 0, {1}}, {2, 0, {2, 2, 2, 2}}}}},
      {Short, {.name = "two bins", .bins = 2, .warps = {{1, 0, {3, 2, 2}}, {1, 1, {3, 2}}}}},
      {Short,
       {.name = "evictions, stuck copies, one warp",
        .warps = {{1, 0, {3, 2, 3, 3}}},
        .evictions = true,
        .copies = Copies::Stuck,
        .comparesIdentities = true}},
      {Short, {.name = "evictions, one warp", .warps = {{1, 0, {3, 2, 3, 3}}}, .evictions = true}},
      {Short, {.name = "recycled", .warps = {{1, 0, {2, 2, 2}}, {1, 0, {2, 2, 2}}}}},
      {Short, {.name = "straddling", .warps = {{1, 0, {3, 2}}, {1, 0, {2, 3}}}}},
      {Short, {.name = "straddling, recycled", .warps = {{1, 0, {3, 3}}, {1, 0, {3, 3}}}}},
      {Short, {.name = "larger pages", .pageWords = 8, .warps = {{1, 0, {5, 4, 3}}, {1, 0, {3, 5, 2}}}}},
      {Short,
       {.name = "stale loads, two launches", .warps = {{1, 0, {2, 1}}, {2, 0, {1, 2}}}, .staleLoads = true}},
      {Short, {.name = "stale loads", .warps = {{1, 0, {3, 2}}, {1, 0, {2, 3}}}, .staleLoads = true}},
      {Short, {.name = "three words", .warps = {{1, 0, {3, 3}}, {1, 0, {1, 3}}}}},
      {Short, {.name = "three warps", .warps = {{1, 0, {3}}, {1, 0, {2}}, {1, 0, {3}}}}},
      {Short, {.name = "dropping, one warp", .warps = {{1, 0, {2, 3, 2, 3, 2}}}, .drops = true}},
      {Short,
       {.name = "dropping, stuck copies",
        .warps = {{1, 0, {3, 2, 2}}, {1, 0, {2, 3}}},
        .copies = Copies::Stuck,
        .drops = true}},
      {Short,
       {.name = "dropping",
        .warps = {{1, 0, {3, 2}}, {1, 0, {2, 3}}},
        .drops = true,
        .comparesIdentities = true}},
      {Short, {.name = "dropping, two launches", .warps = {{1, 0, {3, 2}}, {2, 0, {2, 3}}}, .drops = true}},
      {Short,
       {.name = "dropping, stale loads",
        .warps = {{1, 0, {2, 3}}, {1, 0, {3}}},
        .drops = true,
        .staleLoads = true}},
      {Deep,
       {.name = "dropping, three warps", .warps = {{1, 0, {3, 2}}, {1, 0, {3}}, {1, 0, {2}}}, .drops = true}},
      {Deep, {.name = "two launches, recycled", .warps = {{1, 0, {3, 2, 3}}, {2, 0, {2, 3}}}}},
      {Deep, {.name = "evictions", .warps = {{1, 0, {3, 2}}, {1, 0, {3}}}, .evictions = true}},
      {Deep,
       {.name = "evictions, stuck copies",
        .warps = {{1, 0, {3, 2}}, {1, 0, {2, 3}}},
        .evictions = true,
        .copies = Copies::Stuck}},
      {Short,
       {.name = "evictions, two launches",
        .warps = {{1, 0, {2, 3}}, {2, 0, {3}}},
        .evictions = true,
        .copies = Copies::Stuck}},
      {Short,
       {.name = "stale loads, evictions",
        .warps = {{1, 0, {3, 2, 3, 3}}},
        .evictions = true,
        .staleLoads = true}},
      {Deep, {.name = "three warps, recycled", .warps = {{1, 0, {3, 2}}, {1, 0, {3}}, {1, 0, {2}}}}},
      {Deep,
       {.name = "two bins, evictions",
        .bins = 2,
        .warps = {{1, 0, {3, 3, 2}}, {1, 1, {2}}},
        .evictions = true,
        .copies = Copies::Stuck}},
      {Deep,
       {.name = "larger pages, evictions",
        .pageWords = 8,
        .warps = {{1, 0, {5, 6}}, {1, 0, {7}}},
        .evictions = true,
        .copies = Copies::Stuck}},
      {Deep,
       {.name = "stale loads, recycled", .warps = {{1, 0, {3, 3}}, {1, 0, {3, 3}}}, .staleLoads = true}},
  };
}

bool canDrop(const Configuration &configuration) { return configuration.drops; }

std::vector<QueueChecker::Fault> faults() {
  return {
#define CUPR_MUTANT(name, what) {Mutant::name, #name, what},
#define CUPR_MUTANT_OF_DROPS(name, what) {Mutant::name, #name, what, canDrop},
#include "queue_mutants.def"
#undef CUPR_MUTANT
  };
}

/// States told apart by what counts must come to the same as those told apart by all bytes.
class IdentityChecker : public QueueChecker {
public:
  IdentityChecker() : QueueChecker(cases(), faults()) {}

private:
  bool checkVisited(const Configuration &configuration, const Exploration &found,
                    std::size_t bound) override {
    if (!configuration.comparesIdentities)
      return true;
    Configuration other = configuration;
    other.identity = Identity::Stacks;
    const Exploration withStacks = explore<QueueMachine>(other, Mutant::None, bound);
    fmt::print("{:<36}{:>10} states told apart by stacks\n", "", withStacks.states);
    if (withStacks.isComplete && withStacks.sharedStates == found.sharedStates &&
        withStacks.sharedSum == found.sharedSum)
      return true;
    fmt::print("    which come to {} states of memory, and not to the same {}\n", withStacks.sharedStates,
               found.sharedStates);
    return false;
  }
};

} // namespace

int main(int argumentCount, char **arguments) {
  return IdentityChecker().run("Checks the queue's protocol in every order in which its threads can run.",
                               argumentCount, arguments);
}
