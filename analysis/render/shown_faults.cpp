/// Where the accesses of a fault stand in the source, and in which memory.
#include "shown_faults.h"

#include "fault_words.h"

#include "analysis/metrics/access_key.h"
#include "analysis/metrics/source_accesses.h"
#include "analysis/model/host_paths.h"
#include "analysis/model/shared_place.h"
#include "analysis/model/shared_variables.h"
#include "analysis/output/text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace cupr::analysis {

namespace {

constexpr std::string_view kMain = "main";

/// Without what stands in front of the program's own functions, and without the compiler's, which launches: "main > step".
std::string ownPath(std::string path) {
  constexpr std::string_view kStep = " > ";
  // Stubs of templates have their result's type in front.
  if (const std::size_t stub = path.rfind(kLaunchStub), step = path.rfind(kStep, stub);
      stub != std::string::npos && step != std::string::npos)
    path.erase(step);
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(kStep, at), path.size());
    const std::string_view frame = std::string_view(path).substr(at, end - at);
    if (frame == kMain || (frame.starts_with(kMain) && frame[kMain.size()] == '('))
      return path.substr(at);
    at = end + kStep.size();
  }
  return path;
}

class FaultTexts {
public:
  explicit FaultTexts(const Model &model)
      : model_(model), paths_(model), variables_(model), words_(model), said_(model) {}

  ShownFault shown(const Fault &fault) {
    ShownFault shown;
    shown.fault = &fault;
    if (fault.rule == FaultRule::Leak) {
      shown.places.push_back(allocationPlace(*fault.allocation));
    } else if (isFree(fault)) {
      const trace::Free &free = model_.strayFrees()[fault.call];
      if (fault.rule == FaultRule::DoubleFree)
        shown.places.push_back(freePlace("free", model_.allocations()[*fault.allocation].freedOrder));
      shown.places.push_back(freePlace(free.call, free.order));
    } else if (fault.rule == FaultRule::UncheckedError) {
      shown.places.push_back(failurePlace(errorOf(fault)));
    } else if (fault.rule == FaultRule::RaceHost) {
      shown.places.push_back(placeOf(*fault.other));
      shown.places.push_back(hostAccessPlace(fault));
    } else {
      if (fault.other)
        shown.places.push_back(placeOf(*fault.other));
      shown.places.push_back(placeOf(fault.place));
    }
    shown.memory = memoryOf(fault);
    said_.say(shown);
    return shown;
  }

private:
  static bool isFree(const Fault &fault) {
    return fault.rule == FaultRule::DoubleFree || fault.rule == FaultRule::InvalidFree;
  }

  const trace::HostFailure &errorOf(const Fault &fault) const { return model_.host().failures[fault.call]; }

  ShownPlace placeOf(const FaultPlace &place) {
    return place.launch == kHost ? actPlace(place.act) : accessPlace(place);
  }

  ShownPlace accessPlace(const FaultPlace &place) {
    const LaunchInfo &info = model_.launches()[place.launch];
    if (place.site == FaultPlace::kNoSite)
      return launchPlace(info);
    const trace::Module &module = *model_.moduleOf(info);
    const trace::Site &site = module.sites[place.site];
    AccessKey key = accessKeyOf(model_, place.launch, module, site);
    ShownPlace shown;
    shown.act = "launch";
    shown.launch = static_cast<std::uint64_t>(info.number);
    shown.kernel = info.kernel;
    shown.operation = abi::operationName(site.operation);
    if (isAccess(site))
      shown.expression = words_.at(module.strings[site.file], site.line, site.column,
                                   abi::operationClass(site.operation) == abi::OperationClass::Load);
    shown.file = std::move(key.file);
    shown.line = key.line;
    shown.column = key.column;
    shown.function = std::move(key.function);
    shown.callers = std::move(key.callers);
    shown.callSites = std::move(key.callSites);
    shown.block = placeInGrid(info.launch.grid, place.block);
    const trace::Dim3 &block = info.launch.block;
    shown.thread = trace::Dim3{place.thread % block.x, place.thread / block.x % block.y,
                               place.thread / block.x / block.y};
    shown.hostPath = ownPath(paths_.pathOfAct(info.launch.order));
    return shown;
  }

  ShownPlace launchPlace(const LaunchInfo &info) {
    ShownPlace shown;
    shown.act = shown.operation = "launch";
    shown.launch = static_cast<std::uint64_t>(info.number);
    shown.kernel = info.kernel;
    callPlace(info.launch.order, shown);
    if (!info.launch.file.empty()) {
      shown.file = info.launch.file;
      shown.line = info.launch.line;
    }
    return shown;
  }

