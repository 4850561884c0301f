#include "derived_variant.h"

#include "slice_text.h"

#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<bool> printSlices("cupr-print-slices",
                          cl::desc("Print what accesses are derived from, or why they are recorded"));

} // namespace

bool DerivedVariant::buildSlice(Function &kernel, SiteTable &sites,
                                function_ref<std::uint32_t(const GlobalVariable &)> variableNumber) {
  const SmallVector<GlobalVariable *, 4> shared(make_first_range(shared_));
  auto slice = pass::buildSlice(kernel, *graph_, accesses_, shared, [&](const GlobalVariable &variable) {
    const auto site = shared_.find(const_cast<GlobalVariable *>(&variable));
    return site != shared_.end() ? site->second : variableNumber(variable);
  });
  if (!slice) {
    function_->eraseFromParent();
    function_ = nullptr;
    return false;
  }
  if (printSlices)
    errs() << "slice of " << kernel.getName() << ":\n" << toText(*slice);
  for (const abi::SliceInput &input : slice->inputs)
    if (static_cast<abi::SliceSource>(input.source) == abi::SliceSource::Shared)
      placed_.push_back(find_if(shared_, [&](const auto &one) { return one.second == input.index; })->first);
  const std::uint32_t blockSite = sites.addBlock(kernel);
  slice_ = sites.addSlice(kernel, blockSite, std::move(*slice));
  return true;
}

void DerivedVariant::insertHooks(HookCalls &hooks, Value *trace) {
  hooks.insertBlock(*function_->getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), trace, placed_);
}

void printObstacles(const Function &kernel, const Derivation &derivation) {
  if (!printSlices)
    return;
  for (const RecordedBecause &obstacle : derivation.obstacles) {
    errs() << kernel.getName() << " is recorded: " << obstacle.reason;
    if (obstacle.instruction)
      errs() << ":" << *obstacle.instruction;
    if (obstacle.cause)
      errs() << "; because of" << *obstacle.cause;
    errs() << "\n";
  }
}

} // namespace cupr::pass
