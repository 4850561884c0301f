/// Each rule of what memory is used for is a function that looks at who wrote what others read, and adds what it finds.
#include "findings.h"

#include "access_findings.h"
#include "analysis/engine/program_places.h"
#include "analysis/model/host_paths.h"
#include "analysis/model/live_allocations.h"
#include "analysis/output/text.h"
#include "bank_findings.h"
#include "call_sites.h"
#include "call_times.h"
#include "device_figures.h"
#include "hand_over.h"
#include "launch_findings.h"
#include "library_calls.h"
#include "lost_cycles.h"
#include "transfer_findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

/// Dead stores below this part of what launches wrote are not worth a word, and loads that were made before below this one of what they read.
constexpr double kOfWhatWasWritten = 0.01, kOfWhatWasRead = 0.05;
/// Nor loads of less than this part of what launches read and write, as where kernels take little beside what they store.
constexpr double kOfAllBytes = 0.01;

struct RuleFacts {
  const char *id;
  Severity severity;
  const char *unit;
};
constexpr RuleFacts kRules[] = {
#define CUPR_FINDING(enumerator, id, severity, unit, what) {id, Severity::severity, unit},
#include "finding_rules.def"
};
const RuleFacts &factsOf(FindingRule rule) { return kRules[static_cast<std::size_t>(rule)]; }

/// Cycles and seconds are not comparable, so they order groups of their own.
enum class CostGroup : std::uint8_t { Lost, Estimated, NotLost };
CostGroup groupOf(const Finding &finding) {
  if (!finding.lost)
    return CostGroup::Estimated;
  return finding.lost->isLoss() ? CostGroup::Lost : CostGroup::NotLost;
}

void sortFindings(std::vector<Finding> &findings) {
  const auto key = [](const Finding &finding) {
    const double lost = finding.lost ? finding.lost->cycles : 0;
    return std::tuple(severityOf(finding.rule), groupOf(finding), -lost, -finding.seconds, -finding.share,
                      std::string_view(idOf(finding.rule)), std::string_view(finding.file), finding.line,
                      finding.column, std::string_view(finding.operation), std::string_view(finding.kernel),
                      ~finding.amount, std::string_view(finding.path), std::string_view(finding.title));
  };
  std::ranges::sort(findings, {}, key);
}

class Rules {
public:
  Rules(const Model &model, const Communication &communication, CallSites &sites,
        std::vector<Finding> &findings)
      : model_(model), c_(communication), sites_(sites),
        device_(figuresOf(model.header().process.deviceName)), findings_(findings) {}

