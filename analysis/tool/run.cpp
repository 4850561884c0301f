/// The verbs, and what becomes of their errors.
#include "run.h"

#include "analysis/engine/kept_work.h"
#include "analysis/engine/peer_failure.h"
#include "analysis/engine/peers.h"
#include "analysis/model/model.h"
#include "analysis/output/terminal.h"
#include "analysis/output/text.h"
#include "hostlib/manual/manual.h"
#include "shared_options.h"
#include "spelling.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

int said(const std::exception &error, ExitCode code) {
  std::fprintf(stderr, "cupranalyze: %s\n", shown(error.what()).c_str());
  return code;
}

} // namespace

void warnIfTruncated(const Model &model) {
  if (!model.truncation().empty())
    std::fprintf(stderr, "cupranalyze: %s; results cover what is there\n", shown(model.truncation()).c_str());
}

namespace {

/// The words of the command line, the last one first, as CLI11 takes them. `help VERB` is `VERB --help`. Throws std::invalid_argument, with
/// what may have been meant, where the verb is none.
std::vector<std::string> wordsOf(int argc, char **argv, const CLI::App &app) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  std::vector<std::string> verbs;
  for (const CLI::App *verb : app.get_subcommands(nullptr))
    verbs.push_back(verb->get_name());
  if (!words.empty() && !words[0].starts_with('-') && std::ranges::find(verbs, words[0]) == verbs.end()) {
    const std::string nearest = nearestWord(words[0], verbs);
    throw std::invalid_argument(
        fmt::format("'{}' is no verb{}", words[0],
                    nearest.empty() ? "; --help lists them" : "; did you mean " + nearest + "?"));
  }
  std::ranges::reverse(words);
  return words;
}

/// An option that may have been meant with the first word that was not expected; empty: none.
std::string meantWith(const CLI::App &app) {
  for (const std::string &word : app.remaining(true))
    if (word.starts_with("--")) {
      std::vector<std::string> options;
      for (const CLI::App *of :
           {&app, static_cast<const CLI::App *>(app.get_subcommands().empty() ? nullptr
                                                                              : app.get_subcommands()[0])})
        if (of)
          for (const CLI::Option *option : of->get_options())
            for (const std::string &name : option->get_lnames())
              options.push_back("--" + name);
      return nearestWord(word.substr(0, word.find('=')), options);
    }
  return {};
}

} // namespace

int run(int argc, char **argv, Peers *peers) {
  CLI::App app("Shows what a CUDA program did with memory, from the trace of an instrumented run.",
               "cupranalyze");
  app.footer("Exit codes: 0 good, 1 usage, 2 the trace is bad (verify: or incomplete), 3 the "
             "traces differ (diff --accesses), 4 something was found (findings --fail-on).\n"
             "'cupranalyze help VERB' tells more about a verb.");
  app.require_subcommand(1);
  app.set_version_flag("--version", "cupranalyze " CUPR_VERSION);
  manual::addManual(app);
  app.fallthrough(); // --any-size may stand behind the verb
  app.add_flag_callback(
      "--any-size", [] { trace::WorkLimit::allowAnySize(); },
      "Do not refuse a trace that asks for more work or memory than its size lets expect (docs/analysis.md, "
      "Limits)");
  bool keepsNothing = false;
  app.add_flag("--no-cache", keepsNothing,
               "Neither keep what is found by going through the trace, nor use what was kept "
               "(docs/analysis.md, What is kept)");
  TerminalChoices terminal;
  app.add_flag("--full-names", terminal.fullNames,
               "Do not shorten names where a table would be wider than the terminal");
  static const std::map<std::string, Colours> colours{
      {"auto", Colours::Auto}, {"always", Colours::Always}, {"never", Colours::Never}};
  addChoice(app, "--color", terminal.colours, colours,
            "Colours; without it, on a terminal, unless NO_COLOR is set");
  std::vector<std::pair<const CLI::App *, Verb>> verbs;
  const auto comm = [&](CLI::App &to) { return addComm(to, {argv, peers}); };
  for (const std::function<Verb(CLI::App &)> &add : {std::function<Verb(CLI::App &)>(addAdvise),
                                                     {addBanks},
                                                     {addCaches},
                                                     {addCheck},
                                                     {addInfo},
                                                     {addInstructions},
                                                     {comm},
                                                     {addDiff},
                                                     {addDump},
                                                     {addExport},
                                                     {addFindings},
                                                     {addImport},
                                                     {addLatency},
                                                     {addProfile},
                                                     {addRepair},
                                                     {addReport},
                                                     {addResults},
                                                     {addRoofline},
                                                     {addSql},
                                                     {addVerify},
                                                     {addView}}) {
    Verb verb = add(app);
    verbs.emplace_back(app.get_subcommands(nullptr).back(), std::move(verb));
  }
  const bool speaks = !peers || peers->isFirst();
  try {
    app.parse(wordsOf(argc, argv, app));
  } catch (const std::invalid_argument &error) {
    return speaks ? said(error, kExitUsage) : kExitUsage;
  } catch (const CLI::ExtrasError &error) {
    const std::string meant = meantWith(app);
    if (speaks)
      std::fprintf(stderr, "cupranalyze: %s%s\n", shown(error.what()).c_str(),
                   meant.empty() ? "; --help lists what there is"
                                 : ("; did you mean " + meant + "?").c_str());
    return kExitUsage;
  } catch (const CLI::ParseError &error) {
    std::ostringstream out, err;
    const int code = app.exit(error, out, err);
    if (speaks) {
      std::fputs(out.str().c_str(), stdout);
      std::fputs(shownLines(err.str()).c_str(), stderr);
    }
    return code == 0 ? kExitGood : kExitUsage;
  }
  choose(terminal);
  if (!keepsNothing)
    KeptWork::turnOn(KeptWorkPolicy::usual());
  try {
    for (const auto &[command, verb] : verbs)
      if (command->parsed())
        return verb();
  } catch (const PeerFailure &error) {
    const ExitCode code = error.isBadTrace ? kExitBadTrace : kExitUsage;
    return speaks ? said(error, code) : code;
  } catch (const BadTrace &error) {
    if (peers)
      throw;
    return said(error, kExitBadTrace);
  } catch (const trace::TooMuch &error) {
    if (peers)
      throw;
    return said(error, kExitBadTrace);
  } catch (const std::exception &error) {
    if (peers)
      throw;
    return said(error, kExitUsage);
  }
  return kExitUsage;
}

} // namespace cupr::analysis
