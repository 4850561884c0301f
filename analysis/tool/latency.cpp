/// `latency`: how long accesses took in timed launches, where a kernel waits for memory, and what patterns cost.
#include "plain_times_option.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/export/latency_exports.h"
#include "analysis/metrics/results.h"
#include "analysis/output/kind_names.h"
#include "analysis/output/pending_file.h"
#include "analysis/output/progress.h"
#include "analysis/output/text.h"
#include "analysis/render/results_json.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

struct LatencyVerbOptions {
  std::string path, csv, perfetto, otf2, times;
  std::size_t top = 20;
  bool json = false, quiet = false, warps = false;
  LatencySelection selection;
  std::optional<WarpChoice> series;
  LatencyWindow window;
};

using enum Table::Align;

std::string real(double number) { return fmt::format("{:.1f}", number); }
/// "612.4 +- 3.1".
std::string meanText(const LatencyMoments &moments) {
  const std::optional<double> error = moments.error();
  return real(moments.mean()) + (error ? fmt::format(" +- {:.1f}", *error) : std::string());
}
std::string percentText(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}
std::string patternText(const PatternCost &cost) {
  if (cost.reference == PatternCost::Reference::None)
    return "-";
  return fmt::format("{:.0f}", cost.cycles) +
         (cost.error ? fmt::format(" +- {:.0f}", *cost.error) : std::string());
}
std::string placeText(const AccessKey &key) {
  return fmt::format("{}:{}:{} {}", key.file, key.line, key.column, abi::operationName(key.operation));
}

/// Empty where there is one kernel only: all is of it.
std::string kernelText(const Model &model, const LatencyFigures &figures, LaunchIndex kernel) {
  return figures.kernels.size() == 1 ? std::string() : model.launches()[kernel].kernel;
}

std::vector<std::string> rowOf(std::string name, std::string kernel, const LatencyDistribution &of,
                               std::uint64_t all, std::string width, std::string pattern) {
  const LatencyMoments &moments = of.moments;
  return {std::move(name),
          std::move(kernel),
          grouped(moments.samples),
          percent(moments.cycles, all),
          meanText(moments),
          grouped(moments.least),
          grouped(of.percentile(50)),
          grouped(of.percentile(90)),
          grouped(of.percentile(99)),
          grouped(moments.most),
          std::move(width),
          std::move(pattern)};
}

std::string widthText(const LatencyOfAccess &of) {
  if (of.widthOf == LatencyWidth::None)
    return "-";
  const std::uint64_t samples = of.durations.moments.samples;
  return fmt::format("{:.1f} of {:.1f} {}", static_cast<double>(of.width) / static_cast<double>(samples),
                     static_cast<double>(of.leastWidth) / static_cast<double>(samples),
                     of.widthOf == LatencyWidth::Sectors ? "sectors" : "wavefronts");
}

std::uint64_t cyclesOf(const LatencyOfAccess &of) { return of.durations.moments.cycles; }
std::uint64_t cyclesOf(const LatencyDistribution &of) { return of.moments.cycles; }

/// With what takes most cycles first.
template <typename Key, typename Of>
std::vector<const std::pair<const Key, Of> *> byCycles(const std::map<Key, Of> &figures) {
  std::vector<const std::pair<const Key, Of> *> sorted;
  for (const auto &of : figures)
    sorted.push_back(&of);
  std::ranges::sort(sorted, {}, [](const auto *of) {
    return std::tuple<std::uint64_t, const Key &>(~cyclesOf(of->second), of->first);
  });
  return sorted;
}

void printMore(std::size_t all, std::size_t top) {
  if (all > top)
    fmt::print("{} more: --top {}\n", all - top, all);
}

/// "1.72": the timed launches took so much longer than plain ones; `-`: plain ones are not known.
std::string slowdownText(const LatencyFigures &figures, LaunchIndex kernel) {
  const auto known = figures.slowdowns.find(kernel);
  return known == figures.slowdowns.end() ? "-" : fmt::format("{:.2f}", known->second.factor());
}

