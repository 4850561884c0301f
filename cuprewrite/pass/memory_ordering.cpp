#include "memory_ordering.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace cupr::pass {
namespace {

using abi::MemoryOrder;
using abi::MemoryScope;
using abi::Operation;

cl::opt<bool> synchronisation("cupr-synchronisation",
                              cl::desc("Record barriers, fences and other synchronisation"));

MemoryOrder orderOf(AtomicOrdering ordering) {
  switch (ordering) {
  case AtomicOrdering::NotAtomic:
    return MemoryOrder::None;
  case AtomicOrdering::Unordered:
  case AtomicOrdering::Monotonic:
    return MemoryOrder::Relaxed;
  case AtomicOrdering::Acquire:
    return MemoryOrder::Acquire;
  case AtomicOrdering::Release:
    return MemoryOrder::Release;
  case AtomicOrdering::AcquireRelease:
    return MemoryOrder::AcquireRelease;
  case AtomicOrdering::SequentiallyConsistent:
    return MemoryOrder::SequentiallyConsistent;
  }
  return MemoryOrder::None;
}

/// By LLVM's names for NVPTX.
MemoryScope scopeOf(SyncScope::ID scope, const LLVMContext &context) {
  return StringSwitch<MemoryScope>(context.getSyncScopeName(scope).value_or(""))
      .Case("block", MemoryScope::Block)
      .Case("cluster", MemoryScope::Cluster)
      .Case("device", MemoryScope::Device)
      .Default(MemoryScope::System);
}

MemoryOrdering orderingOf(AtomicOrdering ordering, SyncScope::ID scope, const Instruction &instruction) {
  return {orderOf(ordering), scopeOf(scope, instruction.getContext())};
}

template <typename Access> MemoryOrdering orderingOfAccess(const Access &access) {
  if (access.isAtomic())
    return orderingOf(access.getOrdering(), access.getSyncScopeID(), access);
  return access.isVolatile() ? MemoryOrdering{MemoryOrder::Volatile, MemoryScope::System} : MemoryOrdering();
}

/// The words, taken apart where PTX joins them and LLVM doesn't: `wait_group`, `shared::cta`.
class Parts {
public:
  explicit Parts(ArrayRef<StringRef> words) {
    for (const StringRef word : words)
      word.split(parts_, '_', -1, /*KeepEmpty=*/false);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (const auto [left, right] = parts_[i].split("::"); left.size() != parts_[i].size()) {
        parts_[i] = left;
        parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(i) + 1, right);
      }
  }

  StringRef first() const { return parts_.empty() ? StringRef() : parts_.front(); }
  bool has(StringRef part) const { return is_contained(parts_, part); }

  MemoryOrder order() const {
    return has("acq") && has("rel") ? MemoryOrder::AcquireRelease
           : has("sc")              ? MemoryOrder::SequentiallyConsistent
           : has("acquire")         ? MemoryOrder::Acquire
           : has("release")         ? MemoryOrder::Release
           : has("relaxed")         ? MemoryOrder::Relaxed
                                    : MemoryOrder::None;
  }

  /// What names a space or the kind of a barrier is no scope, though it is the same word.
  MemoryScope scope() const {
    StringRef before;
    for (const StringRef part : parts_) {
      const auto scope = StringSwitch<MemoryScope>(part)
                             .Case("cta", MemoryScope::Block)
                             .Case("cluster", MemoryScope::Cluster)
                             .Cases({"gpu", "gl"}, MemoryScope::Device)
                             .Case("sys", MemoryScope::System)
                             .Default(MemoryScope::None);
      if (scope != MemoryScope::None && before != "shared" && before != "space" && before != "barrier")
        return scope;
      before = part;
    }
    return MemoryScope::None;
  }

  MemoryOrdering ordering(MemoryOrder order, MemoryScope scope) const {
    MemoryOrdering found{this->order(), this->scope()};
    if (found.order == MemoryOrder::None)
      found.order = order;
    if (found.scope == MemoryScope::None)
      found.scope = scope;
    return found;
  }

private:
  SmallVector<StringRef, 16> parts_;
};

} // namespace

MemoryOrdering orderingOf(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return orderingOfAccess(*load);
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return orderingOfAccess(*store);
  if (const auto *fence = dyn_cast<FenceInst>(&instruction))
    return orderingOf(fence->getOrdering(), fence->getSyncScopeID(), instruction);
  // What the back end makes of `atomicrmw` orders nothing, whatever it says, and is for the device: `atom.add`.
  if (isa<AtomicRMWInst>(instruction))
    return {MemoryOrder::Relaxed, MemoryScope::Device};
  if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    // clang makes it sequentially consistent; CUDA's function is not, and a program must not count on it.
    if (comesFromCudaAtomic(instruction, "atomicCAS"))
      return {MemoryOrder::Relaxed, MemoryScope::Device};
    return orderingOf(exchange->getSuccessOrdering(), exchange->getSyncScopeID(), instruction);
  }
  return {};
}

