/// `caches`: which accesses find their data in L1 and L2, by a model.
#include "shared_options.h"
#include "verb.h"

#include "analysis/engine/kept_caches.h"
#include "analysis/metrics/results.h"
#include "analysis/output/progress.h"
#include "analysis/output/text.h"
#include "analysis/render/results_json.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

struct CachesOptions {
  std::string path, device;
  std::size_t top = 20;
  bool json = false, quiet = false, cold = false, reuse = false;
  LaunchSelection launches;
};

std::vector<std::string> rowOf(std::string name, std::string bytes, const CacheFigures &made) {
  return {std::move(name),
          std::move(bytes),
          grouped(made.l1Sectors()),
          percent(made.l1Hits(), made.l1Sectors()),
          grouped(made.l2Sectors()),
          percent(made.l2Hits(), made.l2Sectors()),
          bytesText(made.memoryReadBytes())};
}

/// Those whose keys are `wanted`, with what reads most from memory, and then from L2, first.
template <typename Key, typename Wanted>
std::vector<const std::pair<const Key, CacheFigures> *> byMisses(const std::map<Key, CacheFigures> &figures,
                                                                 Wanted wanted) {
  std::vector<const std::pair<const Key, CacheFigures> *> sorted;
  for (const auto &of : figures)
    if (wanted(of.first))
      sorted.push_back(&of);
  std::ranges::sort(sorted, {}, [](const auto *of) {
    return std::tuple<std::uint64_t, std::uint64_t, const Key &>(~of->second.memoryReadBytes(),
                                                                 ~of->second.l2Sectors(), of->first);
  });
  return sorted;
}

using enum Table::Align;
const std::vector<Table::Align> kColumns = {Left, Right, Right, Right, Right, Right, Right};

void printAccesses(const Model &model, const std::map<AccessKey, CacheFigures> &accesses, std::size_t top) {
  const std::map<LaunchIndex, CacheFigures> sums = sumsOfKernels(accesses);
  Table table(kColumns);
  table.row({"kernel, its accesses", "bytes", "sectors", "L1 hits", "to L2", "L2 hits", "from memory"});
  std::size_t left = top;
  for (const auto *of : byMisses(sums, [](LaunchIndex) { return true; })) {
    if (left == 0)
      break;
    table.row(rowOf(model.launches()[of->first].kernel, "", of->second));
    for (const auto *its :
         byMisses(accesses, [&](const AccessKey &key) { return key.kernel == of->first; })) {
      if (left == 0)
        break;
      --left;
      const AccessKey &key = its->first;
      table.row(
          rowOf(fmt::format("  {}:{}:{} {}", key.file, key.line, key.column, operationName(key.operation)),
                key.bytes == 0 ? "" : fmt::format("{}", key.bytes), its->second));
    }
  }
  fmt::print("{}", table.text());
  if (accesses.size() > top)
    fmt::print("{} more: --top {}\n", accesses.size() - top, accesses.size());
}

std::string allocationText(const Model &model, std::uint32_t index) {
  if (index >= model.allocations().size())
    return "in no known allocation";
  const std::string &name = model.allocations()[index].allocation.name;
  return fmt::format("a{}{}{}", index, name.empty() ? "" : " ", name);
}

void printAllocations(const Model &model, const std::map<std::uint32_t, CacheFigures> &allocations,
                      std::size_t top) {
  Table table(kColumns);
  table.row({"allocation", "size", "sectors", "L1 hits", "to L2", "L2 hits", "from memory"});
  const auto sorted = byMisses(allocations, [](std::uint32_t) { return true; });
  for (const auto *of : sorted | std::views::take(top)) {
    const bool isKnown = of->first < model.allocations().size();
    table.row(rowOf(allocationText(model, of->first),
                    isKnown ? bytesText(model.allocations()[of->first].allocation.bytes) : "", of->second));
  }
  fmt::print("\n{}", table.text());
}

std::string sizeText(std::optional<std::uint64_t> bytes) { return bytes ? bytesText(*bytes) : "-"; }

std::vector<std::string> reuseRowOf(std::string name, const CacheReuse &of) {
  constexpr unsigned kMost = 90;
  return {std::move(name),
          grouped(of.l1.all()),
          percent(of.l1.first, of.l1.all()),
          sizeText(of.l1.bytesFor(kMost)),
          grouped(of.l2.all()),
          percent(of.l2.first, of.l2.all()),
          sizeText(of.l2.bytesFor(kMost)),
          percent(of.pageHits, of.pages)};
}

