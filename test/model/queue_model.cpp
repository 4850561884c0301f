/// Checks the queue's protocol (abi/queue.h) in small configurations, in every order in which its threads can
/// run, and that deliberate faults in it are found.
///
/// Each configuration is covered completely, or the check fails: there is no bound on the changes from thread
/// to thread. What stands for the real queue is the small size: one to three warps, up to six records, two
/// launches, four or eight words in a page, and each page a few times anew. Deliberate faults are looked for
/// in the same configurations, in the first 300,000 states of each.
#include "explorer.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fmt/format.h>

namespace {

using namespace cupr::model;

enum class Depth { Short, Deep };

struct Case {
  Depth depth;
  Configuration configuration;
};

/// There are two pages per bin, of four words where it does not say otherwise.
std::vector<Case> cases() {
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

struct Fault {
  Mutant mutant;
  const char *name, *what;
  bool isOfDrops;
};
const Fault kFaults[] = {
#define CUPR_MUTANT(name, what) {Mutant::name, #name, what, false},
#define CUPR_MUTANT_OF_DROPS(name, what) {Mutant::name, #name, what, true},
#include "mutants.def"
#undef CUPR_MUTANT
};

double seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

bool check(const Configuration &configuration, std::size_t bound) {
  const auto start = std::chrono::steady_clock::now();
  const Exploration found = explore(configuration, Mutant::None, bound);
  fmt::print("{:<36}{:>10} states{:>11} steps{:>6} ends{:>7.1f} s  {}\n", configuration.name, found.states,
             found.steps, found.ends, seconds(start),
             !found.error.empty() ? found.error
             : found.isComplete   ? "complete"
                                  : "NOT COMPLETE");
  for (const std::string &line : found.way)
    fmt::print("    {}\n", line);
  std::fflush(stdout);
  if (configuration.comparesIdentities && configuration.identity == Identity::History) {
    Configuration other = configuration;
    other.identity = Identity::Stacks;
    const Exploration withStacks = explore(other, Mutant::None, bound);
    fmt::print("{:<36}{:>10} states told apart by stacks\n", "", withStacks.states);
    if (!withStacks.isComplete || withStacks.sharedStates != found.sharedStates ||
        withStacks.sharedSum != found.sharedSum) {
      fmt::print("    which come to {} states of memory, and not to the same {}\n", withStacks.sharedStates,
                 found.sharedStates);
      return false;
    }
  }
  return found.isComplete && found.error.empty();
}

/// Looks for the fault in one configuration after the other.
bool find(const Fault &fault, std::size_t bound, const std::string &only, bool showsWay) {
  const auto start = std::chrono::steady_clock::now();
  std::size_t states = 0;
  for (const Case &each : cases()) {
    if (only.empty() ? fault.isOfDrops && !each.configuration.drops : only != each.configuration.name)
      continue;
    const Exploration found = explore(each.configuration, fault.mutant, bound);
    states += found.states;
    if (found.error.empty())
      continue;
    fmt::print("{:<26}{:>9} states{:>6.1f} s  {}: {}\n", fault.name, states, seconds(start),
               each.configuration.name, found.error);
    for (const std::string &line : found.way)
      if (showsWay)
        fmt::print("    {}\n", line);
    return true;
  }
  fmt::print("{:<26}{:>9} states{:>6.1f} s  NOT FOUND: {}\n", fault.name, states, seconds(start), fault.what);
  return false;
}

} // namespace

int main(int argumentCount, char **arguments) {
  CLI::App app("Checks the queue's protocol in every order in which its threads can run.");
  bool deep = false;
  std::string only, faultName;
  std::size_t bound = 30'000'000;
  app.add_flag("--deep", deep, "larger configurations too (a minute or two, and a GiB)");
  app.add_option("--only", only, "the configuration with this name alone");
  app.add_option("--fault", faultName, "the fault with this name alone, and the way to where it shows");
  app.add_option("--bound", bound, "states of a configuration after which to give up")->capture_default_str();
  CLI11_PARSE(app, argumentCount, arguments);
  bool ok = true, any = false;
  for (const Case &each : cases())
    if (faultName.empty() &&
        (only.empty() ? each.depth == Depth::Short || deep : only == each.configuration.name)) {
      ok &= check(each.configuration, bound);
      any = true;
    }
  for (const Fault &fault : kFaults)
    if (faultName.empty() ? only.empty() : faultName == fault.name) {
      ok &= find(fault, std::min<std::size_t>(bound, 300'000), only, !faultName.empty());
      any = true;
    }
  if (!any)
    fmt::print(stderr, "there is no configuration or fault of that name\n");
  return ok && any ? 0 : 1;
}
