/// `profile`: where the program's time went, and by which path of calls, on the host and on the device.
#include "verb.h"

#include "analysis/export/profile_exports.h"
#include "analysis/metrics/profile_metric.h"
#include "analysis/metrics/results.h"
#include "analysis/output/pending_file.h"
#include "analysis/output/text.h"
#include "analysis/render/results_json.h"
#include "shared_options.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

enum class View { TopDown, BottomUp, Flat };

struct ProfileOptions {
  std::string path, metric, speedscope, cube;
  View view = View::TopDown;
  std::size_t depth = SIZE_MAX, top = 30;
  double least = 0.1;
  bool json = false, hostOnly = false;
  LaunchSelection launches;
};

using enum Table::Align;

/// Those that a table shows beside the one that it is sorted by, where there is any of them.
constexpr const char *kShown[] = {"host",   "cpu",    "calls",    "call-time", "wait",
                                  "device", "copied", "accesses", "sectors",   "instructions"};

std::vector<const ProfileMetric *> shownBeside(const ProfileMetric &main, const ProfileFigures &all) {
  std::vector<const ProfileMetric *> shown;
  for (const char *name : kShown)
    if (const ProfileMetric *metric = profileMetric(name); metric != &main && metric->of(all) != 0)
      shown.push_back(metric);
  return shown;
}

std::string nameText(const Model &model, const ProfileNode &node) {
  if (node.kind == ContextKind::Program)
    return model.header().process.program;
  return placedName(node.kind, node.name, node.file, node.line);
}

/// A table whose columns are a metric, its share, what is a row's own of it, others, and what the row is.
class FiguresTable {
public:
  FiguresTable(const ProfileMetric &main, const ProfileFigures &all, const char *heading)
      : main_(main), others_(shownBeside(main, all)), all_(main.of(all)), table_(alignment(others_.size())) {
    std::vector<std::string> cells{std::string(main.heading), "%", "own"};
    for (const ProfileMetric *metric : others_)
      cells.emplace_back(metric->heading);
    cells.emplace_back(heading);
    table_.row(std::move(cells));
  }

  void row(const ProfileFigures &total, const ProfileFigures &own, std::string name) {
    const std::uint64_t of = main_.of(total);
    std::vector<std::string> cells{main_.text(of), of == 0 ? "" : percent(of, all_),
                                   main_.text(main_.of(own))};
    for (const ProfileMetric *metric : others_)
      cells.push_back(metric->text(metric->of(total)));
    cells.push_back(std::move(name));
    table_.row(std::move(cells));
  }
  void note(std::string text) {
    std::vector<std::string> cells(3 + others_.size());
    cells.push_back(std::move(text));
    table_.row(std::move(cells));
  }
  void print() const { fmt::print("{}", table_.text()); }

private:
  static std::vector<Table::Align> alignment(std::size_t others) {
    std::vector<Table::Align> columns(3 + others, Right);
    columns.push_back(Left);
    return columns;
  }

  const ProfileMetric &main_;
  const std::vector<const ProfileMetric *> others_;
  const std::uint64_t all_;
  Table table_;
};

/// By what a node is weighed. The host's time says nothing of what it has the device do, which is weighed by the device's time, or else by
/// its accesses.
const ProfileMetric *weighed(const Profile &profile, const ProfileNode &node, const ProfileMetric *metric) {
  const ProfileNode *of = &node;
  while (of->kind == ContextKind::Loop)
    of = &profile.nodes[of->parent];
  const bool isOfDevice = of->kind == ContextKind::Kernel || of->kind == ContextKind::DeviceFunction ||
                          of->kind == ContextKind::Access;
  if (metric->name != "host" || !isOfDevice)
    return metric;
  const ProfileMetric *const device = profileMetric("device");
  return device->of(node.total) != 0 ? device : profileMetric("accesses");
}

/// What is deep gets less room for each step, so that names keep theirs.
constexpr std::size_t kDeep = 16;