  ShownPlace freePlace(const std::string &call, std::uint64_t order) {
    ShownPlace shown;
    shown.act = "free";
    shown.operation = call;
    callPlace(order, shown);
    return shown;
  }

  ShownPlace failurePlace(const trace::HostFailure &failure) {
    ShownPlace shown;
    shown.act = "call";
    shown.operation = failure.call;
    if (failure.node == trace::kNoHostIndex)
      return shown;
    shown.hostPath = ownPath(paths_.textOf(failure.node));
    std::vector<PathFrame> frames = paths_.pathTo(failure.node);
    if (std::optional<std::string> kernel = takeLaunchStub(frames)) {
      shown.operation = "launch";
      shown.kernel = std::move(*kernel);
    }
    placeIn(frames, shown);
    return shown;
  }

  const trace::HostAccess &hostAccessOf(const Fault &fault) const {
    return model_.host().accesses[fault.call];
  }

  ShownPlace hostAccessPlace(const Fault &fault) {
    const trace::HostAccess &access = hostAccessOf(fault);
    ShownPlace shown;
    shown.act = "host";
    shown.operation = access.writes ? "store" : "load";
    const trace::HostThread &thread = model_.host().threads[access.thread];
    shown.hostThread =
        thread.name.empty() ? fmt::format("{}", thread.id) : fmt::format("{} ({})", thread.id, thread.name);
    if (access.node == trace::kNoHostIndex)
      return shown;
    shown.hostPath = ownPath(paths_.textOf(access.node));
    placeIn(paths_.pathTo(access.node), shown);
    if (!shown.file.empty())
      shown.expression = words_.at(shown.file, shown.line, shown.column, !access.writes);
    return shown;
  }

  /// Of a copy or a set, by the place of its call, where debug information tells it.
  ShownPlace actPlace(Act act) {
    const auto [isSet, order] = orderOf(act);
    ShownPlace shown;
    shown.act = shown.operation = isSet ? "set" : "copy";
    callPlace(order, shown);
    return shown;
  }

  /// Whether it is a set, and its place among the host's calls.
  std::pair<bool, std::uint64_t> orderOf(Act act) {
    if (acts_.empty()) {
      const Ordering ordering(model_);
      for (std::size_t i = 0; i < model_.events().size(); ++i) {
        const Event &event = model_.events()[i];
        if (const auto *copy = std::get_if<CopyEvent>(&event))
          acts_[ordering.actOf(i)] = {false, model_.copies()[copy->index].order};
        else if (const auto *set = std::get_if<SetEvent>(&event))
          acts_[ordering.actOf(i)] = {true, model_.sets()[set->index].order};
      }
    }
    return acts_[act];
  }

  void callPlace(std::uint64_t order, ShownPlace &shown) {
    shown.hostPath = ownPath(paths_.pathOfAct(order));
    const std::optional<std::uint64_t> call = paths_.callOf(order);
    if (!call)
      return;
    placeIn(paths_.pathTo(model_.host().calls[*call].node), shown);
  }

