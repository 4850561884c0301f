/// Each rule is a function that looks at the results and adds what it finds.
#include "findings.h"

#include "analysis/model/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

/// An access that wastes less than this part of its sectors is left alone: borders of arrays always do.
constexpr double kWasteWorthAnAccess = 0.1;

double partOf(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// An access of the source.
struct Site {
  const SourceFile &file;
  std::uint32_t line, column;
  const char *operation;
  std::string kernel;
};

const char *nameOf(abi::OperationClass operation) {
  static constexpr const char *kNames[] = {"load", "store", "atomic"};
  return kNames[static_cast<unsigned>(operation)];
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
      for (const auto &[number, line] : file.lines)
        for (const auto &[place, access] : line.accesses) {
          const Site site{file, number, place.first, nameOf(place.second), kernelOf(access)};
          excessSectors(site, access);
          atomicsOnOneAddress(site, access);
        }
    neverRead();
    dependences();
    unseenLaunches();
    std::sort(findings_.begin(), findings_.end(), [](const Finding &a, const Finding &b) {
      return std::tuple(b.share, a.id, a.file, a.line, a.column, std::string_view(a.operation), a.kernel,
                        b.amount, a.title) < std::tuple(a.share, b.id, b.file, b.line, b.column,
                                                        std::string_view(b.operation), b.kernel, a.amount,
                                                        b.title);
    });
    return std::move(findings_);
  }

private:
  static std::string kernelOf(const AccessVolume &access) {
    return access.functions.empty() ? "" : *access.functions.begin();
  }

  void add(const Site &site, Finding finding) {
    finding.kernel = site.kernel;
    finding.file = site.file.path;
    finding.line = site.line;
    finding.column = site.column;
    finding.operation = site.operation;
    findings_.push_back(std::move(finding));
  }

  void excessSectors(const Site &site, const AccessVolume &access) {
    const std::uint64_t excess = access.sectors - access.leastSectors;
    if (partOf(excess, access.sectors) < kWasteWorthAnAccess)
      return;
    const double requests = static_cast<double>(access.requests);
    Finding finding;
    finding.id = "excess-sectors";
    finding.title = fmt::format("{:.1f} sectors per request, where {:.1f} would hold the data",
                                static_cast<double>(access.sectors) / requests,
                                static_cast<double>(access.leastSectors) / requests);
    finding.advice = "Let neighbouring threads access neighbouring addresses: change the order of loops or "
                     "of the data (a structure of arrays), or move it through shared memory.";
    finding.amount = excess;
    finding.unit = "sectors";
    finding.share = partOf(excess, sectors_);
    add(site, std::move(finding));
  }

  void atomicsOnOneAddress(const Site &site, const AccessVolume &access) {
    const std::uint64_t shared = access.sharedAtomics;
    if (access.counts.atomics == 0 || partOf(shared, access.counts.atomics) < 0.5)
      return;
    Finding finding;
    finding.id = "atomics-on-one-address";
    finding.title = fmt::format(
        "{:.0f} % of the atomics could be spared: another thread of their warp has the same address",
        100 * partOf(shared, access.counts.atomics));
    finding.advice = "Add up within the warp or the block first, and let one thread do the atomic.";
    finding.amount = shared;
    finding.unit = "accesses";
    finding.share = partOf(shared, c_.counts.accesses());
    add(site, std::move(finding));
  }

  void neverRead() {
    const UnseenLaunches unseen(model_, *c_.ordering);
    std::vector<Act> acts(c_.launches.size()); // by launch
    for (std::size_t event = 0; event < model_.events().size(); ++event)
      if (const auto *of = std::get_if<LaunchEvent>(&model_.events()[event]))
        acts[of->index] = c_.ordering->actOf(event);
    std::map<std::string, std::uint64_t> bytes;
    for (std::size_t i = 0; i < c_.launches.size(); ++i) {
      const LaunchVolume &volume = c_.launches[i];
      if (volume.uniqueWritten != 0 && volume.readByLaunches == 0 && volume.readByHost == 0 &&
          volume.mayBeRead == 0 && !unseen.mayRunBehind(acts[i]))
        bytes[model_.launches()[i].kernel] += volume.uniqueWritten;
    }
    for (const auto &[kernel, amount] : bytes)
      findings_.push_back(
          {.id = "never-read",
           .title = "Launches wrote data that neither a later launch nor a copy read",
           .advice =
               "Leave the stores out if nothing else needs them. Code that was not instrumented, and the "
               "host through mapped memory, may read it without a trace.",
           .kernel = kernel,
           .file = "",
           .amount = amount,
           .unit = "bytes",
           .share = partOf(amount, c_.uniqueWritten)});
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
          {.id = inside ? "shared-inside-launch" : "shared-without-order",
           .title = inside ? fmt::format("Blocks of one launch {} the same bytes, which another block writes",
                                         dependence.dependence.kind == DependenceKind::Waw ? "write" : "read")
                           : "Launches that nothing orders access the same bytes, and one of them writes",
           .advice = inside
                         ? "Blocks of a launch run in any order: check that the result does not depend on it."
                         : "Put them into one stream, or let one wait for an event of the other.",
           .kernel = model_.launches()[dependence.second.launch].kernel,
           .file = second.module->strings[second.site->file],
           .line = second.site->line,
           .column = second.site->column,
           .operation = nameOf(abi::operationClass(second.site->operation)),
           .amount = volume.bytes,
           .unit = "bytes",
           .share = partOf(volume.bytes, c_.counts.bytes())});
    }
  }

  bool isAtomic(const KernelSite &place) const {
    return place.launch != kHost &&
           abi::operationClass(c_.sites[place.site].site->operation) == abi::OperationClass::Atomic;
  }

  void unseenLaunches() {
    if (c_.incompleteLaunches == 0)
      return;
    findings_.push_back(
        {.id = "unseen-launches",
         .title = "Launches are not traced, or not completely",
         .advice = "What they wrote and read is not in these figures: 'cupranalyze info' says why.",
         .kernel = "",
         .file = "",
         .amount = c_.incompleteLaunches,
         .unit = "launches",
         .share = partOf(c_.incompleteLaunches, model_.calls())});
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
