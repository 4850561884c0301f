/// Builds the tree: host nodes become contexts in their order, in which parents come first, each function with the loops around the place in it; then what is known of calls, samples and
/// launches is added where it belongs; last, from the innermost nodes outwards, totals are summed.
#include "profile.h"

#include "context_tree.h"
#include "launch_ends.h"

#include "analysis/engine/site_totals.h"
#include "analysis/model/call_frame.h"
#include "analysis/model/host_paths.h"
#include "analysis/model/names.h"
#include "analysis/model/source_loops.h"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kStepsPerRow = 200, kBytesPerCall = 120;

/// Kinds of calls that made no act, by what stands in their names.
constexpr std::pair<std::string_view, CallKind> kNameParts[] = {
    {"Launch", CallKind::Launch},
    {"Memcpy", CallKind::Copy},
    {"Memset", CallKind::Set},
    {"Synchronize", CallKind::Synchronisation},
    {"WaitEvent", CallKind::Synchronisation},
    {"EventRecord", CallKind::Synchronisation},
    {"EventQuery", CallKind::Synchronisation},
    {"StreamQuery", CallKind::Synchronisation},
    {"Malloc", CallKind::Allocation},
    {"MemAlloc", CallKind::Allocation},
    {"HostAlloc", CallKind::Allocation},
    {"Free", CallKind::Free},
};

CallKind kindOfName(std::string_view name) {
  for (const auto &[part, kind] : kNameParts)
    if (name.find(part) != name.npos)
      return kind;
  return CallKind::Other;
}

ContextKind kindOf(PathFrame::Kind kind) {
  switch (kind) {
  case PathFrame::Kind::Function:
    return ContextKind::Function;
  case PathFrame::Kind::Signal:
    return ContextKind::Signal;
  case PathFrame::Kind::Unknown:
    return ContextKind::UnknownCode;
  case PathFrame::Kind::Cut:
    return ContextKind::Cut;
  }
  return ContextKind::Function;
}

void sumTotals(std::vector<ProfileNode> &nodes) {
  for (ProfileNode &node : nodes)
    node.total = node.own;
  for (std::size_t i = nodes.size() - 1; i > 0; --i)
    nodes[nodes[i].parent].total += nodes[i].total;
}

/// Without those that have no figures, nor have any below them.
void leaveOutEmpty(std::vector<ProfileNode> &nodes) {
  std::vector<std::uint32_t> places(nodes.size());
  std::uint32_t kept = 1; // the program stays
  for (std::uint32_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].total == ProfileFigures())
      continue;
    places[i] = kept;
    nodes[i].parent = places[nodes[i].parent];
    if (kept != i)
      nodes[kept] = std::move(nodes[i]);
    ++kept;
  }
  nodes.resize(kept);
}

class Builder {
public:
  Builder(const Model &model, ProfileDevice device, const LaunchSelection &selection)
      : model_(model), filter_(selection, model), host_(model.host()), paths_(model), loops_(model),
        totals_(model), executions_(model, RecordsOf::Executions), device_(device), tree_(model) {}

  Profile build() {
    model_.limit().keep(host_.nodes.size() * sizeof(Context) + host_.calls.size() * kBytesPerCall,
                        [] { return std::string("calling contexts of the host"); });
    for (const trace::HostThread &thread : host_.threads)
      profile_.threads.push_back({thread.id, thread.name, {}});
    contexts();
    acts();
    calls();
    if (filter_.isAll()) {
      profile_.samplings = host_.samplings;
      samples();
    }
    launches();
    profile_.nodes = tree_.take();
    sumTotals(profile_.nodes);
    if (!filter_.isAll())
      leaveOutEmpty(profile_.nodes);
    return std::move(profile_);
  }

private:
  /// What is known of a node of the host.
  struct Context {
    std::uint32_t node;     ///< of the tree: the innermost function, or the loop in it
    std::string_view file;  ///< of the place in it
    std::uint32_t line = 0; ///< likewise
  };
  /// What a call did.
  struct Acts {
    std::optional<CallKind> kind;
    std::uint64_t order = UINT64_MAX; ///< of its first act
    std::uint64_t copied = 0, set = 0, allocated = 0;
    bool isChosen = false; ///< it made a launch that is
  };

  void contexts() {
    for (std::uint32_t index = 0; index < host_.nodes.size(); ++index) {
      const std::uint32_t parent = host_.nodes[index].parent;
      Context context{parent == trace::kNoHostIndex ? 0 : contexts_[parent].node, {}, 0};
      for (const PathFrame &frame : paths_.framesOf(index)) {
        const std::uint32_t function =
            tree_.child(context.node, kindOf(frame.kind), frame.function, {}, 0, frame.object);
        context = {tree_.loops(function, loops_, LoopSide::Host, frame.file, frame.line, frame.column),
                   frame.file, frame.line};
      }
      contexts_.push_back(context);
    }
  }

