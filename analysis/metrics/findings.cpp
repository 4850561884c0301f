/// Each rule of what memory is used for is a function that looks at who wrote what others read, and adds what it finds.
#include "findings.h"

#include "access_findings.h"
#include "device_figures.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

double partOf(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

const char *nameOf(abi::OperationClass operation) {
  static constexpr const char *kNames[] = {"load", "store", "atomic"};
  return kNames[static_cast<unsigned>(operation)];
}

struct RuleFacts {
  const char *id;
  Severity severity;
  const char *unit;
};
constexpr const char *Sectors = "sectors", *Accesses = "accesses", *Bytes = "bytes", *Launches = "launches";
constexpr RuleFacts kRules[] = {
#define CUPR_FINDING(enumerator, id, severity, unit, what) {id, Severity::severity, unit},
#include "finding_rules.def"
};
const RuleFacts &factsOf(FindingRule rule) { return kRules[static_cast<std::size_t>(rule)]; }

void sortFindings(std::vector<Finding> &findings) {
  const auto key = [](const Finding &finding) {
    return std::tuple(severityOf(finding.rule), -finding.seconds, -finding.share,
                      std::string_view(idOf(finding.rule)), std::string_view(finding.file), finding.line,
                      finding.column, std::string_view(finding.operation), std::string_view(finding.kernel),
                      ~finding.amount, std::string_view(finding.title));
  };
  std::ranges::sort(findings, {}, key);
}

class Rules {
public:
  Rules(const Model &model, const Communication &communication, std::vector<Finding> &findings)
      : model_(model), c_(communication), findings_(findings) {}

  void run() {
    neverRead();
    dependences();
    unseenLaunches();
  }

private:
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
    const double bytesPerSecond = figuresOf(model_.header().process.deviceName).memoryBytesPerSecond;
    for (const auto &[kernel, amount] : bytes)
      findings_.push_back(
          {.rule = FindingRule::NeverRead,
           .title = "Launches wrote data that neither a later launch nor a copy read",
           .advice =
               "Leave the stores out if nothing else needs them. Code that was not instrumented, and the "
               "host through mapped memory, may read it without a trace.",
           .kernel = kernel,
           .file = "",
           .amount = amount,
           .share = partOf(amount, c_.uniqueWritten),
           .seconds = static_cast<double>(amount) / bytesPerSecond});
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
          {.rule = inside ? FindingRule::SharedInsideLaunch : FindingRule::SharedWithoutOrder,
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
        {.rule = FindingRule::UnseenLaunches,
         .title = "Launches are not traced, or not completely",
         .advice = "What they wrote and read is not in these figures: 'cupranalyze info' says why.",
         .kernel = "",
         .file = "",
         .amount = c_.incompleteLaunches,
         .share = partOf(c_.incompleteLaunches, model_.calls())});
  }

  const Model &model_;
  const Communication &c_;
  std::vector<Finding> &findings_;
};

} // namespace

const char *idOf(FindingRule rule) { return factsOf(rule).id; }
Severity severityOf(FindingRule rule) { return factsOf(rule).severity; }
const char *unitOf(FindingRule rule) { return factsOf(rule).unit; }
const char *nameOf(Severity severity) {
  static constexpr const char *kNames[] = {"correctness", "cost", "coverage"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::vector<Finding> findings(const Model &model, const Communication &communication,
                              const std::map<KernelSite, SitePatterns> &patterns) {
  std::vector<Finding> found = accessFindings(model, patterns);
  Rules(model, communication, found).run();
  sortFindings(found);
  return found;
}

std::vector<Finding> wasteFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns) {
  std::vector<Finding> found = accessFindings(model, patterns);
  sortFindings(found);
  return found;
}

} // namespace cupr::analysis