void printTree(const Model &model, const ProfileOptions &options, const ProfileMetric &metric,
               const Profile &profile) {
  std::vector<std::vector<std::uint32_t>> children(profile.nodes.size());
  for (std::uint32_t i = 1; i < profile.nodes.size(); ++i)
    children[profile.nodes[i].parent].push_back(i);
  const auto shareOf = [&](std::uint32_t node) {
    const ProfileMetric &by = *weighed(profile, profile.nodes[node], &metric);
    const std::uint64_t all = by.of(profile.all());
    return all == 0 ? 0
                    : 100 * static_cast<double>(by.of(profile.nodes[node].total)) / static_cast<double>(all);
  };
  FiguresTable table(metric, profile.all(),
                     options.view == View::TopDown ? "calling context"
                                                   : "procedure, and below it who called it");
  const auto indented = [](std::uint32_t depth, const std::string &text) {
    const std::size_t steps = depth;
    return std::string(2 * std::min(steps, kDeep) + (steps > kDeep ? steps - kDeep : 0), ' ') + text;
  };
  struct Line {
    std::uint32_t node;
    std::size_t more; ///< not 0: it stands for so many children of the node that are left out
  };
  std::vector<Line> left{{0, 0}};
  while (!left.empty()) {
    const auto [index, more] = left.back();
    left.pop_back();
    const ProfileNode &node = profile.nodes[index];
    if (more != 0) {
      table.note(indented(node.depth + 1, fmt::format("... {} more", more)));
      continue;
    }
    table.row(node.total, node.own, indented(node.depth, nameText(model, node)));
    std::vector<std::uint32_t> &below = children[index];
    std::ranges::sort(below, {}, [&](std::uint32_t child) { return std::pair(-shareOf(child), child); });
    std::size_t shown = 0;
    while (node.depth < options.depth && shown < below.size() && shareOf(below[shown]) != 0 &&
           shareOf(below[shown]) >= options.least)
      ++shown;
    const auto leftOut = static_cast<std::size_t>(std::ranges::count_if(
        below | std::views::drop(shown), [&](std::uint32_t child) { return shareOf(child) != 0; }));
    if (leftOut != 0)
      left.push_back({index, leftOut});
    for (const std::uint32_t child : below | std::views::take(shown) | std::views::reverse)
      left.push_back({child, 0});
  }
  table.print();
}

void printProcedures(const ProfileOptions &options, const ProfileMetric &metric, const Profile &profile,
                     std::vector<Procedure> procedures) {
  std::ranges::sort(procedures, {}, [&](const Procedure &procedure) {
    return std::tuple(~metric.of(procedure.total), procedure.kind, procedure.name, procedure.object,
                      procedure.file, procedure.line, procedure.column);
  });
  std::erase_if(procedures, [&](const Procedure &procedure) { return metric.of(procedure.total) == 0; });
  FiguresTable table(metric, profile.all(), "procedure");
  for (const Procedure &procedure : procedures | std::views::take(options.top)) {
    const double importance = profile.cpuImportance(procedure.total);
    table.row(
        procedure.total, procedure.own,
        placedName(procedure.kind, procedure.name, procedure.file, procedure.line) +
            (importance == 0 ? std::string() : fmt::format("  (CPU importance {:.1f} %)", 100 * importance)));
  }
  table.print();
  if (procedures.size() > options.top)
    fmt::print("{} more: --top {}\n", procedures.size() - options.top, procedures.size());
}

void printKinds(const Profile &profile) {
  Table table({Left, Right, Right, Right, Right});
  table.row({"kind of call", "calls", "time", "on the API", "API importance"});
  for (std::size_t i = 0; i < kCallKinds; ++i) {
    const auto kind = static_cast<CallKind>(i);
    const CallFigures &of = profile.all().of(kind);
    if (of.calls == 0)
      continue;
    const auto importance = profile.apiImportance(kind);
    table.row({callKindName(kind), grouped(of.calls), durationText(of.time),
               durationText(profile.all().apiTime(kind)),
               importance ? fmt::format("{:.1f} %", 100 * *importance) : std::string("-")});
  }
  fmt::print("{}\n", table.text());
}

void printHead(const Model &model, const Profile &profile) {
  const ProfileFigures &all = profile.all();
  fmt::print("program   {}, {} of execution\n", shown(model.header().process.program),
             durationText(profile.executionTime));
  if (all.calls() == 0 && all.samples == 0) {
    fmt::print(
        "The trace says nothing of the host's calls: launches stand by their places in the source.\n\n");
    return;
  }
  // Others have samples only.
  const auto callers = std::ranges::count_if(
      profile.threads, [](const ProfileThread &thread) { return thread.figures.calls() != 0; });
  fmt::print("host      {} in {} calls by {} threads", durationText(all.callTime()), grouped(all.calls()),
             grouped(static_cast<std::uint64_t>(callers)));
  if (all.waitTime != 0)
    fmt::print("; of it {} in calls that waited for launches and do not synchronise",
               durationText(all.waitTime));
  fmt::print("\n");
  if (all.samples != 0)
    fmt::print("processor {}, of it {} in calls\n", durationText(all.processorTime),
               durationText(all.processorTimeInCalls));
  for (const trace::HostSampling &sampling : profile.samplings)
    fmt::print("samples   {}, each {}, by {}; {} lost\n", grouped(sampling.delivered),
               durationText(sampling.period), shown(sampling.source), grouped(sampling.lost));
  fmt::print("\n");
  if (all.calls() != 0)
    printKinds(profile);
}

