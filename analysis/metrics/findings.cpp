/// Each rule is a function that looks at the results and adds what it finds.
#include "findings.h"

#include "analysis/model/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <tuple>

namespace cupr::analysis {

namespace {

/// A line that wastes less than this part of its sectors is left alone: borders of arrays always do.
constexpr double kWasteWorthALine = 0.1;

double partOf(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class Rules {
public:
  Rules(const Model &model, const Communication &communication, const std::vector<SourceFile> &sources)
      : model_(model), c_(communication), sources_(sources) {}

  std::vector<Finding> run() {
    for (const SourceFile &file : sources_)
      for (const auto &[number, line] : file.lines)
        sectors_ += line.sectors;
    for (const SourceFile &file : sources_)
      for (const auto &[number, line] : file.lines) {
        excessSectors(file, number, line);
        atomicsOnOneAddress(file, number, line);
      }
    neverRead();
    dependences();
    unseenLaunches();
    std::sort(findings_.begin(), findings_.end(), [](const Finding &a, const Finding &b) {
      return std::tie(b.share, a.id, a.file, a.line, a.kernel, b.amount) <
             std::tie(a.share, b.id, b.file, b.line, b.kernel, a.amount);
    });
    return std::move(findings_);
  }

private:
  static std::string kernelOf(const LineVolume &line) {
    return line.functions.empty() ? "" : *line.functions.begin();
  }

  void excessSectors(const SourceFile &file, std::uint32_t number, const LineVolume &line) {
    const std::uint64_t excess = line.sectors - line.leastSectors;
    if (partOf(excess, line.sectors) < kWasteWorthALine)
      return;
    const double requests = static_cast<double>(line.requests);
    findings_.push_back({"excess-sectors",
                         fmt::format("{:.1f} sectors per request, where {:.1f} would hold the data",
                                     static_cast<double>(line.sectors) / requests,
                                     static_cast<double>(line.leastSectors) / requests),
                         "Let neighbouring threads access neighbouring addresses: change the order of loops "
                         "or of the data (a "
                         "structure of arrays), or move it through shared memory.",
                         kernelOf(line), file.path, number, excess, "sectors", partOf(excess, sectors_)});
  }

  void atomicsOnOneAddress(const SourceFile &file, std::uint32_t number, const LineVolume &line) {
    const auto zero = line.strides.find(0);
    if (line.counts.atomics == 0 || zero == line.strides.end())
      return;
    // Threads of a request whose address another thread of it has, too.
    const std::uint64_t bytesEach = line.counts.bytes() / line.counts.accesses();
    const std::uint64_t meeting =
        std::min(line.counts.atomics, bytesEach == 0 ? 0 : zero->second / bytesEach);
    if (partOf(meeting, line.counts.atomics) < 0.5)
      return;
    findings_.push_back(
        {"atomics-on-one-address",
         fmt::format(
             "{:.0f} % of the atomics could be spared: another thread of their warp has the same address",
             100 * partOf(meeting, line.counts.atomics)),
         "Add up within the warp or the block first, and let one thread do the atomic.", kernelOf(line),
         file.path, number, meeting, "accesses", partOf(meeting, c_.counts.accesses())});
  }

  void neverRead() {
    std::map<std::string, std::uint64_t> bytes;
    for (std::size_t i = 0; i < c_.launches.size(); ++i) {
      const LaunchVolume &volume = c_.launches[i];
      if (volume.uniqueWritten != 0 && volume.readByLaunches == 0 && volume.readByHost == 0)
        bytes[model_.launches()[i].kernel] += volume.uniqueWritten;
    }
    for (const auto &[kernel, amount] : bytes)
      findings_.push_back(
          {"never-read", "Launches wrote data that neither a later launch nor a copy read",
           "Leave the stores out if nothing else needs them. Code that was not instrumented, and the "
           "host through mapped memory, may read it without a trace.",
           kernel, "", 0, amount, "bytes", partOf(amount, c_.uniqueWritten)});
  }

  void dependences() {
    for (const auto &[dependence, volume] : c_.dependences) {
      if (dependence.dependence.order == DependenceOrder::Ordered || dependence.second.launch == kHost)
        continue;
      const SiteVolume &second = c_.sites[dependence.second.site];
      const bool atomics = isAtomic(dependence.first) && isAtomic(dependence.second);
      if (atomics)
        continue; // they have an order that the program asked for
      const bool inside = dependence.dependence.order == DependenceOrder::InsideLaunch;
      findings_.push_back(
          {inside ? "shared-inside-launch" : "shared-without-order",
           inside ? fmt::format("Blocks of one launch {} the same bytes, which another block writes",
                                dependence.dependence.kind == DependenceKind::Waw ? "write" : "read")
                  : "Launches that nothing orders access the same bytes, and one of them writes",
           inside ? "Blocks of a launch run in any order: check that the result does not depend on it."
                  : "Put them into one stream, or let one wait for an event of the other.",
           model_.launches()[dependence.second.launch].kernel, second.module->strings[second.site->file],
           second.site->line, volume.bytes, "bytes", partOf(volume.bytes, c_.counts.bytes())});
    }
  }

  bool isAtomic(const Place &place) const {
    return place.launch != kHost &&
           abi::operationClass(c_.sites[place.site].site->operation) == abi::OperationClass::Atomic;
  }

  void unseenLaunches() {
    if (c_.incompleteLaunches == 0)
      return;
    findings_.push_back({"unseen-launches", "Launches are not traced, or not completely",
                         "What they wrote and read is not in these figures: 'cupranalyze info' says why.", "",
                         "", 0, c_.incompleteLaunches, "launches",
                         partOf(c_.incompleteLaunches, model_.launches().size())});
  }

  const Model &model_;
  const Communication &c_;
  const std::vector<SourceFile> &sources_;
  std::uint64_t sectors_ = 0;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> findings(const Model &model, const Communication &communication,
                              const std::vector<SourceFile> &sources) {
  return Rules(model, communication, sources).run();
}

} // namespace cupr::analysis
