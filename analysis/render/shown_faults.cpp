#include "shown_faults.h"

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

std::string spaceText(abi::MemorySpace space) { return std::string(abi::spaceName(space)) + " memory"; }

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

std::string bytesOf(std::uint64_t bytes) { return grouped(bytes) + (bytes == 1 ? " byte" : " bytes"); }

class FaultTexts {
public:
  explicit FaultTexts(const Model &model) : model_(model), paths_(model), variables_(model), words_(model) {}

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
    say(shown, fault);
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
                                   bytesOf(memory.bytes), memory.call);
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
      return fmt::format("{} behind the end of {}", bytesOf(offset - memory.bytes), nameOf(memory));
    return fmt::format("byte {} of {}", grouped(offset), nameOf(memory));
  }

  /// Whose shared memory it is, where that may be another block than the accessing one.
  std::string ownerText(const LaunchInfo &launch, const SharedPlace &place, const Fault &fault) const {
    if (!place.isOther && !isInCluster(fault))
      return {};
    if (!place.owner)
      return fmt::format("block {} of a cluster of {}, counted from 0", place.rank,
                         trace::Clusters(launch.launch).blocks());
    const trace::Dim3 block = placeInGrid(launch.launch.grid, *place.owner);
    return fmt::format("block ({},{},{})", block.x, block.y, block.z);
  }

  /// Whether the access is to another block's shared memory.
  bool isOfOther(const Fault &fault) const {
    return fault.place.launch != kHost && fault.place.site != FaultPlace::kNoSite &&
           sharedPlaceOf(model_.launches()[fault.place.launch].launch, fault.place.block, fault.address)
               .isOther;
  }

  /// Whether both accesses of a race are of blocks of one cluster.
  bool isInCluster(const Fault &fault) const {
    return fault.other && fault.place.launch != kHost && fault.other->launch == fault.place.launch &&
           trace::Clusters(model_.launches()[fault.place.launch].launch)
               .areTogether(fault.other->block, fault.place.block);
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
        fmt::format("{} ({}, local memory)", module.strings[name], bytesOf(declared->bytes));
    if (fault.address < fault.array)
      return fmt::format("{} in front of {}", bytesOf(fault.array - fault.address), array);
    const std::uint64_t offset = fault.address - fault.array;
    if (offset >= declared->bytes)
      return fmt::format("{} behind the end of {}", bytesOf(offset - declared->bytes), array);
    return fmt::format("byte {} of {}", grouped(offset), array);
  }

  static std::string linesText(const ShownFault &shown) {
    const std::string first = shown.places.front().place(), second = shown.places.back().place();
    if (first.empty() || second.empty() || first == second)
      return "between the two";
    return fmt::format("between {} and {}", first, second);
  }

  void say(ShownFault &shown, const Fault &fault) const {
    const bool isShared = fault.space == abi::MemorySpace::Shared;
    const bool isLocal = fault.space == abi::MemorySpace::Local;
    const std::string memory = spaceText(fault.space);
    switch (fault.rule) {
    case FaultRule::RaceLanes:
      if (fault.cause == RaceCause::OneInstruction) {
        shown.title =
            fmt::format("Threads of one warp store to the same bytes of {} in one instruction: which "
                        "one's value stays is not defined",
                        memory);
        shown.advice = "Let one of the threads store, or give each a place of its own, or make it atomic.";
        break;
      }
      shown.title =
          fmt::format("Threads of one warp access the same bytes of {}, and no barrier of the warp or the "
                      "block stands between: threads of a warp may run apart",
                      memory);
      shown.advice =
          fmt::format("Put __syncwarp(), with a mask that holds both threads, {}.", linesText(shown));
      break;
    case FaultRule::RaceWarps:
      shown.title = fmt::format(
          "Two warps of a block access the same bytes of {}, and no barrier stands between", memory);
      shown.advice = fmt::format("Put __syncthreads() {}, where all threads of the block come by{}.",
                                 linesText(shown), isShared ? "" : ", or let one thread make both accesses");
      break;
    case FaultRule::RaceBlocks:
      shown.title =
          "Two blocks of a launch access the same bytes, and nothing orders them: blocks run in any order";
      shown.advice =
          "Let each block write what is its own, make the accesses atomic, or divide the kernel in two "
          "launches (or by a barrier of the grid).";
      if (isInCluster(fault)) {
        shown.title =
            fmt::format("Two blocks of a cluster access the same bytes of {}, and no barrier of the "
                        "cluster stands between",
                        memory);
        shown.advice =
            fmt::format("Put cluster.sync() {}, where all threads of the cluster come by.", linesText(shown));
      }
      break;
    case FaultRule::RaceLaunches:
      shown.title =
          "Two launches, copies or sets access the same bytes, and nothing orders them: they may run at the "
          "same time";
      shown.advice = "Put both in one stream, let the one's stream wait for an event behind the other "
                     "(cudaStreamWaitEvent), or let the host wait in between.";
      break;
    case FaultRule::RaceHost:
      sayHostRace(shown, fault);
      break;
    case FaultRule::UninitialisedRead:
      if (fault.place.launch == kHost) {
        shown.title = fmt::format("A copy to the host reads {} that no kernel, copy or set has written",
                                  bytesOf(fault.bytes));
        shown.advice = "Copy what has been written, and no more, or set the rest (cudaMemset) before.";
        break;
      }
      shown.title =
          isLocal    ? "A thread reads an element of an array of its own that it has not written"
          : isShared ? (isOfOther(fault) ? "Shared memory of another block is read that no thread has written"
                                         : "Shared memory is read that no thread of the block has written")
                     : "Memory is read that no kernel, copy or set has written";
      shown.advice =
          isLocal ? "Give the array values where it is declared, or read only what has been stored."
          : isShared
              ? (isOfOther(fault)
                     ? "Let one of the blocks store to all that is read, and wait (cluster.sync()) before."
                     : "Let the block store to all that it reads, and wait (__syncthreads()) before.")
              : "Set it (cudaMemset), copy to it, or let a kernel write it before.";
      break;
    case FaultRule::OutOfBounds:
      shown.title =
          isLocal ? "An access lies outside of the thread's own array that it is to"
          : isShared
              ? (isOfOther(fault) ? "An access lies outside the shared variables of a block of the cluster"
                                  : "An access lies outside the block's shared variables")
              : "An access lies outside of all allocations";
      shown.advice = "Compare the index with the number of elements before the access.";
      break;
    case FaultRule::BlockEnded:
      shown.title =
          "A block accesses shared memory of another one of its cluster, which does not wait for that and "
          "may have ended before";
      shown.advice = fmt::format("Put cluster.sync() behind {}, where all threads of the cluster come by.",
                                 lineText(shown.places.front(), "the access"));
      break;
    case FaultRule::UseAfterFree:
      shown.title = "Memory is accessed that has been freed";
      shown.advice = "Free it behind the last launch that accesses it.";
      break;
    case FaultRule::Misaligned:
      shown.title =
          "An address is no multiple of what the instruction needs: on a GPU the kernel ends with an error";
      shown.advice =
          "Let vectors begin where their size divides the address, or load their elements one by one.";
      break;
    case FaultRule::DivergentBarrier:
      shown.title = "Threads of one block wait for each other at different barriers";
      shown.advice =
          "Put one __syncthreads() where all threads of the block come by, outside of what only a part of "
          "them runs.";
      break;
    case FaultRule::WarpMask:
      shown.title = fault.other
                        ? "Two threads of a warp wait for each other at different places: the mask of "
                          "one names the other, which does not come"
                        : "The mask of a shuffle, a vote or a barrier of a warp does not name the "
                          "thread that comes there";
      shown.advice =
          fault.other
              ? "Let all threads that the mask names come to one place, or give it a mask of those that do: "
                "__ballot_sync() of the condition, in front of the branch."
              : "Let only threads come there that the mask names, or set the bits of all that do.";
      break;
    case FaultRule::FailedKernel:
      shown.title =
          fmt::format("A kernel ended with an error: {}", failureOf(model_.launches()[fault.place.launch]));
      shown.advice =
          model_.header().process.deviceKind == "gpu"
              ? "Run the program on the CPU device (CUPR_DEVICE=cpu), which says the access or the barrier."
              : "Without it the program's results are not to be trusted: mend it first.";
      break;
    case FaultRule::DoubleFree:
      shown.title = "Memory is freed that has been freed before";
      shown.advice =
          "Free it once: the second call may free what has been allocated since at the same address.";
      break;
    case FaultRule::InvalidFree:
      shown.title = fault.allocation
                        ? "A call frees what another one must free, or an address inside an allocation"
                        : "What is freed is no allocation";
      shown.advice = "Free the address that the allocating call gave, by its counterpart: cudaFree for "
                     "cudaMalloc, cudaFreeHost for "
                     "cudaMallocHost, cudaFreeArray for cudaMallocArray.";
      break;
    case FaultRule::UncheckedError:
      sayError(shown, errorOf(fault));
      break;
    case FaultRule::Leak:
      shown.title = "Memory is still allocated when the program ends";
      shown.advice = "Free it behind its last use.";
      break;
    }
    if (fault.rule == FaultRule::RaceWarps || fault.rule == FaultRule::RaceBlocks ||
        fault.rule == FaultRule::RaceLanes || fault.rule == FaultRule::RaceLaunches)
      sayCause(shown, fault);
  }

  static std::string nameOf(const ShownPlace &place) {
    return place.launch == 0
               ? fmt::format("the {}{}", place.act, place.place().empty() ? "" : " of " + place.place())
               : fmt::format("launch {} of {}", grouped(place.launch), place.kernel);
  }

  void sayHostRace(ShownFault &shown, const Fault &fault) const {
    const ShownPlace &other = shown.places.front(), &own = shown.places.back();
    shown.title = fmt::format("The host {} what {} {}, and has not waited for it",
                              hostAccessOf(fault).writes ? "writes" : "reads", nameOf(other),
                              isWrittenBy(*fault.other) ? "writes" : "reads");
    shown.advice = fmt::format(
        "Let the host wait (cudaStreamSynchronize, cudaEventSynchronize, cudaDeviceSynchronize) in "
        "front of {}.",
        lineText(own, "the access"));
    if (fault.cause == RaceCause::OneIsPlain) {
      shown.title += "; one of the accesses is atomic or volatile, the other is neither";
      shown.advice = fmt::format("{} Or make both atomic, for the whole system (cuda::atomic_ref, volatile).",
                                 shown.advice);
    }
  }

  bool isWrittenBy(const FaultPlace &place) const {
    if (place.launch == kHost)
      return place.site != 0;
    const trace::Site &site = model_.moduleOf(model_.launches()[place.launch])->sites[place.site];
    return abi::operationClass(site.operation) != abi::OperationClass::Load;
  }

  static void sayError(ShownFault &shown, const trace::HostFailure &failure) {
    const ShownPlace &place = shown.places.front();
    const std::string error = fmt::format("{} ({})", failure.error, failure.text);
    const std::string at = place.place().empty() ? "" : " at " + place.place();
    if (place.kernel.empty()) {
      shown.title =
          fmt::format("{} returned an error that the program does not look at: {}", failure.call, error);
      shown.advice =
          fmt::format("Look at the value of {}{}, or call cudaGetLastError() behind it.", failure.call, at);
    } else {
      shown.title = fmt::format("A launch of {} had an error that the program does not ask for: {}",
                                place.kernel, error);
      shown.advice = fmt::format("Call cudaGetLastError() behind the launch{}.", at);
    }
  }

  void sayCause(ShownFault &shown, const Fault &fault) const {
    switch (fault.cause) {
    case RaceCause::OneIsPlain:
      shown.title += fmt::format("; one of the accesses is {}, the other is not",
                                 isAnyAtomic(fault) ? "atomic" : "volatile");
      shown.advice = "Make both atomic (atomicAdd, cuda::atomic_ref), with a scope that holds both threads.";
      break;
    case RaceCause::NarrowScope:
      shown.title += "; both are atomic, but one only for threads of its own block";
      shown.advice = "Give both the scope of the device: atomicAdd in place of atomicAdd_block, "
                     "cuda::thread_scope_device.";
      break;
    case RaceCause::NoRelease:
      shown.title += "; the one that reads looks at a flag, but no fence of the device stands between "
                     "the other access and its flag";
      shown.advice =
          "Put __threadfence() behind what is to be handed over, in front of the store to the flag.";
      break;
    case RaceCause::NoAcquire:
      shown.title +=
          "; the one that writes has a fence in front of its flag, but the other has none behind its look at "
          "the flag";
      shown.advice =
          "Put __threadfence() behind the load or the atomic that looks at the flag, in front of the access.";
      break;
    case RaceCause::CopyNotWaited:
      shown.title =
          "Shared memory is accessed that an asynchronous copy may still be filling: its thread has not "
          "waited for it";
      shown.advice = fmt::format(
          "Wait for the copy of {} (__pipeline_wait_prior, cp.async.wait_all), in front of "
          "the barrier that comes before {}.",
          lineText(shown.places.front(), "the first line"), lineText(shown.places.back(), "the access"));
      break;
    case RaceCause::LockNoRelease:
      shown.title = underLock(fault) + "gives it back with no fence that reaches the other in front";
      shown.advice = fmt::format("Put {} behind {}, in front of what gives the lock back.", fenceFor(fault),
                                 lineText(shown.places.front(), "the first access"));
      break;
    case RaceCause::LockNoAcquire:
      shown.title = underLock(fault) + "takes it with no fence that reaches the other behind";
      shown.advice = fmt::format("Put {} behind what takes the lock, in front of {}.", fenceFor(fault),
                                 lineText(shown.places.back(), "the second access"));
      break;
    case RaceCause::BehindLock:
      shown.title =
          fmt::format("{} take the same lock, and the first accesses the same bytes when it has given it "
                      "back: the second may be there by then",
                      twoOf(fault));
      shown.advice = fmt::format("Put {} in front of what gives the lock back, with {} behind it.",
                                 lineText(shown.places.front(), "the first access"), fenceFor(fault));
      break;
    case RaceCause::Nothing:
    case RaceCause::OneInstruction:
      break;
    }
    if (fault.isSilent)
      shown.title += "; both store the same value";
  }

  /// Of the accesses of kernels: whether one is not just volatile.
  bool isAnyAtomic(const Fault &fault) const {
    const auto isAtomic = [&](const FaultPlace &place) {
      if (place.launch == kHost || place.site == FaultPlace::kNoSite)
        return false;
      const abi::MemoryOrder order =
          model_.moduleOf(model_.launches()[place.launch])->sites[place.site].order;
      return order != abi::MemoryOrder::None && order != abi::MemoryOrder::Volatile;
    };
    return isAtomic(fault.place) || (fault.other && isAtomic(*fault.other));
  }

  static std::string underLock(const Fault &fault) {
    return fmt::format(
        "{} access the same bytes under one lock, which orders them only as fences reach; the {} ",
        twoOf(fault), fault.cause == RaceCause::LockNoRelease ? "first" : "second");
  }
  static const char *twoOf(const Fault &fault) {
    return fault.rule == FaultRule::RaceBlocks ? "Two blocks of a launch" : "Two threads of a block";
  }
  static const char *fenceFor(const Fault &fault) {
    return fault.rule == FaultRule::RaceBlocks ? "__threadfence()" : "__threadfence_block()";
  }
  static std::string lineText(const ShownPlace &place, const char *unknown) {
    return place.place().empty() ? unknown : place.place();
  }

  const Model &model_;
  const HostPaths paths_;
  SharedVariables variables_;
  SourceWords words_;
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