void printKernels(const Model &model, const LatencyFigures &figures) {
  Table table({Left, Left, Right, Right, Right, Right, Right, Right, Right});
  table.row({"kernel", "scheme", "launches", "warps", "samples", "mean", "cycles", "of its warps' time",
             "times plain"});
  for (const auto &[kernel, of] : figures.kernels)
    table.row({model.launches()[kernel].kernel, kindName(of.scheme), grouped(of.launches), grouped(of.warps),
               grouped(of.durations.samples), meanText(of.durations), grouped(of.durations.cycles),
               percentText(of.share()), slowdownText(figures, kernel)});
  fmt::print("{}", table.text());
}

void printAccesses(const Model &model, const LatencyFigures &figures, std::size_t top) {
  Table table({Left, Left, Right, Right, Right, Right, Right, Right, Right, Right, Right, Right});
  table.row({"access", figures.kernels.size() == 1 ? "" : "kernel", "samples", "cycles", "mean", "min", "p50",
             "p90", "p99", "max", "width", "its pattern's cycles"});
  const auto sorted = byCycles(figures.accesses);
  for (const auto *of : sorted | std::views::take(top)) {
    const auto &[key, made] = *of;
    table.row(rowOf(placeText(key.access), kernelText(model, figures, key.access.kernel), made.durations,
                    figures.cycles, widthText(made), patternText(made.pattern)));
  }
  fmt::print("\n{}", table.text());
  printMore(figures.accesses.size(), top);
}

void printLines(const Model &model, const LatencyFigures &figures, std::size_t top) {
  const auto sorted = byCycles(figures.lines);
  Table table({Left, Left, Right, Right, Right, Right, Right, Right, Right, Right, Right, Right});
  table.row({"line", figures.kernels.size() == 1 ? "" : "kernel", "samples", "cycles", "mean", "min", "p50",
             "p90", "p99", "max", "", ""});
  for (const auto *line : sorted | std::views::take(top))
    table.row(rowOf(fmt::format("{}:{}", line->first.file, line->first.line),
                    kernelText(model, figures, line->first.kernel), line->second, figures.cycles, "", ""));
  fmt::print("\n{}", table.text());
  printMore(sorted.size(), top);
}

/// Of accesses that have several.
void printShapes(const Model &model, const LatencyFigures &figures, std::size_t top) {
  Table table({Left, Left, Right, Right, Right, Right, Right});
  table.row({"access, by what it moved", figures.kernels.size() == 1 ? "" : "kernel", "width", "at least",
             "samples", "mean", ""});
  bool isAny = false;
  const auto sorted = byCycles(figures.accesses);
  for (const auto *of : sorted | std::views::take(top)) {
    const auto &[key, made] = *of;
    if (made.shapes.size() < 2)
      continue;
    isAny = true;
    table.row({placeText(key.access), kernelText(model, figures, key.access.kernel)});
    for (const auto &[shape, moments] : made.shapes)
      table.row({"", "", grouped(shape.width), grouped(shape.leastWidth), grouped(moments.samples),
                 meanText(moments), made.widthOf == LatencyWidth::Sectors ? "sectors" : "wavefronts"});
  }
  if (isAny)
    fmt::print("\n{}", table.text());
}

void printMultiprocessors(const Model &model, const LatencyFigures &figures, std::size_t top) {
  Table table({Left, Right, Right, Right, Right, Right});
  table.row({"kernel", "multiprocessor", "warps", "samples", "mean", "of its warps' time"});
  for (const auto &[place, of] : figures.multiprocessors | std::views::take(top))
    table.row({model.launches()[place.kernel].kernel, grouped(place.sm), grouped(of.warps),
               grouped(of.durations.samples), meanText(of.durations), percentText(of.share())});
  fmt::print("\n{}", table.text());
  printMore(figures.multiprocessors.size(), top);
}

std::string blockText(const Model &model, LaunchIndex launch, std::uint64_t cta) {
  const trace::Dim3 place = placeInGrid(model.launches()[launch].launch.grid, cta);
  return fmt::format("{},{},{}", place.x, place.y, place.z);
}
std::string launchText(const Model &model, LaunchIndex launch) {
  return fmt::format("{}", static_cast<std::uint64_t>(model.launches()[launch].number));
}

