/// Only renders: every figure comes from the metric.
#include "advice.h"

#include "analysis/output/text.h"
#include "analysis/output/utf8.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string_view>

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

std::string insideText(const AdvisorCut &cut) {
  return cut.insideLaunches == 0 ? "" : grouped(cut.insideLaunches);
}

/// Which launches work on several GPUs only with memory and atomics of the whole system.
std::string insideText(const Advisor &advisor) {
  std::map<std::string_view, std::uint64_t> kernels;
  for (const AdvisorCut &cut : advisor.cuts)
    for (const InsideKernel &kernel : cut.inside)
      kernels[kernel.kernel] = std::max(kernels[kernel.kernel], kernel.bytes);
  if (kernels.empty())
    return "";
  std::string text =
      "inside: bytes that CTAs of one launch exchange across GPUs while it runs; they are not in the "
      "times. Such launches need memory of the whole system:\n";
  for (const auto &[kernel, bytes] : kernels)
    text += fmt::format("  {}: {} at most\n", shown(kernel), bytesText(bytes));
  if (!advisor.atomics.empty())
    text += "and atomics of it (atomicAdd_system, cuda::thread_scope_system):\n";
  for (const SharedAtomic &atomic : advisor.atomics)
    text += fmt::format("  {}:{}:{} {}: {}\n", shown(atomic.file), atomic.line, atomic.column,
                        shown(atomic.kernel), bytesText(atomic.bytes));
  return text;
}

/// What crosses, and how long that takes.
std::string bestText(const AdvisorCut &cut) {
  std::string text = fmt::format("{} GPUs: {}, {} cross", cut.devices, cutText(cut), bytesText(cut.crossing));
  if (cut.crossing != 0)
    text += " in " + secondsText(cut.seconds);
  text += fmt::format(", work {:.2f} times as fast", cut.parallelism);
  return cut.speedup ? text + fmt::format(", {:.2f} with the link", *cut.speedup) : text;
}

} // namespace

std::string adviceLine(const Advisor &advisor) {
  std::string line = "Best for ";
  for (const std::size_t best : advisor.best)
    line += (best == advisor.best.front() ? "" : "; ") + bestText(advisor.cuts[best]);
  return line + fmt::format(" (links of {:g} GB/s, {} multiprocessors per GPU)",
                            advisor.options.bytesPerSecond / 1e9, advisor.options.multiprocessors);
}

std::string adviceText(const Advisor &advisor) {
  Table table(
      {Right, Left, Right, Right, Right, Right, Right, Right, Right, Right, Right, Right, Right, Left});
  const auto isAny = [&](bool (*has)(const AdvisorCut &)) { return std::ranges::any_of(advisor.cuts, has); };
  const auto hasInside = [](const AdvisorCut &cut) { return cut.insideLaunches != 0; };
  const auto hasSpeedup = [](const AdvisorCut &cut) { return cut.speedup.has_value(); };
  table.row({"GPUs", "cut", "bytes cross", "if kept", "of transfers", isAny(hasInside) ? "inside" : "",
             "from host", "memory", "balance", "accesses", "work", "on the link",
             isAny(hasSpeedup) ? "speed-up" : "", ""});
  for (std::size_t i = 0; i < advisor.cuts.size(); ++i) {
    const AdvisorCut &cut = advisor.cuts[i];
    const bool best = std::find(advisor.best.begin(), advisor.best.end(), i) != advisor.best.end();
    table.row({std::to_string(cut.devices), cutText(cut), grouped(cut.crossing), grouped(cut.crossingOnce),
               fmt::format("{:.1f} %", 100 * cut.crossingShare), insideText(cut), grouped(cut.readFromHost),
               bytesText(cut.memory), fmt::format("{:.2f}", cut.balance),
               fmt::format("{:.2f}", cut.accessBalance), fmt::format("{:.2f}", cut.parallelism),
               secondsText(cut.seconds), cut.speedup ? fmt::format("{:.2f}", *cut.speedup) : "",
               best ? "best" : ""});
  }
  std::string text = table.text() + '\n';
  for (const std::string &note : advisor.notes)
    text += note + '\n';
  text += insideText(advisor);
  text += adviceLine(advisor) + "\n\nThis takes for granted:\n";
  for (const std::string &assumption : advisor.assumptions)
    text += "- " + assumption + '\n';
  return text;
}

} // namespace cupr::analysis
