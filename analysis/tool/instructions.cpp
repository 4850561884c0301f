/// `instructions`: what kernels executed, by class of instruction.
#include "shared_options.h"
#include "verb.h"

#include "analysis/metrics/access_costs.h"
#include "analysis/metrics/results.h"
#include "analysis/output/text.h"
#include "analysis/render/results_json.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

enum class By { Class, Line, Context };
const std::map<std::string, By> kBy = {{"class", By::Class}, {"line", By::Line}, {"context", By::Context}};

struct InstructionsOptions {
  std::string path;
  std::size_t top = 20;
  By by = By::Class;
  bool json = false;
  LaunchSelection launches;
};

std::vector<std::string> rowOf(std::string name, const ExecutedCount &count, const ExecutedCount &kernel) {
  return {std::move(name), grouped(count.instructions), percent(count.instructions, kernel.instructions),
          grouped(count.threads), percent(count.threads, count.instructions * abi::kLanes)};
}

std::string nameOf(const AccessKey &line, By by) {
  if (line.file.empty())
    return line.function;
  std::string name = fmt::format("{}:{}", line.file, line.line);
  if (by == By::Line)
    return name;
  name += " " + line.function;
  for (std::size_t i = 0; i < line.callers.size(); ++i)
    name += fmt::format(" < {}", line.callers[i]);
  return name;
}

/// Classes, or lines; those with most instructions first.
std::vector<std::pair<std::string, ExecutedCount>> partsOf(const InstructionMixes &mixes, LaunchIndex kernel,
                                                           By by) {
  std::map<std::string, ExecutedCount> sums;
  for (const auto &[line, mix] : mixes)
    if (line.kernel == kernel)
      for (const auto &[name, count] : mix)
        sums[by == By::Class ? name : nameOf(line, by)] += count;
  std::vector<std::pair<std::string, ExecutedCount>> parts(sums.begin(), sums.end());
  std::ranges::sort(parts, {}, [](const auto &part) {
    return std::tuple<std::uint64_t, const std::string &>(~part.second.instructions, part.first);
  });
  return parts;
}

void printMixes(const Model &model, const InstructionMixes &mixes, const InstructionsOptions &options) {
  std::vector<std::pair<LaunchIndex, ExecutedCount>> kernels;
  for (const auto &[kernel, mix] : sumsOfKernels(mixes))
    kernels.emplace_back(kernel, mix.sum());
  std::ranges::sort(kernels, {},
                    [](const auto &kernel) { return std::pair(~kernel.second.instructions, kernel.first); });
  using enum Table::Align;
  Table table({Left, Right, Right, Right, Right});
  table.row({options.by == By::Class ? "kernel, its classes of instructions" : "kernel, its lines",
             "by warps", "%", "by threads", "active lanes"});
  std::size_t left = options.top, more = 0;
  for (const auto &[kernel, all] : kernels) {
    if (left != 0)
      table.row(rowOf(model.launches()[kernel].kernel, all, all));
    for (const auto &[name, count] : partsOf(mixes, kernel, options.by)) {
      if (left == 0) {
        ++more;
        continue;
      }
      --left;
      table.row(rowOf("  " + name, count, all));
    }
  }
  fmt::print("{}", table.text());
  if (more != 0)
    fmt::print("{} more: --top {}\n", more, options.top + more);
}

int runInstructions(const InstructionsOptions &options) {
  const Model model(options.path);
  warnIfTruncated(model);
  if (!options.json && !recordsInstructions(model)) {
    fmt::print("{}", kNoInstructions);
    return kExitGood;
  }
  Results results;
  results.instructions = instructionMixes(model, options.launches);
  if (options.json)
    instructionsJson(model, results,
                     [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  else if (results.instructions.empty())
    fmt::print("no instruction is in what was traced\n");
  else
    printMixes(model, results.instructions, options);
  return kExitGood;
}

} // namespace

Verb addInstructions(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("instructions", "What kernels executed, by class of instruction: how often, and by "
                                         "how many lanes. Programs must be built "
                                         "to record it: cupr++ --instructions.");
  auto options = std::make_shared<InstructionsOptions>();
  addChoice(
      *command, "--by", options->by, kBy,
      "Rows below each kernel: class (the default), line, or context: lines by the calls that led there");
  command->add_option("--top", options->top, "How many of these rows to print")->capture_default_str();
  command->add_flag("--json", options->json, "All of them, as docs/instructions.schema.json says");
  addLaunchSelection(*command, options->launches);
  refuseSelection(*command, "they are counted for launches as a whole; rows name their places");
  return withSchema(*command, options->path, instructionsJsonSchema,
                    [options] { return runInstructions(*options); });
}

} // namespace cupr::analysis