  void run() {
    neverRead();
    deadStores();
    loadedAgain();
    copies();
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
    // What was written again is a dead store.
    for (const auto &[place, dead] : c_.overwrittenUnread)
      if (const auto found = bytes.find(model_.launches()[place.launch].kernel); found != bytes.end())
        found->second -= std::min(found->second, dead.bytes);
    std::erase_if(bytes, [](const auto &of) { return of.second == 0; });
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
           .seconds = static_cast<double>(amount) / device_.memoryBytesPerSecond});
  }

  void deadStores() {
    struct Stores {
      LaunchIndex kernel = 0;             ///< with most of the dead ones
      OverwrittenVolume dead;             // distinct bytes, as `most`
      std::uint64_t most = 0, stored = 0; // by threads
    };
    std::map<std::uint32_t, Stores> accesses; // by first site
    for (const auto &[place, volume] : c_.overwrittenUnread) {
      Stores &stores = accesses[place.site];
      stores.dead += volume;
      if (volume.bytes > stores.most) {
        stores.most = volume.bytes;
        stores.kernel = place.launch;
      }
    }
    const std::vector<std::uint32_t> accessOf = sourceAccessesOf(model_);
    for (std::uint32_t site = 0; site < c_.sites.size(); ++site)
      if (const auto found = accesses.find(accessOf[site]); found != accesses.end())
        found->second.stored += c_.sites[site].counts.storeBytes + c_.sites[site].counts.atomicBytes;
    for (const auto &[access, stores] : accesses)
      if (const std::uint64_t dead = stores.dead.bytes;
          2 * dead >= stores.stored && partOf(dead, c_.uniqueWritten) >= kOfWhatWasWritten) {
        const SiteVolume &of = c_.sites[access];
        const bool isRepeated = 2 * stores.dead.bySameKernel > dead;
        findings_.push_back(
            {.rule = FindingRule::DeadStore,
             .title = fmt::format(
                 "Of {} bytes that are stored here, {} are written again{} before anything reads them",
                 grouped(stores.stored), grouped(dead), isRepeated ? " by later launches of the kernel" : ""),
             .advice = isRepeated
                           ? "If the launches do the same once more, as to be timed, one is enough, and the "
                             "kernel is not to blame. Else let the last of them alone store it."
                           : "Leave the store out, or let what writes next be the first: start a sum with "
                             "its first value instead of adding to "
                             "a cleared one, and clear only what stays.",
             .kernel = model_.launches()[stores.kernel].kernel,
             .file = of.module->strings[of.site->file],
             .line = of.site->line,
             .column = of.site->column,
             .operation = operationName(abi::operationClass(of.site->operation)),
             .amount = dead,
             .share = partOf(dead, c_.uniqueWritten),
             // What is repeated to be timed is no loss, so none is claimed.
             .seconds = isRepeated ? 0 : static_cast<double>(dead) / device_.memoryBytesPerSecond});
      }
  }

  /// Of two kernels that one launch could do: the same blocks had loaded at least half of what the second reads before, none of its blocks
  /// depends on another block of the first, and they are no variants that are compared: what the first stored is not in vain, and the second
  /// does not store its own over it.
  void loadedAgain() {
    using Kernels = std::pair<LaunchIndex, LaunchIndex>;
    const std::vector<LaunchIndex> kernels = kernelsOf(model_);
    std::map<Kernels, std::uint64_t> again;
    for (const auto &[accesses, bytes] : c_.loadedAgain)
      again[{accesses.first.launch, accesses.second.launch}] += bytes;
    std::map<LaunchIndex, std::uint64_t> read, written, dead;
    std::map<Kernels, std::uint64_t> writtenByFirst, writtenBySecond, writtenAfresh;
    std::uint64_t allRead = 0;
    for (std::size_t i = 0; i < c_.launches.size(); ++i) {
      if (i != 0) {
        writtenByFirst[{kernels[i - 1], kernels[i]}] += c_.launches[i - 1].uniqueWritten;
        writtenBySecond[{kernels[i - 1], kernels[i]}] += c_.launches[i].uniqueWritten;
        writtenAfresh[{kernels[i - 1], kernels[i]}] += c_.launches[i].writtenAfresh;
      }
      read[kernels[i]] += c_.launches[i].uniqueRead;
      written[kernels[i]] += c_.launches[i].uniqueWritten;
      allRead += c_.launches[i].uniqueRead;
    }
    for (const auto &[place, volume] : c_.overwrittenUnread)
      dead[place.launch] += volume.bytes;
    std::set<Kernels> dependent;
    for (const auto &[dependence, volume] : c_.dependences)
      if (dependence.dependence.order == DependenceOrder::Ordered && volume.otherIndex != 0)
        dependent.insert({dependence.first.launch, dependence.second.launch});
    const auto areVariants = [&](const Kernels &of) {
      return writtenAfresh[of] != 0 &&
             2 * writtenAfresh[of] >= std::min(writtenByFirst[of], writtenBySecond[of]);
    };
    std::map<KernelSite, std::pair<std::uint64_t, KernelSite>>
        seconds; // bytes, and where most of them were loaded before
    std::map<KernelSite, std::uint64_t> most;
    for (const auto &[accesses, bytes] : c_.loadedAgain) {
      const Kernels of{accesses.first.launch, accesses.second.launch};
      if (2 * again.at(of) < read[of.second] || dependent.contains(of) ||
          (dead.contains(of.first) && 2 * dead[of.first] >= written[of.first]) || areVariants(of) ||
          areVariants({of.second, of.first}))
        continue;
      auto &[sum, first] = seconds[accesses.second];
      sum += bytes;
      if (bytes > most[accesses.second]) {
        most[accesses.second] = bytes;
        first = accesses.first;
      }
    }
    for (const auto &[place, of] : seconds) {
      const auto &[bytes, first] = of;
      if (partOf(bytes, allRead) < kOfWhatWasRead || partOf(bytes, allRead + c_.uniqueWritten) < kOfAllBytes)
        continue;
      const SiteVolume &here = c_.sites[place.site], &before = c_.sites[first.site];
      findings_.push_back({.rule = FindingRule::LoadedAgain,
                           .title = fmt::format("{} bytes are loaded here that the launch before had loaded, "
                                                "of {} at {}:{}, and nothing wrote them between",
                                                grouped(bytes), model_.launches()[first.launch].kernel,
                                                before.module->strings[before.site->file], before.site->line),
                           .advice = "Let one launch do both: what a block has loaded it can use for both "
                                     "results, and none of the second depends on "
                                     "another block of the first.",
                           .kernel = model_.launches()[place.launch].kernel,
                           .file = here.module->strings[here.site->file],
                           .line = here.site->line,
                           .column = here.site->column,
                           .operation = operationName(abi::operationClass(here.site->operation)),
                           .amount = bytes,
                           .share = partOf(bytes, allRead),
                           .seconds = static_cast<double>(bytes) / device_.memoryBytesPerSecond});
    }
  }

  /// By allocation. What the program does with memory beside the trace may be the reason for a copy, so only device memory is judged,
  /// and only where all launches behind the copy are there.
  void copies() {
    struct Copies {
      std::uint64_t written = 0, read = 0, unchanged = 0, fetched = 0, again = 0;
      std::map<CallSite, std::uint64_t> unreadBy, unchangedBy, againBy; ///< of the calls that copied
    };
    std::map<const AllocationInfo *, Copies> allocations;
    const UnseenLaunches unseen(model_, *c_.ordering);
    LiveAllocations live(model_);
    std::uint64_t moved = 0;
    for (std::size_t event = 0; event < model_.events().size(); ++event) {
      const Event &of = model_.events()[event];
      if (const auto *made = std::get_if<AllocationEvent>(&of))
        live.apply(*made);
      else if (const auto *freed = std::get_if<FreeEvent>(&of))
        live.apply(*freed);
      const auto *copied = std::get_if<CopyEvent>(&of);
      if (!copied)
        continue;
      const trace::Copy &copy = model_.copies()[copied->index];
      const bool isUp = copy.kind == trace::CopyKind::HostToDevice,
                 isDown = copy.kind == trace::CopyKind::DeviceToHost;
      const std::uint64_t bytes = copy.rowBytes * copy.rows;
      moved += isUp || isDown ? bytes : 0;
      const AllocationInfo *allocation = isUp     ? live.find(copy.destination)
                                         : isDown ? live.find(copy.source)
                                                  : nullptr;
      const Act act = c_.ordering->actOf(event);
      if (!allocation || !isOfDevice(*allocation) || isConstant(*allocation) || unseen.mayRunBehind(act))
        continue;
      const auto found = c_.copies.find(act);
      const CopyVolume volume = found == c_.copies.end() ? CopyVolume() : found->second;
      Copies &sum = allocations[allocation];
      (isUp ? sum.written : sum.fetched) += bytes;
      sum.read += isUp ? volume.read : 0;
      sum.again += isDown ? volume.again : 0;
      (isUp ? sum.unreadBy : sum.againBy)[sites_.of(copy.order)] +=
          isUp ? bytes - std::min(bytes, volume.read) : volume.again;
      if (volume.unchanged != 0) {
        sum.unchanged += volume.unchanged;
        sum.unchangedBy[sites_.of(copy.order)] += volume.unchanged;
      }
    }
    for (const auto &[allocation, sum] : allocations) {
      const std::string name = nameOf(*allocation);
      const auto add = [&](FindingRule rule, std::string title, const char *advice, std::uint64_t amount,
                           const std::map<CallSite, std::uint64_t> &calls) {
        const CallSite &most =
            std::ranges::max_element(calls, {}, [](const auto &of) { return of.second; })->first;
        findings_.push_back({.rule = rule,
                             .title = std::move(title),
                             .advice = advice,
                             .kernel = "",
                             .file = most.file,
                             .line = most.line,
                             .path = most.path,
                             .amount = amount,
                             .share = partOf(amount, moved),
                             .seconds = static_cast<double>(amount) / device_.hostBytesPerSecond});
      };
      if (const std::uint64_t unread = sum.written - std::min(sum.written, sum.read);
          unread != 0 && 2 * unread >= sum.written)
        add(FindingRule::CopiedUnread,
            fmt::format("Of {} bytes that were copied to {}, nothing read {}", grouped(sum.written), name,
                        grouped(unread)),
            "Copy only what launches read, and set with cudaMemset what is to be cleared.", unread,
            sum.unreadBy);
      if (sum.unchanged != 0)
        add(FindingRule::CopiedUnchanged,
            fmt::format(
                "Of {} bytes that were copied to {}, {} were there already: a copy had brought the same, "
                "and nothing wrote them since",
                grouped(sum.written), name, grouped(sum.unchanged)),
            "Copy once, in front of the loop, or only what the host has changed.", sum.unchanged,
            sum.unchangedBy);
      if (sum.again != 0)
        add(FindingRule::CopiedAgain,
            fmt::format("Of {} bytes that were copied from {} to the host, {} had been copied before, and "
                        "nothing wrote them since",
                        grouped(sum.fetched), name, grouped(sum.again)),
            "Copy once, or only what launches have written since.", sum.again, sum.againBy);
    }
  }

  static bool isOfDevice(const AllocationInfo &allocation) {
    const trace::MemoryKind kind = allocation.allocation.kind;
    return kind == trace::MemoryKind::Device || kind == trace::MemoryKind::Pitched ||
           kind == trace::MemoryKind::Pool || kind == trace::MemoryKind::Symbol;
  }
  /// Loads of it are recorded only if they were asked for, and never followed.
  static bool isConstant(const AllocationInfo &allocation) {
    return allocation.allocation.call == "__constant__";
  }
  /// "a3 (cudaMalloc, 4,096 bytes)", "node->values (a3, cudaMalloc, 4,096 bytes)", "the variable total".
  static std::string nameOf(const AllocationInfo &info) {
    const trace::Allocation &allocation = info.allocation;
    if (allocation.call.starts_with("__")) // __device__ and so on: no call has made it
      return fmt::format("the variable {}", allocation.name);
    const std::string what = fmt::format("{}, {} bytes", allocation.call, grouped(allocation.bytes));
    return allocation.name.empty() ? fmt::format("a{} ({})", info.ordinal, what)
                                   : fmt::format("{} (a{}, {})", allocation.name, info.ordinal, what);
  }

  void dependences() {
    std::vector<Dependence> unordered;
    for (const auto &[dependence, volume] : c_.dependences)
      if (dependence.dependence.order != DependenceOrder::Ordered && dependence.second.launch != kHost &&
          !(isForOthers(dependence.first) &&
            isForOthers(dependence.second))) // an order that the program asked for
        unordered.push_back(dependence);
    const std::map<Dependence, HandOver> handed = handOvers(model_, c_, unordered);
    for (const Dependence &dependence : unordered) {
      const DependenceVolume &volume = c_.dependences.at(dependence);
      const SiteVolume &second = c_.sites[dependence.second.site];
      const auto found = handed.find(dependence);
      const HandOver hand = found == handed.end() ? HandOver::None : found->second;
      if (hand == HandOver::Whole)
        continue;
      const bool inside = dependence.dependence.order == DependenceOrder::InsideLaunch;
      findings_.push_back(
          {.rule = inside ? FindingRule::SharedInsideLaunch : FindingRule::SharedWithoutOrder,
           .title = inside ? fmt::format("Blocks of one launch {} the same bytes, which another block writes",
                                         dependence.dependence.kind == DependenceKind::Waw ? "write" : "read")
                           : "Launches that nothing orders access the same bytes, and one of them writes",
           .advice = hand == HandOver::Unacquired ? "The writer hands them over by a fence and an atomic "
                                                    "access, and the reader looks there, but with no "
                                                    "fence behind it: put __threadfence() there, or read the "
                                                    "place with memory_order_acquire."
                     : inside
                         ? "Blocks of a launch run in any order: check that the result does not depend on it."
                         : "Put them into one stream, or let one wait for an event of the other.",
           .kernel = model_.launches()[dependence.second.launch].kernel,
           .file = second.module->strings[second.site->file],
           .line = second.site->line,
           .column = second.site->column,
           .operation = operationName(abi::operationClass(second.site->operation)),
           .amount = volume.bytes,
           .share = partOf(volume.bytes, c_.counts.bytes())});
    }
  }

  /// Whether the program says that other threads' accesses come in between.
  bool isForOthers(const KernelSite &place) const {
    if (place.launch == kHost)
      return false;
    const trace::Site &site = *c_.sites[place.site].site;
    return abi::operationClass(site.operation) == abi::OperationClass::Atomic ||
           (site.flags & abi::kSiteVolatile) != 0;
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
  CallSites &sites_;
  const DeviceFigures device_;
  std::vector<Finding> &findings_;
};

