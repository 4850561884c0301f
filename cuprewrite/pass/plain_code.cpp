#include "plain_code.h"

#include "devicelib/abi/symbols.h"
#include "instrument.h"
#include "named_globals.h"
#include "storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>

using namespace llvm;

namespace cupr::pass {
namespace {

enum class Variant { Plain, Traced, Derived, Timed };

/// Of what variant of its kernel the function is; Plain, if it is no kernel.
Variant variantOf(const Function &function) {
  return function.getName().starts_with(CUPR_TRACED_PREFIX)    ? Variant::Traced
         : function.getName().starts_with(CUPR_DERIVED_PREFIX) ? Variant::Derived
         : function.getName().starts_with(CUPR_TIMED_PREFIX)   ? Variant::Timed
                                                               : Variant::Plain;
}

/// Whether the function was instrumented in place, or tells others that nothing is recorded.
bool isChanged(const Function &function) {
  bool changed = false;
  forEachGlobal(function, [&](const GlobalValue &global) {
    changed |= global.getName().starts_with("__cupr_") && global.getName() != kNoTrace;
  });
  return changed;
}

/// The order in which a function's arguments, blocks and instructions list their uses. Cloning changes it, and
/// passes of the back end heed it: the order of hoisted instructions was another.
class UseOrder {
public:
  explicit UseOrder(Function &function) {
    forEachValue(function, [&](Value &value, const Numbers &numbers) {
      std::vector<Place> &places = values_.emplace_back();
      for (const Use &use : value.uses())
        places.push_back(placeOf(use, numbers));
    });
  }

  /// `function` has been given a copy of the body.
  void applyTo(Function &function) const {
    auto places = values_.begin();
    forEachValue(function, [&](Value &value, const Numbers &numbers) {
      const std::vector<Place> &order = *places++;
      if (order.size() < 2)
        return;
      std::map<Place, std::size_t> ranks;
      for (const Place &place : order)
        ranks.emplace(place, ranks.size());
      value.sortUseList([&](const Use &a, const Use &b) {
        return ranks.at(placeOf(a, numbers)) < ranks.at(placeOf(b, numbers));
      });
    });
  }

private:
  using Numbers = DenseMap<const Value *, unsigned>;
  using Place = std::pair<unsigned, unsigned>; ///< user, operand

  static Place placeOf(const Use &use, const Numbers &numbers) {
    return {numbers.lookup(use.getUser()), use.getOperandNo()};
  }

  static void forEachValue(Function &function, function_ref<void(Value &, const Numbers &)> visit) {
    std::vector<Value *> values;
    for (Argument &argument : function.args())
      values.push_back(&argument);
    for (BasicBlock &block : function) {
      values.push_back(&block);
      for (Instruction &instruction : block)
        values.push_back(&instruction);
    }
    Numbers numbers;
    for (Value *value : values)
      numbers[value] = numbers.size() + 1;
    for (Value *value : values)
      visit(*value, numbers);
  }

  std::vector<std::vector<Place>> values_;
};

/// The module as it was.
class Original {
public:
  explicit Original(Module &module) : module_(module), copy_(CloneModule(module, toCopy_)) {
    for (Function &function : module)
      if (!function.isDeclaration())
        orders_.try_emplace(cast<Function>(toCopy_.lookup(&function)), function);
  }

  /// Gives functions that show nothing of tracing the bodies back that they had.
  void restore() {
    mapBack();
    for (const auto &[function, before] : pairs())
      if (variantOf(*function) == Variant::Plain && !isChanged(*function))
        giveBack(*function, *before);
  }

private:
  std::vector<std::pair<Function *, Function *>> pairs() {
    std::vector<std::pair<Function *, Function *>> pairs;
    for (Function &before : *copy_)
      if (auto *function = dyn_cast_or_null<Function>(toModule_.lookup(&before));
          function && !before.isDeclaration() && !function->isDeclaration())
        pairs.push_back({function, &before});
    return pairs;
  }

  /// What has been erased since is declared anew.
  void mapBack() {
    for (const auto &[value, copy] : toCopy_)
      if (auto *global = dyn_cast<GlobalValue>(const_cast<Value *>(value)); global && copy)
        toModule_[copy] = global;
    if (const auto &metadata = toCopy_.getMDMap())
      for (const auto &[node, copy] : *metadata)
        if (copy)
          toModule_.MD()[copy.get()].reset(const_cast<Metadata *>(node));
    for (Function &before : *copy_)
      if (before.isDeclaration() && !toModule_.count(&before))
        toModule_[&before] =
            module_.getOrInsertFunction(before.getName(), before.getFunctionType(), before.getAttributes())
                .getCallee();
  }

