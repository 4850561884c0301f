#include "text.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

namespace cupr::analysis {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

std::string bytesText(std::uint64_t bytes) {
  static constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  unsigned unit = 0;
  while (value >= 1023.95 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string durationText(std::uint64_t nanoseconds) {
  static constexpr const char *kUnits[] = {"us", "ms", "s"};
  if (nanoseconds < 1000)
    return fmt::format("{} ns", nanoseconds);
  double value = static_cast<double>(nanoseconds) / 1000;
  unsigned unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0)
    return "-";
  const double value = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  // Rounding must not turn "nearly" into "all" or "none".
  if (part < whole && value >= 99.95)
    return ">99.9 %";
  if (part > 0 && value < 0.05)
    return "<0.1 %";
  return fmt::format("{:.1f} %", value);
}

std::string dimText(const trace::Dim3 &dim) {
  if (dim.z != 1)
    return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z);
  if (dim.y != 1)
    return fmt::format("{}x{}", dim.x, dim.y);
  return std::to_string(dim.x);
}

std::string phaseText(const LaunchInfo &launch) {
  return launch.phaseRecords ? fmt::format(", phase {}", launch.phase) : "";
}

std::string phasesNote(const Model &model) {
  std::size_t apart = 0, phases = 0;
  for (const LaunchInfo &launch : model.launches()) {
    apart += launch.phaseRecords && launch.phase == 0;
    phases += launch.phaseRecords != nullptr;
  }
  return apart == 0 ? ""
                    : fmt::format(
                          "Launches taken apart at the barriers of their grids: {}. Their {} phases count as "
                          "launches, one behind the other.",
                          apart, phases);
}

std::string launchState(const LaunchInfo &launch) {
  if (!launch.launch.traced)
    return "not traced: " + launch.launch.reason;
  if (!launch.complete())
    return "incomplete: " + launch.totals.end.reason +
           (launch.launch.isDerived()
                ? fmt::format("; {} blocks are known to have begun, and their accesses are not",
                              launch.blocksBegun)
                : "");
  const trace::CtaSelection &ctas = launch.launch.ctas;
  if (ctas.isAll())
    return "";
  const std::string last = ctas.end == UINT64_MAX ? "the last" : std::to_string(ctas.end - 1);
  const std::string some = ctas.period == 1 ? "" : fmt::format(", one in {}", ctas.period);
  return fmt::format("recorded: blocks {} to {}{}", ctas.first, last, some);
}

void Table::row(std::vector<std::string> cells) {
  for (std::string &cell : cells)
    cell = shown(cell);
  rows_.push_back(std::move(cells));
}

std::string shortened(const std::string &text, std::size_t width) {
  constexpr std::string_view kGap = "...";
  if (text.size() <= width || width <= kGap.size())
    return text;
  // A UTF-8 sequence stays whole, or goes.
  const auto isInside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  std::size_t front = (width - kGap.size() + 1) / 2, back = text.size() - (width - kGap.size() - front);
  while (front > 0 && isInside(front))
    --front;
  while (back < text.size() && isInside(back))
    ++back;
  return text.substr(0, front) + std::string(kGap) + text.substr(back);
}

/// What each column takes; those that are empty, nothing.
std::vector<std::size_t> Table::widthsIn(std::size_t width) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto &row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], std::min(row[i].size(), kWidest));
  const auto shown =
      static_cast<std::size_t>(std::ranges::count_if(widths, [](std::size_t it) { return it != 0; }));
  const std::size_t all =
      std::accumulate(widths.begin(), widths.end(), std::size_t{2} * (shown ? shown - 1 : 0));
  for (std::size_t excess = all > width ? all - width : 0; excess > 0; --excess) {
    std::size_t *widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns_[i] == Align::Left && (!widest || widths[i] > *widest))
        widest = &widths[i];
    if (!widest || *widest <= kNarrowest)
      break;
    --*widest;
  }
  return widths;
}

std::string Table::text(std::size_t width) const {
  const std::vector<std::size_t> widths = widthsIn(width);
  std::string text;
  for (const auto &row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0)
        continue;
      if (!line.empty())
        line += "  ";
      const std::string cell = widths[i] < kWidest ? shortened(row[i], widths[i]) : row[i];
      line += columns_[i] == Align::Left ? fmt::format("{:<{}}", cell, widths[i])
                                         : fmt::format("{:>{}}", cell, widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

} // namespace cupr::analysis
