/// `banks`: which accesses of shared memory meet in banks, and who meets whom.
#include "shared_options.h"
#include "verb.h"

#include "analysis/engine/kept_patterns.h"
#include "analysis/engine/program_places.h"
#include "analysis/metrics/results.h"
#include "analysis/model/shared_variables.h"
#include "analysis/output/progress.h"
#include "analysis/output/text.h"
#include "analysis/render/bank_table.h"
#include "analysis/render/results_json.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

const std::map<std::string, BankWidth> kWidths = {{"4", BankWidth::Four}, {"8", BankWidth::Eight}};

struct BanksOptions {
  std::string path;
  std::size_t top = 20;
  bool json = false, quiet = false;
  LaunchSelection launches;
  RecordSelection records;
  BankWidth width = BankWidth::Four;
  bool tables = false;
  std::uint32_t line = 0;       ///< 0: all
  std::optional<unsigned> warp; ///< none: all
};

bool isShared(const trace::Site &site) { return abi::spaceOf(site.space) == abi::MemorySpace::Shared; }

std::vector<std::string> rowOf(std::string name, const std::string &bytes, const BankCost &cost) {
  const BankFigures &made = cost.made;
  return {std::move(name),
          bytes,
          grouped(made.requests),
          grouped(made.wavefronts),
          grouped(made.idealWavefronts),
          percent(made.excess(), made.wavefronts),
          made.worst > 1 ? fmt::format("{}-way", made.worst) : "none",
          fmt::format("{}", fmt::join(cost.variables, ", "))};
}

/// Entries whose keys are `wanted`, those with most excess first.
template <typename Key, typename Wanted>
std::vector<const std::pair<const Key, BankCost> *> byExcess(const std::map<Key, BankCost> &costs,
                                                             Wanted wanted) {
  std::vector<const std::pair<const Key, BankCost> *> sorted;
  for (const auto &of : costs)
    if (wanted(of.first))
      sorted.push_back(&of);
  std::ranges::sort(sorted, {}, [](const auto *of) {
    return std::tuple<std::uint64_t, const Key &>(~of->second.made.excess(), of->first);
  });
  return sorted;
}

void printBanks(const Model &model, const std::map<AccessKey, BankCost> &accesses, std::size_t top) {
  const std::map<LaunchIndex, BankCost> sums = sumsOfKernels(accesses);
  using enum Table::Align;
  Table table({Left, Right, Right, Right, Right, Right, Right, Left});
  const bool areNamed =
      std::ranges::any_of(accesses, [](const auto &of) { return !of.second.variables.empty(); });
  table.row({"kernel, its accesses", "bytes", "requests", "wavefronts", "ideal", "excess", "worst",
             areNamed ? "variables" : ""});
  std::size_t left = top;
  bool mayBeFewer = false;
  for (const auto *of : byExcess(sums, [](LaunchIndex) { return true; })) {
    if (left == 0)
      break;
    table.row(rowOf(model.launches()[of->first].kernel, "", of->second));
    for (const auto *its :
         byExcess(accesses, [&](const AccessKey &key) { return key.kernel == of->first; })) {
      if (left == 0)
        break;
      --left;
      const auto &[key, cost] = *its;
      mayBeFewer = mayBeFewer || cost.made.wordWavefronts != cost.made.wavefronts;
      table.row(
          rowOf(fmt::format("  {}:{}:{} {}", key.file, key.line, key.column, operationName(key.operation)),
                fmt::format("{}", key.bytes), cost));
    }
  }
  fmt::print("{}", table.text());
  if (accesses.size() > top)
    fmt::print("{} more: --top {}\n", accesses.size() - top, accesses.size());
  if (mayBeFewer)
    fmt::print(
        "Atomics whose result nobody uses, and that add 1, take turns by words: wordWavefronts in --json.\n");
}

/// Gives how many there were.
std::size_t printTables(const Model &model, const BanksOptions &options) {
  const LaunchFilter launches(options.launches, model);
  const RecordFilter records(options.records, model);
  SharedVariables variables(model);
  std::size_t printed = 0;
  for (const LaunchInfo &launch : model.launches()) {
    if (!launches.has(launch) || printed == options.top)
      continue;
    RecordStream stream(model, launch);
    while (const Record *record = printed == options.top ? nullptr : stream.next()) {
      if (!isShared(*record->site) || !records.has(launch, *record) ||
          (options.line != 0 && record->site->line != options.line) ||
          (options.warp && record->access.warp != *options.warp))
        continue;
      const BankTable table{launch, *model.moduleOf(launch), *record, variables.of(launch), options.width};
      if (options.json)
        fmt::print("{}\n", table.json());
      else
        fmt::print("{}{}", printed == 0 ? "" : "\n", table.text());
      ++printed;
    }
  }
  return printed;
}

int runBanks(const BanksOptions &options) {
  const Model model(options.path);
  warnIfTruncated(model);
  if (!options.json &&
      std::ranges::none_of(placedSitesOf(model), [](const PlacedSite &of) { return isShared(*of.site); })) {
    fmt::print(
        "no access of shared memory is in this trace: 'cupr++ --spaces=global,shared' builds programs that "
        "record them\n");
    return kExitGood;
  }
  if (options.tables) {
    if (printTables(model, options) == 0 && !options.json)
      fmt::print("no access of shared memory is selected\n");
    return kExitGood;
  }
  Progress progress("banks", stderr, ::isatty(STDERR_FILENO) != 0);
  Results results;
  results.banks = bankCosts(model, keptPatterns(model, {.launches = options.launches,
                                                        .records = options.records,
                                                        .bankWidth = options.width,
                                                        .progress = options.quiet ? nullptr : &progress}));
  if (options.json)
    banksJson(model, results, options.width,
              [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  else if (results.banks.empty())
    fmt::print("no access of shared memory is selected\n");
  else
    printBanks(model, results.banks, options.top);
  return kExitGood;
}

} // namespace

Verb addBanks(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "banks",
      "Bank conflicts of shared memory: how many wavefronts each access takes, and how many it would take "
      "without conflicts. Programs must be built to record shared memory: cupr++ --spaces=global,shared.");
  auto options = std::make_shared<BanksOptions>();
  command->add_option("trace", options->path, "Trace file")->required();
  command->add_option("--top", options->top, "How many accesses, or tables, to print")->capture_default_str();
  command->add_flag("--json", options->json,
                    "All of them, as docs/banks.schema.json says; of tables, one on each line");
  addChoice(*command, "--bank-width", options->width, kWidths,
            "Bytes of a bank's word: 4 (the default) or 8");
  auto *tables =
      command->add_flag("--table", options->tables,
                        "Print the bank tables of single requests: which threads meet in which bank");
  command->add_option("--line", options->line, "With --table: only accesses at this line")->needs(tables);
  command->add_option("--warp", options->warp, "With --table: only this warp of each block")->needs(tables);
  addLaunchSelection(*command, options->launches);
  addRecordSelection(*command, options->records);
  command->add_flag("--quiet,-q", options->quiet, "No progress on stderr");
  return [options] { return runBanks(*options); };
}

} // namespace cupr::analysis
