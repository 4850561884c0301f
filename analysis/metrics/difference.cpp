/// Both traces are told of one subject after the other; what is in one only is 0 in the other.
#include "difference.h"

#include "analysis/model/names.h"
#include "device_figures.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

enum class Side : std::size_t { Before, After };

/// What figures are of: the program, a kernel, or a line; the same on both sides.
enum class Rank { Program, Kernel, Line };
using Subject =
    std::tuple<Rank, std::string /* kernel, or the line's file */, std::string /* the line's words */>;

struct Figure {
  std::string_view what;
  std::array<std::uint64_t, 2> value{};
  std::uint64_t difference() const { return value[0] > value[1] ? value[0] - value[1] : value[1] - value[0]; }
};

struct Figures {
  std::string file;
  std::array<std::uint32_t, 2> line{};
  std::vector<Figure> all; ///< the first decides on the order
  void add(Side side, std::string_view what, std::uint64_t value) {
    auto found = std::ranges::find(all, what, &Figure::what);
    if (found == all.end())
      found = all.insert(all.end(), Figure{what});
    found->value[static_cast<std::size_t>(side)] += value;
  }
};

class Comparison {
public:
  void add(Side side, const Model &model, const Results &results) {
    const std::vector<SourceFile> sources =
        results.shown.hasAllBlocks() ? results.sources : shownSources(results);
    addProgram(side, model, results, sources);
    addKernels(side, model, results);
    for (const SourceFile &file : sources) {
      std::string_view rest = file.text;
      std::uint32_t at = 1;
      for (const auto &[number, line] : file.lines) {
        for (; at < number && !rest.empty(); ++at)
          rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
        addLine(side, file.path, number, rest.substr(0, rest.find('\n')), line);
      }
    }
  }

  std::vector<Difference> differences() const {
    std::vector<const std::pair<const Subject, Figures> *> order;
    for (const auto &subject : subjects_)
      order.push_back(&subject);
    std::ranges::sort(order, [](const auto *a, const auto *b) {
      const auto key = [](const auto *subject) {
        return std::tuple(std::get<0>(subject->first), ~subject->second.all[0].difference());
      };
      return key(a) != key(b) ? key(a) < key(b) : a->first < b->first;
    });
    std::vector<Difference> result;
    for (const auto *subject : order) {
      const auto &[rank, name, words] = subject->first;
      const Figures &figures = subject->second;
      for (const Figure &figure : figures.all)
        if (figure.difference() != 0)
          result.push_back({std::string(figure.what), rank == Rank::Kernel ? name : "", figures.file,
                            figures.line[1], figures.line[0], figure.value[0], figure.value[1]});
    }
    return result;
  }

private:
  /// With the lines of what is shown, and their figures.
  static std::vector<SourceFile> shownSources(const Results &results) {
    std::vector<SourceFile> sources = results.sources;
    for (SourceFile &file : sources) {
      file.lines.clear();
      for (const auto &[key, cost] : results.accesses)
        if (key.file == file.path) {
          LineVolume &line = file.lines[key.line];
          line.requests += cost.made.requests;
          line.sectors += cost.made.sectors;
          line.leastSectors += cost.made.leastSectors;
          line.functions.insert(key.function);
        }
    }
    return sources;
  }

  void addProgram(Side side, const Model &model, const Results &results,
                  const std::vector<SourceFile> &sources) {
    std::uint64_t sectors = 0, least = 0;
    for (const SourceFile &file : sources)
      for (const auto &[number, line] : file.lines) {
        sectors += line.sectors;
        least += line.leastSectors;
      }
    const Communication &c = results.communication;
    const double nanoseconds = static_cast<double>(sectors) * kSectorBytes * 1e9 /
                               figuresOf(model.header().process.deviceName).memoryBytesPerSecond;
    Figures &program = subjects_[{Rank::Program, "", ""}];
    program.add(side, "sectors", sectors);
    program.add(side, "excess sectors", sectors - least);
    program.add(side, "nanoseconds for the sectors at the memory's bandwidth",
                static_cast<std::uint64_t>(nanoseconds));
    trace::Counts counts = results.shown.isAll() ? c.counts : trace::Counts();
    for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch)
      if (!results.shown.isAll() && results.shown.has(launch))
        counts += model.launches()[launch].totals.counts.global;
    program.add(side, "launches", results.shown.calls(model));
    program.add(side, "accesses", counts.accesses());
    program.add(side, "bytes", counts.bytes());
    if (!results.shown.isAll())
      return; // the others are not known of a part
    program.add(side, "distinct bytes read", c.uniqueRead);
    program.add(side, "distinct bytes written", c.uniqueWritten);
    program.add(side, "communicated bytes", c.communicated);
    program.add(side, "communicated bytes, other index", c.otherIndex);
    program.add(side, "supersteps", c.ordering->supersteps());
  }

  void addKernels(Side side, const Model &model, const Results &results) {
    const Communication &c = results.communication;
    for (LaunchIndex i = 0; i < c.launches.size(); ++i) {
      if (!results.shown.has(i))
        continue;
      const LaunchInfo &info = model.launches()[i];
      Figures &kernel = subjects_[{Rank::Kernel, info.kernel, ""}];
      kernel.add(side, "bytes", info.totals.counts.global.bytes());
      kernel.add(side, "accesses", info.totals.counts.global.accesses());
      kernel.add(side, "bytes from earlier launches", c.launches[i].readFromLaunches);
      kernel.add(side, "bytes to later launches", c.launches[i].readByLaunches);
      kernel.add(side, "launches", info.phase == 0 ? 1 : 0);
    }
  }

  void addLine(Side side, const std::string &path, std::uint32_t number, std::string_view text,
               const LineVolume &line) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::string words = text.empty() ? std::to_string(number) : std::string(text);
    for (const std::string &function : line.functions)
      words += '\n' + baseName(function);
    Figures &figures = subjects_[{Rank::Line, path.substr(path.find_last_of('/') + 1), std::move(words)}];
    figures.file = path;
    if (std::uint32_t &first = figures.line[static_cast<std::size_t>(side)]; first == 0)
      first = number;
    figures.add(side, "sectors", line.sectors);
    figures.add(side, "excess sectors", line.sectors - line.leastSectors);
    figures.add(side, "requests", line.requests);
    figures.add(side, "bytes", line.bytes());
  }

  std::map<Subject, Figures> subjects_;
};

} // namespace

std::vector<Difference> differences(const Model &before, const Results &resultsBefore, const Model &after,
                                    const Results &resultsAfter) {
  Comparison comparison;
  comparison.add(Side::Before, before, resultsBefore);
  comparison.add(Side::After, after, resultsAfter);
  return comparison.differences();
}

} // namespace cupr::analysis
