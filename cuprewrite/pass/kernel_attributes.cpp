#include "kernel_attributes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// The numbers behind an annotation's text, with commas between.
std::string numbersIn(const Constant *arguments) {
  std::string numbers;
  const auto *variable = dyn_cast<GlobalVariable>(arguments->stripPointerCasts());
  if (!variable || !variable->hasInitializer())
    return numbers;
  const Constant *const values = variable->getInitializer();
  for (unsigned i = 0; const Constant *value = values->getAggregateElement(i); ++i)
    if (const auto *number = dyn_cast<ConstantInt>(value))
      numbers += (i ? "," : "") + std::to_string(number->getZExtValue());
  return numbers;
}

/// Whether the annotation is one of ours. On the host's side it has no other meaning than to go away.
bool apply(Function &kernel, StringRef annotation, const Constant *arguments, bool onDevice) {
  if (annotation == "cupr.maxnreg") {
    if (onDevice)
      kernel.addFnAttr("nvvm.maxnreg", numbersIn(arguments));
  } else if (annotation == "cupr.cluster_dims") {
    if (onDevice)
      kernel.addFnAttr("nvvm.cluster_dim", numbersIn(arguments));
  } else if (annotation == "cupr.block_size") {
    if (onDevice)
      kernel.getContext().emitError("kernel " + kernel.getName() +
                                    ": __block_size__ changes what <<<>>> means, and cupr++ does not know "
                                    "it: use __launch_bounds__ and __cluster_dims__");
  } else {
    return false;
  }
  return true;
}

} // namespace

PreservedAnalyses KernelAttributesPass::run(Module &module, ModuleAnalysisManager &) {
  GlobalVariable *const list = module.getGlobalVariable("llvm.global.annotations");
  if (!list || !list->hasInitializer())
    return PreservedAnalyses::all();
  const bool onDevice = module.getTargetTriple().isNVPTX();
  SmallVector<Constant *, 8> kept;
  for (const Use &entry : list->getInitializer()->operands()) {
    auto *const record = cast<Constant>(entry);
    auto *const kernel = dyn_cast<Function>(record->getAggregateElement(0u)->stripPointerCasts());
    const auto *const text = dyn_cast<GlobalVariable>(record->getAggregateElement(1u)->stripPointerCasts());
    const auto *const value =
        text && text->hasInitializer() ? dyn_cast<ConstantDataSequential>(text->getInitializer()) : nullptr;
    if (!kernel || !value || !value->isCString() ||
        !apply(*kernel, value->getAsCString(), record->getAggregateElement(4u), onDevice))
      kept.push_back(record);
  }
  if (kept.size() == list->getInitializer()->getNumOperands())
    return PreservedAnalyses::all();
  if (!kept.empty()) {
    auto *const type = ArrayType::get(kept.front()->getType(), kept.size());
    auto *const shorter = new GlobalVariable(module, type, false, GlobalValue::AppendingLinkage,
                                             ConstantArray::get(type, kept), "", list);
    shorter->setSection(list->getSection());
    shorter->takeName(list);
  }
  list->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace cupr::pass