void write(const Model &model, const Profile &profile,
           void (*writer)(const Model &, const Profile &, ByteSink &), const std::string &path) {
  PendingFile file(path);
  writer(model, profile, *fileSink(file));
  file.commit();
}

int runProfile(const ProfileOptions &options) {
  const Model model(options.path);
  warnIfTruncated(model);
  Profile topDown = profileOf(model, options.hostOnly ? ProfileDevice::Launches : ProfileDevice::Accesses,
                              options.launches);
  if (!options.speedscope.empty() || !options.cube.empty()) {
    if (!options.speedscope.empty())
      write(model, topDown, profileToSpeedscope, options.speedscope);
    if (!options.cube.empty())
      write(model, topDown, profileToCube, options.cube);
    return kExitGood;
  }
  std::vector<Procedure> procedures;
  if (options.json || options.view == View::Flat)
    procedures = proceduresOf(model, topDown);
  Profile profile = options.view == View::BottomUp ? bottomUp(model, topDown) : std::move(topDown);
  if (options.json) {
    Results results;
    results.profile = std::move(profile);
    results.procedures = std::move(procedures);
    profileJson(model, results, options.view == View::BottomUp ? "bottom-up" : "top-down",
                [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
    return kExitGood;
  }
  const ProfileMetric &metric =
      options.metric.empty() ? mainMetric(profile.all()) : *profileMetric(options.metric);
  printHead(model, profile);
  if (options.view == View::Flat)
    printProcedures(options, metric, profile, std::move(procedures));
  else
    printTree(model, options, metric, profile);
  return kExitGood;
}

} // namespace

Verb addProfile(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("profile", "Where the time went, by calling context: functions of the host, calls "
                                    "of the CUDA API, kernels, their functions and "
                                    "accesses, as one tree (docs/profile.md).");
  auto options = std::make_shared<ProfileOptions>();
  auto *topDown = command->add_flag_callback(
      "--top-down", [options] { options->view = View::TopDown; },
      "The tree from the program's beginning inwards; the default");
  auto *bottomUp = command->add_flag_callback(
      "--bottom-up", [options] { options->view = View::BottomUp; },
      "What has figures of its own, and below it who called it");
  auto *flat = command->add_flag_callback(
      "--flat", [options] { options->view = View::Flat; },
      "Functions, calls, kernels and loops, wherever they are called");
  topDown->excludes(bottomUp)->excludes(flat);
  bottomUp->excludes(flat);
  std::vector<std::string> names;
  std::string what = "Sort by, and show shares of:";
  for (const ProfileMetric &metric : kProfileMetrics) {
    names.emplace_back(metric.name);
    what += fmt::format("{} {} ({})", names.size() == 1 ? "" : ",", metric.name, metric.what);
  }
  command->add_option("--metric", options->metric, what)->check(CLI::IsMember(names));
  command->add_option("--depth", options->depth, "How many steps of a tree to show");
  command
      ->add_option("--least", options->least,
                   "Leave out what is less than this share of the program, in per cent")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--top", options->top, "How many procedures --flat shows")->capture_default_str();
  command->add_flag("--host-only", options->hostOnly,
                    "Without what kernels access, for which all records are read");
  addLaunchSelection(*command, options->launches,
                     "Only what some launches did, and the calls that made them:");
  refuseSelection(*command, "the tree has all that a launch did; its nodes name their places");
  auto *json = command->add_flag("--json", options->json, "All of it, as docs/profile.schema.json says");
  command
      ->add_option("--speedscope", options->speedscope,
                   "Write the tree to this file, which Speedscope opens, and nothing else")
      ->excludes(json);
  command
      ->add_option("--cube", options->cube,
                   "Write the tree to this file (.cubex), which Cube and Extra-P open, and nothing else")
      ->excludes(json);
  return withSchema(*command, options->path, profileJsonSchema, [options] { return runProfile(*options); });
}

} // namespace cupr::analysis