  /// The innermost frame of which a line is known, from main on.
  static void placeIn(const std::vector<PathFrame> &frames, ShownPlace &shown) {
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (!frame->file.empty() && frame->line != 0) {
        shown.file = frame->file;
        shown.line = frame->line;
        shown.column = frame->column;
        shown.function = frame->function;
        return;
      }
      if (frame->function == kMain)
        return;
    }
  }

  ShownPlace allocationPlace(std::uint32_t ordinal) {
    const trace::Allocation &memory = model_.allocations()[ordinal].allocation;
    ShownPlace shown;
    shown.act = "allocation";
    shown.operation = memory.call;
    shown.expression.text = memory.name;
    callPlace(memory.order, shown);
    if (!memory.file.empty()) {
      shown.file = memory.file;
      shown.line = memory.line;
      shown.column = memory.column;
    }
    return shown;
  }

  /// "d (256 bytes, cudaMalloc, a.cu:3:7)".
  static std::string nameOf(const trace::Allocation &memory) {
    std::string text = fmt::format("{} ({}, {}", memory.name.empty() ? "memory" : memory.name,
                                   countedBytes(memory.bytes), memory.call);
    if (!memory.file.empty())
      text += fmt::format(", {}:{}:{}", memory.file, memory.line, memory.column);
    return text + ")";
  }

  std::string memoryOf(const Fault &fault) {
    if (fault.rule == FaultRule::DivergentBarrier || fault.rule == FaultRule::FailedKernel ||
        fault.rule == FaultRule::UncheckedError)
      return {};
    if (fault.rule == FaultRule::WarpMask)
      return fmt::format("mask 0x{:08x}", fault.address);
    if (fault.space == abi::MemorySpace::Local)
      return arrayOf(fault);
    if (fault.space == abi::MemorySpace::Shared) {
      const LaunchInfo &launch = model_.launches()[fault.place.launch];
      const SharedPlace place = sharedPlaceOf(launch.launch, fault.place.block, fault.address);
      const std::string whose = ownerText(launch, place, fault);
      if (const SharedVariable *variable = variables_.find(launch, place.offset))
        return variable->at(place.offset - variable->offset) + (whose.empty() ? "" : " of " + whose);
      return fmt::format("offset 0x{:x} of {}", place.offset,
                         whose.empty() ? "the block's shared memory" : "the shared memory of " + whose);
    }
    if (!fault.allocation)
      return fault.address == 0 ? "address 0" : fmt::format("address 0x{:x}", fault.address);
    const trace::Allocation &memory = model_.allocations()[*fault.allocation].allocation;
    if (fault.rule == FaultRule::Leak || (isFree(fault) && fault.address == memory.address))
      return nameOf(memory);
    const std::uint64_t offset = fault.address - memory.address;
    if (offset >= memory.bytes)
      return fmt::format("{} behind the end of {}", countedBytes(offset - memory.bytes), nameOf(memory));
    return fmt::format("byte {} of {}", grouped(offset), nameOf(memory));
  }

  /// Whose shared memory it is, where that may be another block than the accessing one.
  std::string ownerText(const LaunchInfo &launch, const SharedPlace &place, const Fault &fault) const {
    if (!place.isOther && !isInCluster(model_, fault))
      return {};
    if (!place.owner)
      return fmt::format("block {} of a cluster of {}, counted from 0", place.rank,
                         trace::Clusters(launch.launch).blocks());
    const trace::Dim3 block = placeInGrid(launch.launch.grid, *place.owner);
    return fmt::format("block ({},{},{})", block.x, block.y, block.z);
  }

  std::string arrayOf(const Fault &fault) const {
    const trace::Module &module = *model_.moduleOf(model_.launches()[fault.place.launch]);
    const std::uint32_t name = module.sites[fault.place.site].name;
    const auto declared = std::ranges::find_if(module.sites, [&](const trace::Site &site) {
      return site.operation == abi::Operation::LocalVariable && site.name == name;
    });
    if (declared == module.sites.end())
      return {};
    const std::string array =
        fmt::format("{} ({}, local memory)", module.strings[name], countedBytes(declared->bytes));
    if (fault.address < fault.array)
      return fmt::format("{} in front of {}", countedBytes(fault.array - fault.address), array);
    const std::uint64_t offset = fault.address - fault.array;
    if (offset >= declared->bytes)
      return fmt::format("{} behind the end of {}", countedBytes(offset - declared->bytes), array);
    return fmt::format("byte {} of {}", grouped(offset), array);
  }

  const Model &model_;
  const HostPaths paths_;
  SharedVariables variables_;
  SourceWords words_;
  const FaultWords said_;
  std::map<Act, std::pair<bool, std::uint64_t>> acts_; ///< copies and sets
};

} // namespace

std::string ShownPlace::place() const {
  std::string text = file;
  if (line != 0)
    text += fmt::format(":{}", line);
  if (column != 0)
    text += fmt::format(":{}", column);
  return text;
}

std::vector<ShownFault> shownFaults(const Model &model, const std::vector<Fault> &faults) {
  FaultTexts texts(model);
  std::vector<ShownFault> shown;
  shown.reserve(faults.size());
  for (const Fault &fault : faults)
    shown.push_back(texts.shown(fault));
  return shown;
}

std::string identityOf(const ShownFault &fault) {
  std::string identity = idOf(fault.fault->rule);
  for (const ShownPlace &place : fault.places)
    identity += fmt::format("|{}|{}|{}|{}|{}", std::filesystem::path(place.file).filename().string(),
                            place.function, place.operation, place.expression.text, place.kernel);
  return identity;
}

std::string rulesText(const std::vector<FaultRule> &rules) {
  std::string text;
  for (const FaultRule rule : rules)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", idOf(rule));
  return text;
}

} // namespace cupr::analysis
