/// `roofline`: what bounds the time of kernels and lines, operations or a level of memory.
#include "roofline_options.h"
#include "shared_options.h"
#include "verb.h"

#include "analysis/metrics/results.h"
#include "analysis/output/text.h"
#include "analysis/render/results_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

struct RooflineOptions {
  std::string path;
  std::size_t top = 20;
  bool json = false, quiet = false;
  RooflineChoices choices;
};

/// `part` for each of `whole`, to three digits; `-`: there is none.
std::string intensity(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.3g}", static_cast<double>(part) / static_cast<double>(whole));
}

std::string leastTimeText(double seconds) {
  return seconds < 1e-6 ? fmt::format("{:.0f} ns", seconds * 1e9)
                        : durationText(static_cast<std::uint64_t>(std::llround(seconds * 1e9)));
}

/// `time`: of a kernel, untraced, where it is known.
std::vector<std::string> rowOf(std::string name, const RooflineWork &work, const Roofline &roofline,
                               std::optional<std::uint64_t> time, std::optional<double> issueRate) {
  const std::uint64_t operations = work.floatingOperations();
  const auto bound = roofline.boundOf(work);
  return {std::move(name),
          grouped(operations),
          intensity(operations, work.l1Bytes),
          intensity(operations, work.l2Bytes),
          intensity(operations, work.memoryBytes),
          bound ? bound->limit : "",
          bound ? leastTimeText(bound->seconds) : "",
          time ? durationText(*time) : "",
          time && *time != 0 && bound
              ? fmt::format("{:.0f} %", 100 * bound->seconds * 1e9 / static_cast<double>(*time))
              : "",
          issueRate ? fmt::format("{:.2f}", *issueRate) : ""};
}

/// What takes longest first; without ceilings, what moves most bytes.
template <typename Key>
std::vector<std::pair<Key, RooflineWork>> byCost(const std::map<Key, RooflineWork> &works,
                                                 const Roofline &roofline) {
  std::vector<std::pair<Key, RooflineWork>> sorted(works.begin(), works.end());
  std::ranges::sort(sorted, {}, [&](const auto &of) {
    const auto bound = roofline.boundOf(of.second);
    return std::tuple<double, std::uint64_t, const Key &>(
        bound ? -bound->seconds : 0.0, ~(of.second.memoryBytes + of.second.l1Bytes), of.first);
  });
  return sorted;
}

void printRoofline(const Model &model, const Roofline &roofline, std::size_t top) {
  using enum Table::Align;
  Table table({Left, Right, Right, Right, Right, Left, Right, Right, Right, Right});
  const bool hasBounds = roofline.ceilings.has_value(), hasTimes = !roofline.times.empty();
  table.row({"kernel, its lines", "flop", "flop/B L1", "L2", "memory", hasBounds ? "limit" : "",
             hasBounds ? "at least" : "", hasTimes ? "takes" : "", hasBounds && hasTimes ? "of it" : "",
             hasBounds && hasTimes ? "issue rate" : ""});
  std::size_t left = top;
  for (const auto &[kernel, work] : byCost(sumsOfKernels(roofline.lines), roofline)) {
    if (left == 0)
      break;
    table.row(rowOf(model.launches()[kernel].kernel, work, roofline, roofline.timeOf(kernel),
                    roofline.issueRate(kernel, work)));
    std::map<std::string, RooflineWork> lines;
    for (const auto &[line, its] : roofline.lines)
      if (line.kernel == kernel)
        lines[line.file.empty() ? line.function : fmt::format("{}:{}", line.file, line.line)] += its;
    for (const auto &[name, its] : byCost(lines, roofline)) {
      if (left == 0)
        break;
      --left;
      table.row(rowOf("  " + name, its, roofline, {}, {}));
    }
  }
  fmt::print("{}", table.text());
}

int runRoofline(const RooflineOptions &options) {
  const Model model(options.path);
  warnIfTruncated(model);
  if (!options.json && !recordsInstructions(model)) {
    fmt::print("{}", kNoInstructions);
    return kExitGood;
  }
  Results results;
  const Roofline &roofline = results.roofline.emplace(rooflineOf(model, options.choices, options.quiet));
  if (options.json) {
    rooflineJson(model, results,
                 [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
    return kExitGood;
  }
  if (roofline.lines.empty()) {
    fmt::print("nothing is executed in what was traced\n");
    return kExitGood;
  }
  printRoofline(model, roofline, options.top);
  fmt::print("Caches modelled: {}.{}\n", roofline.geometry->name,
             roofline.ceilings ? fmt::format(" Ceilings: measured on {}.", roofline.ceilings->device)
                               : " --ceilings FILE says what bounds the time (docs/profile.md).");
  return kExitGood;
}

} // namespace

Verb addRoofline(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("roofline", "What bounds the time of kernels and lines: operations, or bytes at a "
                                     "level of memory. Programs must be "
                                     "built to record what they execute: cupr++ --instructions.");
  auto options = std::make_shared<RooflineOptions>();
  addRooflineOptions(*command, options->choices);
  command
      ->add_option("--device", options->choices.device,
                   "GPU whose caches are modelled, such as A100; without it that of the ceilings, or the one "
                   "that the program ran on, or an H100")
      ->check([](const std::string &name) { return geometryOf(name) ? "" : unknownGeometry(name); });
  command->add_flag("--cold", options->choices.cold, "L2 is empty when a launch begins, as under ncu");
  command->add_option("--top", options->top, "How many lines to print")->capture_default_str();
  command->add_flag("--json", options->json, "All of them, as docs/roofline.schema.json says");
  addLaunchSelection(*command, options->choices.launches);
  refuseSelection(*command,
                  "blocks and files share the caches, so they are modelled together; rows name their places");
  command->add_flag("--quiet,-q", options->quiet, "No progress on stderr");
  return withSchema(*command, options->path, rooflineJsonSchema, [options] { return runRoofline(*options); });
}

} // namespace cupr::analysis
