#include "kernel_cost.h"

#include "devicelib/abi/symbols.h"
#include "occupancy.h"

#include "devicelib/abi/source_name.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace json = llvm::json;

namespace cupr::tool {
namespace {

std::string change(unsigned before, unsigned after) {
  return before == after ? std::to_string(before) : fmt::format("{} -> {}", before, after);
}

std::string percent(const std::optional<double> &share) {
  return share ? fmt::format("{:.0f} %", 100 * *share) : "?";
}

json::Object toJson(const KernelFigures &figures, const std::optional<double> &occupancy) {
  return json::Object{{"registers", figures.registers},
                      {"spillStoreBytes", figures.spillStores},
                      {"spillLoadBytes", figures.spillLoads},
                      {"stackBytes", figures.stack},
                      {"sharedBytes", figures.shared},
                      {"occupancy", occupancy ? json::Value(*occupancy) : json::Value(nullptr)}};
}

} // namespace

std::vector<KernelCost> pairKernels(const std::string &source, const std::string &architecture,
                                    const std::vector<KernelFigures> &kernels) {
  std::map<std::string, const KernelFigures *> byName;
  for (const KernelFigures &kernel : kernels)
    byName[kernel.name] = &kernel;
  std::vector<KernelCost> costs;
  for (const KernelFigures &before : kernels) {
    const auto pair = [&](const KernelFigures &after) -> KernelCost & {
      KernelCost &cost = costs.emplace_back();
      cost.source = source;
      cost.mangled = before.name;
      cost.name = abi::sourceName(before.name);
      cost.architecture = architecture;
      if (before.blockSize)
        cost.blockSize = before.blockSize;
      cost.plain = before;
      cost.traced = after;
      cost.plainOccupancy = occupancy(architecture, before, cost.blockSize);
      cost.tracedOccupancy = occupancy(architecture, after, cost.blockSize);
      return cost;
    };
    const auto derived = byName.find(CUPR_DERIVED_PREFIX + before.name),
               traced = byName.find(CUPR_TRACED_PREFIX + before.name),
               timed = byName.find(CUPR_TIMED_PREFIX + before.name);
    if (derived != byName.end())
      pair(*derived->second).derived = true;
    else if (traced != byName.end())
      pair(*traced->second);
    if (timed != byName.end())
      pair(*timed->second).timed = true;
  }
  std::sort(costs.begin(), costs.end(), [](const KernelCost &a, const KernelCost &b) {
    return std::tie(a.source, a.name, a.timed) < std::tie(b.source, b.name, b.timed);
  });
  return costs;
}

std::string costTable(const std::vector<KernelCost> &kernels) {
  using Row = std::array<std::string, 8>;
  std::vector<Row> rows{
      {"registers", "spill stores", "spill loads", "stack", "shared", "block", "occupancy", "kernel"}};
  for (const KernelCost &kernel : kernels) {
    const std::string before = percent(kernel.plainOccupancy), after = percent(kernel.tracedOccupancy);
    rows.push_back({change(kernel.plain.registers, kernel.traced.registers),
                    change(kernel.plain.spillStores, kernel.traced.spillStores),
                    change(kernel.plain.spillLoads, kernel.traced.spillLoads),
                    change(kernel.plain.stack, kernel.traced.stack),
                    change(kernel.plain.shared, kernel.traced.shared), std::to_string(kernel.blockSize),
                    before == after ? before : fmt::format("{} -> {}", before, after),
                    kernel.name + (kernel.derived ? " (derived)"
                                   : kernel.timed ? " (timed)"
                                                  : "")});
  }
  std::array<std::size_t, 8> widths{};
  for (const Row &row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row &row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      text += fmt::format("{:<{}}  ", row[i], widths[i]);
    text += row.back() + "\n";
  }
  const auto spilling = std::count_if(kernels.begin(), kernels.end(),
                                      [](const KernelCost &kernel) { return kernel.addsSpills(); });
  text += fmt::format("{} kernel{}, plain -> traced; {} with more spills when traced\n", kernels.size(),
                      kernels.size() == 1 ? "" : "s", spilling);
  return text;
}

std::string costJson(const std::vector<KernelCost> &kernels) {
  json::Array list;
  for (const KernelCost &kernel : kernels)
    list.push_back(json::Object{{"source", kernel.source},
                                {"kernel", kernel.name},
                                {"mangled", kernel.mangled},
                                {"architecture", kernel.architecture},
                                {"blockSize", kernel.blockSize},
                                {"derived", kernel.derived},
                                {"timed", kernel.timed},
                                {"plain", toJson(kernel.plain, kernel.plainOccupancy)},
                                {"traced", toJson(kernel.traced, kernel.tracedOccupancy)}});
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}",
                                                  json::Value(json::Object{{"format", "cupr-kernel-cost"},
                                                                           {"version", 1},
                                                                           {"kernels", std::move(list)}}))
                                 << "\n";
  return text;
}

} // namespace cupr::tool