MemoryOrdering orderingNamed(ArrayRef<StringRef> words) {
  const Parts parts(words);
  if (parts.has("volatile") || parts.has("mmio"))
    return {parts.has("volatile") ? MemoryOrder::Volatile : MemoryOrder::Relaxed, MemoryScope::System};
  const bool isAtomic =
      parts.first() == "atom" || parts.first() == "red" || parts.first() == "atomic"; // PTX: relaxed, gpu
  return parts.ordering(isAtomic ? MemoryOrder::Relaxed : MemoryOrder::None,
                        isAtomic ? MemoryScope::Device : MemoryScope::None);
}

std::optional<Synchronisation> synchronisationNamed(ArrayRef<StringRef> words) {
  const Parts parts(words);
  const StringRef first = parts.first();
  const auto is = [&](Operation operation, MemoryOrder order = MemoryOrder::None,
                      MemoryScope scope = MemoryScope::None) {
    return Synchronisation{operation, parts.ordering(order, scope)};
  };
  if (first == "bar" || first == "barrier") {
    if (parts.has("warp"))
      return Synchronisation{Operation::WarpBarrier, {MemoryOrder::AcquireRelease, MemoryScope::Block}};
    if (parts.has("cluster"))
      return parts.has("arrive") ? is(Operation::ClusterArrive, MemoryOrder::Release, MemoryScope::Cluster)
                                 : is(Operation::ClusterWait, MemoryOrder::Acquire, MemoryScope::Cluster);
    return parts.has("arrive") ? is(Operation::BarrierArrive, MemoryOrder::Release, MemoryScope::Block)
                               : is(Operation::Barrier, MemoryOrder::AcquireRelease, MemoryScope::Block);
  }
  if (first == "membar" && !parts.has("proxy")) // PTX: the same as fence.sc
    return is(Operation::Fence, MemoryOrder::SequentiallyConsistent);
  if (first == "fence" || first == "membar")
    return parts.has("proxy") ? is(Operation::ProxyFence) : is(Operation::Fence, MemoryOrder::AcquireRelease);
  if (first == "cp" && parts.has("async")) {
    if (parts.has("mbarrier") && parts.has("arrive"))
      return is(Operation::MbarrierCopy);
    if (parts.has("commit"))
      return is(parts.has("bulk") ? Operation::BulkCommit : Operation::CopyCommit);
    if (parts.has("wait"))
      return is(parts.has("bulk") ? Operation::BulkWait : Operation::CopyWait);
  }
  if (first == "mbarrier") {
    if (parts.has("init"))
      return is(Operation::MbarrierInit);
    if (parts.has("inval"))
      return is(Operation::MbarrierInvalidate);
    if (parts.has("arrive"))
      return is(Operation::MbarrierArrive, MemoryOrder::Release, MemoryScope::Block);
    if (parts.has("expect"))
      return is(Operation::MbarrierExpect, MemoryOrder::Relaxed, MemoryScope::Block);
    if (parts.has("wait"))
      return is(Operation::MbarrierWait, MemoryOrder::Acquire, MemoryScope::Block);
  }
  if (parts.has("sync")) { // of lanes; forms without it have no mask
    const std::optional<Operation> ofLanes = StringSwitch<std::optional<Operation>>(first)
                                                 .Case("shfl", Operation::WarpShuffle)
                                                 .Case("vote", Operation::WarpVote)
                                                 .Case("match", Operation::WarpMatch)
                                                 .Case("redux", Operation::WarpReduce)
                                                 .Case("elect", Operation::WarpElect)
                                                 .Default(std::nullopt);
    if (ofLanes)
      return Synchronisation{*ofLanes, {}};
  }
  if (first == "griddepcontrol")
    return is(parts.has("wait") ? Operation::GridWait : Operation::GridRelease);
  return std::nullopt;
}

bool recordsSynchronisation() { return synchronisation; }

bool comesFromCudaAtomic(const Instruction &instruction, StringRef name) {
  const auto isIt = [&](StringRef function) {
    for (const StringRef scope : {"", "_block", "_system"}) { // `function` may be mangled
      const std::string whole = (name + scope).str();
      if (function == whole || function.starts_with("_Z" + std::to_string(whole.size()) + whole) ||
          function.starts_with("_ZL" + std::to_string(whole.size()) + whole))
        return true;
    }
    return false;
  };
  for (const DILocation *at = instruction.getDebugLoc(); at; at = at->getInlinedAt())
    if (const DISubprogram *function = at->getScope()->getSubprogram();
        function && (isIt(function->getName()) || isIt(function->getLinkageName())))
      return true;
  return isIt(instruction.getFunction()->getName());
}

} // namespace cupr::pass
