/// Figures and tables for people at a terminal.
#ifndef CUPR_ANALYSIS_TEXT_H
#define CUPR_ANALYSIS_TEXT_H

#include "analysis/model/model.h"
#include "terminal.h"
#include "utf8.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cupr::analysis {

/// `1234567` as `1,234,567`.
std::string grouped(std::uint64_t number);
/// Bytes with a binary unit: `12 B`, `3.4 KiB`.
std::string bytesText(std::uint64_t bytes);
/// Nanoseconds as `870 ns`, `12.3 us`, `4.0 ms`, `1.5 s`.
std::string durationText(std::uint64_t nanoseconds);
/// `part` of `whole` in per cent, 100 and 0 only if exactly so; `-` if there is no whole.
std::string percent(std::uint64_t part, std::uint64_t whole);
/// `4x2x1`, without trailing ones: `4x2`.
std::string dimText(const trace::Dim3 &dim);
/// ", phase 2"; empty: the launch is whole.
std::string phaseText(const LaunchInfo &launch);
/// That launches were taken apart, a sentence; empty: none were.
std::string phasesNote(const Model &model);
/// Why the launch's records are not all that it accessed; empty: they are.
std::string launchState(const LaunchInfo &launch);

/// `text` in at most `width` characters, with "..." in its middle if it is longer: of names, both ends tell most.
std::string shortened(const std::string &text, std::size_t width);

/// Columns that line up; one that is empty takes no room. The first row is the heading. Cells are shown (utf8.h),
/// and those that are longer than kWidest don't line up: names may be as long as a trace. Where lines would be
/// wider than `width`, cells of the columns that stand left are shortened, the widest first, and none below kNarrowest.
class Table {
public:
  enum class Align { Left, Right };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  static constexpr std::size_t kWidest = 400, kNarrowest = 16;
  void row(std::vector<std::string> cells);
  std::string text(std::size_t width = lineWidth()) const;

private:
  std::vector<std::size_t> widthsIn(std::size_t width) const;

  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace cupr::analysis

#endif
