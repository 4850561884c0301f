/// One switch over the rules, and one over the causes of races.
#include "fault_words.h"

#include "analysis/model/shared_place.h"
#include "analysis/output/text.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

std::string spaceText(abi::MemorySpace space) { return std::string(abi::spaceName(space)) + " memory"; }

} // namespace

bool isInCluster(const Model &model, const Fault &fault) {
  return fault.other && fault.place.launch != kHost && fault.other->launch == fault.place.launch &&
         trace::Clusters(model.launches()[fault.place.launch].launch)
             .areTogether(fault.other->block, fault.place.block);
}

std::string countedBytes(std::uint64_t bytes) { return grouped(bytes) + (bytes == 1 ? " byte" : " bytes"); }

bool FaultWords::isOfOther(const Fault &fault) const {
  return fault.place.launch != kHost && fault.place.site != FaultPlace::kNoSite &&
         sharedPlaceOf(model_.launches()[fault.place.launch].launch, fault.place.block, fault.address)
             .isOther;
}

std::string FaultWords::linesText(const ShownFault &shown) {
  const std::string first = shown.places.front().place(), second = shown.places.back().place();
  if (first.empty() || second.empty() || first == second)
    return "between the two";
  return fmt::format("between {} and {}", first, second);
}

void FaultWords::sayRule(ShownFault &shown, const Fault &fault) const {
  const bool isShared = fault.space == abi::MemorySpace::Shared;
  const bool isLocal = fault.space == abi::MemorySpace::Local;
  const std::string memory = spaceText(fault.space);
  switch (fault.rule) {
  case FaultRule::RaceLanes:
    if (fault.cause == RaceCause::OneInstruction) {
      shown.title = fmt::format("Threads of one warp store to the same bytes of {} in one instruction: which "
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
    if (isInCluster(model_, fault)) {
      shown.title = fmt::format("Two blocks of a cluster access the same bytes of {}, and no barrier of the "
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
                                countedBytes(fault.bytes));
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
    shown.title = isLocal    ? "An access lies outside of the thread's own array that it is to"
                  : isShared ? (isOfOther(fault)
                                    ? "An access lies outside the shared variables of a block of the cluster"
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
    shown.title = fault.other ? "Two threads of a warp wait for each other at different places: the mask of "
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
    sayError(shown, model_.host().failures[fault.call]);
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

std::string FaultWords::nameOf(const ShownPlace &place) {
  return place.launch == 0
             ? fmt::format("the {}{}", place.act, place.place().empty() ? "" : " of " + place.place())
             : fmt::format("launch {} of {}", grouped(place.launch), place.kernel);
}

void FaultWords::sayHostRace(ShownFault &shown, const Fault &fault) const {
  const ShownPlace &other = shown.places.front(), &own = shown.places.back();
  shown.title = fmt::format("The host {} what {} {}, and has not waited for it",
                            model_.host().accesses[fault.call].writes ? "writes" : "reads", nameOf(other),
                            isWrittenBy(*fault.other) ? "writes" : "reads");
  shown.advice =
      fmt::format("Let the host wait (cudaStreamSynchronize, cudaEventSynchronize, cudaDeviceSynchronize) in "
                  "front of {}.",
                  lineText(own, "the access"));
  if (fault.cause == RaceCause::OneIsPlain) {
    shown.title += "; one of the accesses is atomic or volatile, the other is neither";
    shown.advice = fmt::format("{} Or make both atomic, for the whole system (cuda::atomic_ref, volatile).",
                               shown.advice);
  }
}

bool FaultWords::isWrittenBy(const FaultPlace &place) const {
  if (place.launch == kHost)
    return place.site != 0;
  const trace::Site &site = model_.moduleOf(model_.launches()[place.launch])->sites[place.site];
  return abi::operationClass(site.operation) != abi::OperationClass::Load;
}

void FaultWords::sayError(ShownFault &shown, const trace::HostFailure &failure) {
  const ShownPlace &place = shown.places.front();
  const std::string error = fmt::format("{} ({})", failure.error, failure.text);
  const std::string at = place.place().empty() ? "" : " at " + place.place();
  if (place.kernel.empty()) {
    shown.title =
        fmt::format("{} returned an error that the program does not look at: {}", failure.call, error);
    shown.advice =
        fmt::format("Look at the value of {}{}, or call cudaGetLastError() behind it.", failure.call, at);
  } else {
    shown.title =
        fmt::format("A launch of {} had an error that the program does not ask for: {}", place.kernel, error);
    shown.advice = fmt::format("Call cudaGetLastError() behind the launch{}.", at);
  }
}

void FaultWords::sayCause(ShownFault &shown, const Fault &fault) const {
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
    shown.advice = "Put __threadfence() behind what is to be handed over, in front of the store to the flag.";
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

bool FaultWords::isAnyAtomic(const Fault &fault) const {
  const auto isAtomic = [&](const FaultPlace &place) {
    if (place.launch == kHost || place.site == FaultPlace::kNoSite)
      return false;
    const abi::MemoryOrder order = model_.moduleOf(model_.launches()[place.launch])->sites[place.site].order;
    return order != abi::MemoryOrder::None && order != abi::MemoryOrder::Volatile;
  };
  return isAtomic(fault.place) || (fault.other && isAtomic(*fault.other));
}

std::string FaultWords::underLock(const Fault &fault) {
  return fmt::format(
      "{} access the same bytes under one lock, which orders them only as fences reach; the {} ",
      twoOf(fault), fault.cause == RaceCause::LockNoRelease ? "first" : "second");
}

const char *FaultWords::twoOf(const Fault &fault) {
  return fault.rule == FaultRule::RaceBlocks ? "Two blocks of a launch" : "Two threads of a block";
}

const char *FaultWords::fenceFor(const Fault &fault) {
  return fault.rule == FaultRule::RaceBlocks ? "__threadfence()" : "__threadfence_block()";
}

std::string FaultWords::lineText(const ShownPlace &place, const char *unknown) {
  return place.place().empty() ? unknown : place.place();
}

} // namespace cupr::analysis
