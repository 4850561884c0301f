/// What the command line of a model's checker does: each configuration is visited completely, and each deliberate fault must be found.
///
/// Deliberate faults are looked for in the same configurations, in the first 300,000 states of each.
#ifndef CUPR_MODEL_CHECKER_H
#define CUPR_MODEL_CHECKER_H

#include "explorer.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace cupr::model {

enum class Depth { Short, Deep };

template <typename Machine> class Checker {
public:
  using Configuration = typename Machine::Configuration;
  using Mutant = typename Machine::Mutant;
  struct Case {
    Depth depth;
    Configuration configuration;
  };
  struct Fault {
    Mutant mutant;
    const char *name, *what;
    bool (*shows)(const Configuration &) = nullptr; ///< where; null: in any
  };

  Checker(std::vector<Case> cases, std::vector<Fault> faults)
      : cases_(std::move(cases)), faults_(std::move(faults)) {}
  virtual ~Checker() = default;

  /// The exit status.
  int run(const char *about, int argumentCount, char **arguments) {
    CLI::App app(about);
    bool deep = false;
    std::string only, faultName;
    std::size_t bound = 30'000'000;
    if (std::ranges::any_of(cases_, [](const Case &each) { return each.depth == Depth::Deep; }))
      app.add_flag("--deep", deep, "larger configurations too (a minute or two, and a GiB)");
    app.add_option("--only", only, "the configuration with this name alone");
    app.add_option("--fault", faultName, "the fault with this name alone, and the way to where it shows");
    app.add_option("--bound", bound, "states of a configuration after which to give up")
        ->capture_default_str();
    CLI11_PARSE(app, argumentCount, arguments);
    bool ok = true, any = false;
    for (const Case &each : cases_)
      if (faultName.empty() &&
          (only.empty() ? each.depth == Depth::Short || deep : only == each.configuration.name)) {
        ok &= check(each.configuration, bound);
        any = true;
      }
    for (const Fault &fault : faults_)
      if (faultName.empty() ? only.empty() : faultName == fault.name) {
        ok &= find(fault, std::min<std::size_t>(bound, 300'000), only, !faultName.empty());
        any = true;
      }
    if (!any)
      fmt::print(stderr, "there is no configuration or fault of that name\n");
    return ok && any ? 0 : 1;
  }

protected:
  /// What else must hold of a configuration that was visited completely; says what doesn't.
  virtual bool checkVisited(const Configuration &, const Exploration &, std::size_t /*bound*/) {
    return true;
  }

private:
  static double seconds(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  }

  bool check(const Configuration &configuration, std::size_t bound) {
    const auto start = std::chrono::steady_clock::now();
    const Exploration found = explore<Machine>(configuration, Mutant::None, bound);
    fmt::print("{:<36}{:>10} states{:>11} steps{:>6} ends{:>7.1f} s  {}\n", configuration.name, found.states,
               found.steps, found.ends, seconds(start),
               !found.error.empty() ? found.error
               : found.isComplete   ? "complete"
                                    : "NOT COMPLETE");
    for (const std::string &line : found.way)
      fmt::print("    {}\n", line);
    std::fflush(stdout);
    return found.isComplete && found.error.empty() && checkVisited(configuration, found, bound);
  }

  /// Looks for the fault in one configuration after the other.
  bool find(const Fault &fault, std::size_t bound, const std::string &only, bool showsWay) {
    const auto start = std::chrono::steady_clock::now();
    std::size_t states = 0;
    for (const Case &each : cases_) {
      if (only.empty() ? fault.shows && !fault.shows(each.configuration) : only != each.configuration.name)
        continue;
      const Exploration found = explore<Machine>(each.configuration, fault.mutant, bound);
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
    fmt::print("{:<26}{:>9} states{:>6.1f} s  NOT FOUND: {}\n", fault.name, states, seconds(start),
               fault.what);
    return false;
  }

  const std::vector<Case> cases_;
  const std::vector<Fault> faults_;
};

} // namespace cupr::model

#endif