/// Those that ask L2 for most, and then L1, first.
template <typename Key>
std::vector<const std::pair<const Key, CacheReuse> *> byReads(const std::map<Key, CacheReuse> &figures) {
  std::vector<const std::pair<const Key, CacheReuse> *> sorted;
  for (const auto &of : figures)
    sorted.push_back(&of);
  std::ranges::sort(sorted, {}, [](const auto *of) {
    return std::tuple<std::uint64_t, std::uint64_t, const Key &>(~of->second.l2.all(), ~of->second.l1.all(),
                                                                 of->first);
  });
  return sorted;
}

const std::vector<Table::Align> kReuseColumns = {Left, Right, Right, Right, Right, Right, Right, Right};
std::vector<std::string> reuseHead(std::string what) {
  return {std::move(what), "ask L1",     "first time",          "90 % of the rest in",
          "ask L2",        "first time", "90 % of the rest in", "TLB hits"};
}

void printReuse(const Model &model, const CacheCosts &costs, std::size_t top) {
  Table accesses(kReuseColumns), allocations(kReuseColumns);
  accesses.row(reuseHead("access"));
  for (const auto *of : byReads(costs.reuse) | std::views::take(top)) {
    const AccessKey &key = of->first;
    accesses.row(
        reuseRowOf(fmt::format("{}:{}:{} {}", key.file, key.line, key.column, operationName(key.operation)),
                   of->second));
  }
  allocations.row(reuseHead("allocation"));
  for (const auto *of : byReads(costs.allocationReuse) | std::views::take(top))
    allocations.row(reuseRowOf(allocationText(model, of->first), of->second));
  fmt::print("\n{}\n{}", accesses.text(), allocations.text());
}

int runCaches(const CachesOptions &options) {
  const Model model(options.path);
  warnIfTruncated(model);
  const CacheGeometry *const known =
      geometryOf(options.device.empty() ? model.header().process.deviceName : options.device);
  const CacheGeometry &geometry = known ? *known : defaultGeometry();
  Progress progress("caches", stderr, ::isatty(STDERR_FILENO) != 0);
  const CacheUse use = keptCacheUse(model, geometry,
                                    {.launches = options.launches,
                                     .cold = options.cold,
                                     .reuse = options.reuse,
                                     .progress = options.quiet ? nullptr : &progress});
  Results results;
  results.caches = {cacheCosts(model, use.sites), use.allocations, reuseCosts(model, use.siteReuse),
                    use.allocationReuse};
  if (options.json)
    cachesJson(model, results, geometry, options.cold,
               [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  else if (results.caches.accesses.empty())
    fmt::print("no access of global memory is selected\n");
  else {
    printAccesses(model, results.caches.accesses, options.top);
    printAllocations(model, use.allocations, options.top);
    if (options.reuse)
      printReuse(model, results.caches, options.top);
    fmt::print("Modelled: the caches of an {}, {} multiprocessors.{}\n", geometry.name,
               geometry.multiprocessors,
               model.header().process.deviceKind == "cpu"
                   ? " Where blocks would run is modelled, too; --device names another GPU."
                   : "");
  }
  return kExitGood;
}

} // namespace

Verb addCaches(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "caches",
      "Which accesses of global memory find their data in the L1 and L2 caches of a GPU: by kernel, "
      "access and allocation. A model computes it from the trace (docs/analysis.md, Caches).");
  auto options = std::make_shared<CachesOptions>();
  command
      ->add_option("--device", options->device,
                   "GPU whose caches are modelled, such as A100; without it the one that the program ran "
                   "on, or an H100")
      ->check([](const std::string &name) { return geometryOf(name) ? "" : unknownGeometry(name); });
  command->add_flag("--cold", options->cold, "L2 is empty when a launch begins, as under ncu");
  command->add_flag("--reuse", options->reuse,
                    "Also how soon lines are asked for again: what no cache would have, how large one would "
                    "have to be for the "
                    "rest, and which pages the TLB has");
  command->add_option("--top", options->top, "How many accesses and allocations to print")
      ->capture_default_str();
  command->add_flag("--json", options->json, "All of them, as docs/caches.schema.json says");
  addLaunchSelection(*command, options->launches);
  refuseSelection(*command,
                  "blocks and files share the caches, so they are modelled together; rows name their places");
  command->add_flag("--quiet,-q", options->quiet, "No progress on stderr");
  return withSchema(*command, options->path, cachesJsonSchema, [options] { return runCaches(*options); });
}

} // namespace cupr::analysis
