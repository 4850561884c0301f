/// Only renders: every figure comes from the metric.
#include "advice.h"

#include "text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

using enum Table::Align;

std::string secondsText(double seconds) {
  if (seconds > 0 && seconds < 1e-9)
    return "<1 ns";
  return durationText(static_cast<std::uint64_t>(std::llround(seconds * 1e9)));
}

std::string cutText(const AdvisorCut &cut) {
  switch (cut.kind) {
  case CutKind::Block:
    return dimText({cut.tiles.x, cut.tiles.y, cut.tiles.z}) + " blocks";
  case CutKind::Cyclic:
    return "cyclic";
  case CutKind::Graph:
    return "graph partition";
  default:
    return fmt::format("cut in {}", cutName(cut.kind));
  }
}

/// Empty, and so no column, where no launch has any.
std::string insideText(const AdvisorCut &cut) {
  return cut.insideLaunches == 0 ? "" : grouped(cut.insideLaunches);
}

/// What crosses, and how long that takes.
std::string bestText(const AdvisorCut &cut) {
  std::string text =
      fmt::format("{} GPUs: {}, {}{} cross", cut.devices, cutText(cut),
                  cut.leastCrossing == cut.crossing ? "" : "at most ", bytesText(cut.crossing));
  if (cut.crossing != 0)
    text += " in " + secondsText(cut.seconds);
  text += fmt::format(", work {:.2f} times as fast", cut.parallelism);
  return cut.speedup ? text + fmt::format(", {:.2f} with the link", *cut.speedup) : text;
}

} // namespace

const char *cutName(CutKind kind) {
  static constexpr const char *kNames[] = {"x", "y", "z", "block", "cyclic", "graph"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char *topologyName(TopologyKind kind) {
  static constexpr const char *kNames[] = {"switch", "tree", "ring"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string adviceLine(const Advisor &advisor) {
  std::string line = "Best for ";
  for (const std::size_t best : advisor.best)
    line += (best == advisor.best.front() ? "" : "; ") + bestText(advisor.cuts[best]);
  return line + fmt::format(" (links of {:g} GB/s, {} multiprocessors per GPU)",
                            advisor.options.bytesPerSecond / 1e9, advisor.options.multiprocessors);
}

std::string adviceText(const Advisor &advisor) {
  Table table({Right, Left, Right, Right, Right, Right, Right, Right, Right, Right, Right, Right, Left});
  table.row({"GPUs", "cut", "bytes cross", "at least", "of transfers", "inside", "from host", "balance",
             "accesses", "work", "on the link", "speed-up", ""});
  for (std::size_t i = 0; i < advisor.cuts.size(); ++i) {
    const AdvisorCut &cut = advisor.cuts[i];
    const bool best = std::find(advisor.best.begin(), advisor.best.end(), i) != advisor.best.end();
    table.row({std::to_string(cut.devices), cutText(cut), grouped(cut.crossing), grouped(cut.leastCrossing),
               fmt::format("{:.1f} %", 100 * cut.crossingShare), insideText(cut), grouped(cut.readFromHost),
               fmt::format("{:.2f}", cut.balance), fmt::format("{:.2f}", cut.accessBalance),
               fmt::format("{:.2f}", cut.parallelism), secondsText(cut.seconds),
               cut.speedup ? fmt::format("{:.2f}", *cut.speedup) : "", best ? "best" : ""});
  }
  std::string text = table.text() + '\n';
  for (const std::string &note : advisor.notes)
    text += note + '\n';
  if (std::ranges::any_of(advisor.cuts, [](const AdvisorCut &cut) { return cut.insideLaunches != 0; }))
    text += "inside: bytes that CTAs of one launch exchange across GPUs while it runs, atomics among them; they are "
            "not in the times.\n";
  text += adviceLine(advisor) + "\n\nThis takes for granted:\n";
  for (const std::string &assumption : advisor.assumptions)
    text += "- " + assumption + '\n';
  return text;
}

} // namespace cupr::analysis