  Context contextOf(std::uint32_t node) {
    if (node != trace::kNoHostIndex)
      return contexts_[node];
    return {tree_.child(0, ContextKind::Cut, "[path not known]"), {}, 0};
  }

  Acts *actsOf(std::uint64_t order) {
    const std::optional<std::uint64_t> call = paths_.callOf(order);
    if (!call)
      return nullptr;
    Acts &acts = acts_[*call];
    acts.order = std::min(acts.order, order);
    return &acts;
  }
  /// The kind that stands first in CallKind is that of a call that made several acts, as the launch of a graph.
  static void isOf(Acts &acts, CallKind kind) { acts.kind = std::min(acts.kind.value_or(kind), kind); }
  void ends(std::uint64_t time) { profile_.executionTime = std::max(profile_.executionTime, time); }

  void acts() {
    for (const trace::Copy &copy : model_.copies()) {
      ends(copy.time);
      if (Acts *of = actsOf(copy.order)) {
        isOf(*of, CallKind::Copy);
        of->copied += copy.rowBytes * copy.rows;
      }
    }
    for (const trace::Set &set : model_.sets()) {
      ends(set.time);
      if (Acts *of = actsOf(set.order)) {
        isOf(*of, CallKind::Set);
        of->set += set.rowBytes * set.rows;
      }
    }
    for (const AllocationInfo &info : model_.allocations()) {
      ends(info.allocation.time);
      if (Acts *of = actsOf(info.allocation.order)) {
        isOf(*of, CallKind::Allocation);
        of->allocated += info.allocation.bytes;
      }
      if (Acts *of = info.freedOrder == UINT64_MAX ? nullptr : actsOf(info.freedOrder))
        isOf(*of, CallKind::Free);
    }
    for (const trace::Synchronisation &call : model_.synchronisations()) {
      ends(call.time);
      if (Acts *of = actsOf(call.order))
        isOf(*of, CallKind::Synchronisation);
    }
    for (const LaunchInfo &launch : model_.launches()) {
      ends(launch.launch.time);
      ends(launch.deviceTime() ? launch.totals.end.ended : 0);
      if (Acts *of = actsOf(launch.launch.order)) {
        isOf(*of, CallKind::Launch);
        of->isChosen |= filter_.has(launch);
      }
    }
  }

  void calls() {
    for (std::uint64_t index = 0; index < host_.calls.size(); ++index) {
      const trace::HostCall &call = host_.calls[index];
      model_.limit().spend(kStepsPerRow, [] { return std::string("calls of the host"); });
      const auto known = acts_.find(index);
      const Acts made = known == acts_.end() ? Acts() : known->second;
      const CallKind kind = made.kind ? *made.kind : kindOfName(host_.names[call.name]);
      ProfileFigures figures;
      figures.byKind[static_cast<std::size_t>(kind)] = {1, call.ended - call.began};
      figures.copyBytes = made.copied;
      figures.setBytes = made.set;
      figures.allocatedBytes = made.allocated;
      if (const std::uint64_t done =
              kind == CallKind::Synchronisation ? 0 : launchEnds_.doneBefore(made.order);
          made.kind && done > call.began && done <= call.ended)
        figures.waitTime = done - call.began;
      const Context context = contextOf(call.node);
      const std::uint32_t node =
          tree_.child(context.node, ContextKind::Call, host_.names[call.name], context.file, context.line);
      if (filter_.isAll() || made.isChosen) {
        tree_[node].own += figures;
        profile_.threads[call.thread].figures += figures;
      }
      nodesOfCalls_.push_back(node);
      ends(call.ended);
      intervals_.resize(host_.threads.size());
      intervals_[call.thread].emplace_back(call.began, call.ended);
    }
  }

  bool isInCall(const trace::HostSample &sample) const {
    if (sample.thread >= intervals_.size())
      return false;
    const auto &calls = intervals_[sample.thread];
    const auto next =
        std::ranges::upper_bound(calls, sample.time, {}, [](const auto &call) { return call.first; });
    return next != calls.begin() && sample.time <= std::prev(next)->second;
  }

  void samples() {
    for (auto &calls : intervals_)
      std::ranges::sort(calls);
    for (const trace::HostSample &sample : host_.samples) {
      model_.limit().spend(kStepsPerRow, [] { return std::string("samples of the host"); });
      ProfileFigures figures;
      figures.samples = 1;
      figures.processorTime = sample.weight;
      figures.processorTimeInCalls = isInCall(sample) ? sample.weight : 0;
      tree_[contextOf(sample.node).node].own += figures;
      profile_.threads[sample.thread].figures += figures;
      ends(sample.time);
    }
  }