void printWarps(const Model &model, const LatencyFigures &figures, std::size_t top) {
  Table table({Right, Right, Right, Right, Right, Right, Right, Right, Right});
  table.row({"launch", "multiprocessor", "block", "warp", "samples", "mean", "min", "max", "of its time"});
  for (const LatencyOfWarp &warp : figures.warps | std::views::take(top))
    table.row({launchText(model, warp.launch), grouped(warp.sm), blockText(model, warp.launch, warp.cta),
               grouped(warp.warp), grouped(warp.durations.samples), meanText(warp.durations),
               grouped(warp.durations.least), grouped(warp.durations.most),
               percent(warp.memoryCycles, warp.end - warp.start)});
  fmt::print("\n{}", table.text());
  printMore(figures.warps.size(), top);
}

void printSeries(const Model &model, const LatencyFigures &figures) {
  Table table({Right, Right, Right, Right, Left});
  table.row({"launch", "number", "clock", "duration", "access"});
  for (const LatencyOfSeries &of : figures.series) {
    const trace::Site &site = of.module->sites[of.sample.site];
    table.row({launchText(model, of.launch), grouped(of.number), fmt::format("{}", of.sample.start),
               grouped(of.sample.duration),
               fmt::format("{}:{}:{} {}", of.module->strings[site.file], site.line, site.column,
                           abi::operationName(site.operation))});
  }
  fmt::print("{}", table.text());
}

/// What must be known to read the figures.
void printNotes(const Model &model, const LatencyFigures &figures) {
  std::set<std::string_view> schemes;
  std::uint64_t untimed = 0;
  for (const auto &[kernel, of] : figures.kernels) {
    schemes.insert(kindName(of.scheme));
    untimed += of.untimed;
  }
  fmt::print("\n{} timed launch{}, measured by the scheme {}. Means with the interval of 95 %.\n",
             grouped(figures.launches), figures.launches == 1 ? "" : "es", fmt::join(schemes, ", "));
  if (schemes.contains(abi::schemeName(abi::LatencyScheme::Naive)))
    fmt::print("The scheme naive makes nothing wait for what is loaded: its durations are those of issuing "
               "an access, "
               "unless code that waits stands in front of the second clock.\n");
  if (isModelled(model))
    fmt::print("Modelled: the program ran on the CPU device, whose durations are those of a model.\n");
  else
    fmt::print("Accesses of kernels with many warps wait for the hooks' own traffic, too: compare them with "
               "each other.\n");
  if (figures.slowdowns.empty())
    fmt::print("How much slower than plain ones the timed launches were, --times TRACE says "
               "(docs/latency.md).\n");
  if (untimed != 0)
    fmt::print("Of {} accesses of warps nothing was measured.\n", grouped(untimed));
}

/// Where a file's bytes go; "-" is stdout.
template <typename Write> void writeFile(const std::string &path, Write write) {
  if (path == "-")
    return write(*stdoutSink());
  PendingFile file(path);
  write(*fileSink(file));
  file.commit();
}