/// Of single accesses, in no order.
std::vector<Finding> wasteOf(const Model &model, const std::map<KernelSite, SitePatterns> &patterns) {
  std::vector<Finding> found = accessFindings(model, patterns);
  std::ranges::move(bankFindings(model, patterns), std::back_inserter(found));
  return found;
}

} // namespace

const char *idOf(FindingRule rule) { return factsOf(rule).id; }
Severity severityOf(FindingRule rule) { return factsOf(rule).severity; }
const char *unitOf(FindingRule rule) { return factsOf(rule).unit; }
const char *nameOf(Severity severity) {
  static constexpr const char *kNames[] = {"correctness", "cost", "coverage"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::vector<Finding> findings(const Model &model, const Communication &communication,
                              const std::map<KernelSite, SitePatterns> &patterns,
                              const LatencyFigures &latency) {
  std::vector<Finding> found = wasteOf(model, patterns);
  const HostPaths paths(model);
  CallSites sites(model, paths);
  Rules(model, communication, sites, found).run();
  std::ranges::move(transferFindings(model, sites, CallTimes(model, paths)), std::back_inserter(found));
  std::ranges::move(launchFindings(model, sites), std::back_inserter(found));
  setLostCycles(found, latency);
  foldLibraries(found, model, sites);
  sortFindings(found);
  return found;
}

std::vector<Finding> wasteFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns,
                                   const LatencyFigures &latency) {
  std::vector<Finding> found = wasteOf(model, patterns);
  setLostCycles(found, latency);
  if (std::ranges::any_of(found, isInLibrary)) { // else nobody asks for call paths
    const HostPaths paths(model);
    CallSites sites(model, paths);
    foldLibraries(found, model, sites);
  }
  sortFindings(found);
  return found;
}

} // namespace cupr::analysis