  void launches() {
    if (device_ == ProfileDevice::Accesses) {
      std::vector<std::size_t> traced;
      for (std::size_t i = 0; i < model_.launches().size(); ++i)
        if (model_.launches()[i].launch.traced && filter_.has(model_.launches()[i]))
          traced.push_back(i);
      totals_.countAnew(traced, SiteTotals::Figures::Requests);
      if (recordsInstructions_)
        executions_.countAnew(traced, SiteTotals::Figures::Counts);
    }
    for (const LaunchInfo &launch : model_.launches()) {
      if (!filter_.has(launch))
        continue;
      const std::optional<std::uint64_t> call = paths_.callOf(launch.launch.order);
      const std::uint32_t from = call ? nodesOfCalls_[*call]
                                      : tree_.child(contextOf(trace::kNoHostIndex).node, ContextKind::Call,
                                                    "launch", launch.launch.file, launch.launch.line);
      const std::uint32_t kernel = tree_.child(from, ContextKind::Kernel, launch.kernel);
      ProfileFigures &own = tree_[kernel].own;
      if (launch.phase == 0) {
        ++own.launches;
        own.deviceTime += launch.deviceTime().value_or(0);
      }
      if (device_ == ProfileDevice::Accesses && launch.launch.traced) {
        accesses(launch, kernel);
        if (recordsInstructions_)
          executions(launch, kernel);
      }
    }
  }

  /// A function on the way to an access, and the place in it: the module's string, and line 0 where it is not known.
  struct Step {
    std::string function;
    std::uint32_t file, line, column;
  };

  /// The innermost loop, or function, that a site of a kernel is in.
  std::uint32_t contextOf(const trace::Module &module, const trace::Site &site, std::uint32_t kernel) {
    // Innermost first.
    std::vector<Step> steps{{userName(module.strings[site.function]), site.file, site.line, site.column}};
    bool endsInKernel = true; // else nobody knows who called
    for (std::uint32_t outer = site.frame; outer != abi::kNoFrame; outer = module.frames[outer].parent) {
      const trace::Frame &frame = module.frames[outer];
      endsInKernel = isCallerKnown(frame);
      // A recursion stands for a function as a whole.
      const bool isAtPlace = endsInKernel && frame.kind != abi::FrameKind::Recursive;
      steps.push_back({callerName(module, frame), frame.file, isAtPlace ? frame.line : 0, frame.column});
    }
    model_.limit().spend(kStepsPerRow * steps.size(),
                         [&] { return tree_[kernel].name + ": its calling contexts"; });
    std::uint32_t context = kernel;
    for (bool isKernel = endsInKernel; const Step &step : steps | std::views::reverse) {
      if (!std::exchange(isKernel, false))
        context = tree_.child(context, ContextKind::DeviceFunction, step.function);
      context =
          tree_.loops(context, loops_, LoopSide::Device, module.strings[step.file], step.line, step.column);
    }
    return context;
  }

  /// What is executed is a function's own, or its loop's.
  void executions(const LaunchInfo &launch, std::uint32_t kernel) {
    const trace::Module &module = *model_.moduleOf(launch);
    for (const auto &[region, total] : executions_.of(launch)) {
      const trace::Site *last = nullptr;
      std::uint32_t context = kernel;
      forEachExecuted(module, region, {total.records, total.accesses},
                      [&](const trace::Site &site, std::string_view, const ExecutedCount &count) {
                        if (std::exchange(last, &site) != &site)
                          context = contextOf(module, site, kernel);
                        tree_[context].own.executed += count;
                      });
    }
  }

  void accesses(const LaunchInfo &launch, std::uint32_t kernel) {
    const trace::Module *const module = model_.moduleOf(launch);
    for (const auto &[number, total] : totals_.of(launch)) {
      const trace::Site &site = module->sites[number];
      const std::uint32_t access =
          tree_.child(contextOf(*module, site, kernel), ContextKind::Access,
                      abi::operationName(site.operation), module->strings[site.file], site.line);
      ProfileFigures &own = tree_[access].own;
      own.accesses += total.accesses;
      own.accessBytes += total.bytes;
      own.requests += total.made.requests;
      own.sectors += total.made.sectors;
      own.leastSectors += total.made.leastSectors;
    }
  }

  const Model &model_;
  const LaunchFilter filter_;
  const trace::HostBatch &host_;
  const HostPaths paths_;
  SourceLoops loops_;
  SiteTotals totals_;
  SiteTotals executions_; ///< where the program records them
  const bool recordsInstructions_ = recordsInstructions(model_);
  const ProfileDevice device_;
  const LaunchEnds launchEnds_{model_};
  ContextTree tree_;
  Profile profile_;
  std::vector<Context> contexts_;                ///< by node of the host
  std::unordered_map<std::uint64_t, Acts> acts_; ///< by call
  std::vector<std::uint32_t> nodesOfCalls_;
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> intervals_; ///< of calls, by thread
};

} // namespace

Profile profileOf(const Model &model, ProfileDevice device, const LaunchSelection &selection) {
  return Builder(model, device, selection).build();
}

} // namespace cupr::analysis