  void giveBack(Function &function, const Function &before) {
    const auto linkage = function.getLinkage();
    function.deleteBody();
    function.setLinkage(linkage);
    for (const Argument &argument : before.args())
      toModule_[&argument] = function.getArg(argument.getArgNo());
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(&function, &before, toModule_, CloneFunctionChangeType::DifferentModule, returns);
    orders_.at(&before).applyTo(function);
  }

  Module &module_;
  ValueToValueMapTy toCopy_, toModule_;
  std::unique_ptr<Module> copy_;
  std::map<const Function *, UseOrder> orders_; ///< by the function in the copy
};

/// Functions that kernels of this variant reach.
SmallPtrSet<const Function *, 16> reachedFrom(Module &module, Variant variant) {
  SmallPtrSet<const Function *, 16> seen;
  SmallVector<const Function *, 16> work;
  for (Function &function : module)
    if (isKernel(function) && variantOf(function) == variant && seen.insert(&function).second)
      work.push_back(&function);
  while (!work.empty())
    forEachGlobal(*work.pop_back_val(), [&](GlobalValue &global) {
      if (auto *callee = dyn_cast<Function>(&global); callee && seen.insert(callee).second)
        work.push_back(callee);
    });
  return seen;
}

/// Gives the functions of a variant a copy of the variable of their own.
void takeOwn(Module &module, GlobalVariable &variable, const Twine &suffix, ArrayRef<Function *> functions) {
  auto *own =
      new GlobalVariable(module, variable.getValueType(), variable.isConstant(), variable.getLinkage(),
                         variable.getInitializer(), variable.getName() + suffix, &variable,
                         variable.getThreadLocalMode(), variable.getAddressSpace());
  own->copyAttributesFrom(&variable);
  ValueToValueMapTy map;
  map[&variable] = own;
  for (Function *user : functions)
    RemapFunction(*user, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
}

/// The other variants' code gets its own copies of each shared variable that plain code alone then uses in one function.
void divideSharedVariables(Module &module) {
  struct Users {
    Variant variant;
    const char *suffix;
    SmallPtrSet<const Function *, 16> reached;
    SmallVector<Function *, 4> functions; ///< of one variable
  };
  Users all[] = {{Variant::Plain, "", {}, {}},
                 {Variant::Traced, ".traced", {}, {}},
                 {Variant::Derived, ".derived", {}, {}},
                 {Variant::Timed, ".timed", {}, {}}};
  for (Users &one : all)
    one.reached = reachedFrom(module, one.variant);
  DenseMap<GlobalVariable *, SmallSetVector<Function *, 4>> users;
  for (Function &function : module)
    forEachGlobal(function, [&](GlobalValue &global) {
      if (auto *variable = dyn_cast<GlobalVariable>(&global);
          variable && variable->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED &&
          variable->hasLocalLinkage() && !variable->getName().starts_with("__cupr_"))
        users[variable].insert(&function);
    });
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    const auto found = users.find(&variable);
    if (found == users.end())
      continue;
    for (Users &one : all)
      one.functions.clear();
    bool isDivided = true; // each function is of one variant
    for (Function *user : found->second) {
      unsigned variants = 0;
      for (Users &one : all)
        if (one.reached.contains(user)) {
          one.functions.push_back(user);
          ++variants;
        }
      isDivided &= variants == 1;
    }
    if (!isDivided || all[0].functions.size() != 1)
      continue;
    for (const Users &other : ArrayRef(all).drop_front())
      if (!other.functions.empty())
        takeOwn(module, variable, other.suffix, other.functions);
  }
}

} // namespace

PreservedAnalyses KeepPlainCodePass::run(Module &module, ModuleAnalysisManager &analyses) {
  if (!module.getTargetTriple().isNVPTX())
    return PreservedAnalyses::all();
  Original original(module);
  analyses.invalidate(module, instrumentation_.run(module, analyses));
  original.restore();
  answerUntraced(module);
  divideSharedVariables(module);
  return PreservedAnalyses::none();
}

} // namespace cupr::pass