int runLatency(const LatencyVerbOptions &options) {
  const Model model(options.path);
  warnIfTruncated(model);
  Progress progress("latency", stderr, ::isatty(STDERR_FILENO) != 0);
  Progress *const shown = options.quiet ? nullptr : &progress;
  if (!options.csv.empty())
    writeFile(options.csv, [&](ByteSink &sink) { writeLatencyCsv(model, options.selection, sink, shown); });
  if (!options.perfetto.empty())
    writeFile(options.perfetto, [&](ByteSink &sink) {
      writeLatencyTimeline(model, options.selection, options.window, sink, shown);
    });
  if (!options.otf2.empty())
    writeLatencyOtf2(model, options.selection, options.window, options.otf2, shown);
  if (!options.csv.empty() || !options.perfetto.empty() || !options.otf2.empty())
    return kExitGood;
  Results results;
  results.latency = latencyFigures(model, {.selection = options.selection,
                                           .listWarps = options.warps,
                                           .series = options.series,
                                           .progress = shown});
  if (!options.times.empty()) {
    results.latency.slowdowns = slowdowns(model, options.selection.launches, readPlainTimes(options.times));
    if (results.latency.slowdowns.empty())
      warnOfNoTimes(options.times);
  }
  const LatencyFigures &figures = results.latency;
  if (options.json)
    latencyJson(model, results,
                [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  else if (options.series) {
    if (figures.series.empty())
      throw std::runtime_error(fmt::format("{}: nothing is timed of the warp {} of the block {}",
                                           options.path, options.series->warp, options.series->block));
    printSeries(model, figures);
  } else if (figures.accesses.empty())
    fmt::print("no access that is timed is selected\n");
  else {
    printKernels(model, figures);
    printAccesses(model, figures, options.top);
    printLines(model, figures, options.top);
    printShapes(model, figures, options.top);
    printMultiprocessors(model, figures, options.top);
    if (options.warps)
      printWarps(model, figures, options.top);
    printNotes(model, figures);
  }
  return kExitGood;
}

template <typename Number> bool isNumber(std::string_view text, Number &number) {
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && behind == text.data() + text.size();
}

/// Two texts with a colon between.
std::pair<std::string, std::string> aroundColon(const std::string &text) {
  const std::size_t colon = text.find(':');
  return colon == text.npos ? std::pair<std::string, std::string>()
                            : std::pair(text.substr(0, colon), text.substr(colon + 1));
}

/// Empty: they are. Otherwise what is wrong.
std::string readWarp(const std::string &text, std::optional<WarpChoice> &to) {
  const auto [block, warp] = aroundColon(text);
  WarpChoice choice{block, 0};
  if (block.empty() || !isNumber(warp, choice.warp) || choice.warp > abi::kWarpMask)
    return "give BLOCK:WARP, with a block as x,y,z or its linear number, not '" + text + "'";
  try {
    blockNumbers(block);
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  to = choice;
  return {};
}

void mustBeRight(const char *option, const std::string &wrong) {
  if (!wrong.empty())
    throw CLI::ValidationError(option, wrong);
}

std::string readWindow(const std::string &text, LatencyWindow &to) {
  const auto [from, behind] = aroundColon(text);
  LatencyWindow window;
  if (!isNumber(from, window.from) || !isNumber(behind, window.to) || window.from >= window.to)
    return "give FROM:TO in cycles, the first smaller, not '" + text + "'";
  to = window;
  return {};
}

} // namespace

Verb addLatency(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "latency", "How long accesses took in timed launches (cupr++ --latency): by access, line, kernel, "
                 "multiprocessor and warp, and what their patterns cost (docs/analysis.md, latency).");
  auto options = std::make_shared<LatencyVerbOptions>();
  command->add_option("--top", options->top, "How many rows of each table to print")->capture_default_str();
  command->add_flag("--warps", options->warps,
                    "Also a table of warps: how long their accesses took on average");
  auto *series = command->add_option_function<std::string>(
      "--warp",
      [options](const std::string &text) { mustBeRight("--warp", readWarp(text, options->series)); },
      "Only the accesses of one warp, BLOCK:WARP, one by one: number, clock, duration");
  auto *json = command->add_flag("--json", options->json, "All of it, as docs/latency.schema.json says");
  auto *csv = command->add_option(
      "--csv", options->csv,
      "Write every access of a warp as a line of CSV to this file, and nothing else; -: stdout");
  auto *perfetto = command->add_option("--perfetto", options->perfetto,
                                       "Write a timeline of one launch to this file, which Perfetto opens, "
                                       "and nothing else: a track for each warp; -: stdout");
  auto *otf2 = command->add_option("--otf2", options->otf2,
                                   "Write the same as an archive of OTF2, for Vampir and others, to this "
                                   "folder, which is made, and nothing else");
  auto *window = command->add_option_function<std::string>(
      "--window",
      [options](const std::string &text) { mustBeRight("--window", readWindow(text, options->window)); },
      "Of a timeline only these cycles, FROM:TO, from the launch's first access on");
  command->parse_complete_callback([=] {
    if (window->count() != 0 && perfetto->count() == 0 && otf2->count() == 0)
      throw CLI::RequiresError("--window", "--perfetto or --otf2");
  });
  for (CLI::Option *file : {csv, perfetto, otf2}) {
    json->excludes(file);
    series->excludes(file);
  }
  addPlainTimes(*command, options->times);
  addLaunchSelection(*command, options->selection.launches);
  addRecordSelection(*command, options->selection.records);
  command->add_flag("--quiet,-q", options->quiet, "No progress on stderr");
  return withSchema(*command, options->path, latencyJsonSchema, [options] { return runLatency(*options); });
}

} // namespace cupr::analysis
